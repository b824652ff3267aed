import Cryptography
import LinuxSupport
import Synchronization
import TestPeers
import Testing
import UserVerification
import Vault

@testable import DesktopAuthenticator

/// Verification by the vault's passphrase.
@Suite("The vault's passphrase", .timeLimit(.minutes(2)))
struct PassphraseVerifierTests {
    private static let question = ApprovalQuestion(operation: .signIn, rpID: "example.com")

    /// Makes a vault and a verifier for it, at whose question these words are typed, one after the other.
    private func with(
        typing words: [String], recent: TypedPassphrase = TypedPassphrase(),
        retries: VerificationRetries = VerificationRetries(path: nil), timer: DeadlineTimer = .continuous,
        late isLate: Bool = false, _ body: (PassphraseVerifier, _ asked: () -> Int) async throws -> Void
    ) async throws {
        try await inFolder { folder in
            let path = folder + "/passkeys.vault"
            let vault = try Vault.create(
                at: path, id: Vault.newID(), VaultSecrets(passphrase: Self.secret("sesame")), cost: Self.cheap)
            await vault.close()
            let asked = Mutex(0)
            let verifier = try PassphraseVerifier(
                vault: path, isNewWithKeyring: false, recent: recent, retries: retries, timeout: .seconds(60),
                timer: timer, observe: { _ in }
            ) {
                if isLate { try? await Task.sleep(for: .seconds(3600)) }
                return Self.secret(
                    asked.withLock { asked in
                        defer { asked += 1 }
                        return words[min(asked, words.count - 1)]
                    })
            }
            try await body(verifier) { asked.withLock { $0 } }
        }
    }

    /// Cheaper than any that is meant to keep a secret.
    private static let cheap = Scrypt.Cost(logN: 4, blockSize: 1, parallelization: 1)

    private static func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }

    @Test("is asked for at each approval, and may be mistyped twice")
    func asked() async throws {
        try await with(typing: ["wrong", "false", "sesame"]) { verifier, asked in
            let before = ContinuousClock.now
            #expect(try await verifier.verify(Self.question, account: nil) >= before)
            #expect(asked() == 3)
            _ = try await verifier.verify(Self.question, account: nil)
            #expect(asked() == 4)
        }
        try await with(typing: ["wrong"]) { verifier, asked in
            await #expect(throws: VerificationError(.noMatch, reason: "")) {
                try await verifier.verify(Self.question, account: nil)
            }
            #expect(asked() == 3)
        }
    }

    @Test("counts for the first approval if it was typed to open the vault, and for that one only")
    func typedBefore() async throws {
        let recent = TypedPassphrase()
        try await with(typing: ["sesame"], recent: recent) { verifier, asked in
            let instant = ContinuousClock.now - .seconds(30)
            recent.note(at: instant)
            #expect(try await verifier.verify(Self.question, account: nil) == instant)
            #expect(asked() == 0)
            _ = try await verifier.verify(Self.question, account: nil)
            #expect(asked() == 1)
        }
    }

    @Test(
        "is not asked for after five misses in a row, until some time has gone by or it has opened the vault"
    )
    func blocked() async throws {
        let time = Mutex(VerificationRetries.Time())
        let retries = VerificationRetries(path: nil) { time.withLock { $0 } }
        let recent = TypedPassphrase()
        let blocked = VerificationError(.tooManyAttempts, reason: "")
        try await with(
            typing: ["1", "2", "3", "4", "5", "6", "sesame"], recent: recent, retries: retries
        ) { verifier, asked in
            let wrong = VerificationError(.noMatch, reason: "")
            for (error, expected) in [(wrong, 3), (blocked, 5), (blocked, 5)] {
                await #expect(throws: error) { try await verifier.verify(Self.question, account: nil) }
                #expect(asked() == expected)
            }
            time.withLock { $0.uptime += 30 }
            await #expect(throws: blocked) { try await verifier.verify(Self.question, account: nil) }
            #expect(asked() == 6)
            recent.note()
            _ = try await verifier.verify(Self.question, account: nil)
            _ = try await verifier.verify(Self.question, account: nil)
            #expect(asked() == 7)
        }
    }

    @Test("does not count when it is typed too late", .timeLimit(.minutes(1)))
    func late() async throws {
        try await with(typing: ["sesame"], timer: .on(JumpingClock()), late: true) { verifier, asked in
            await #expect(throws: VerificationError(.timeout, reason: "")) {
                try await verifier.verify(Self.question, account: nil)
            }
            #expect(asked() == 1)
        }
    }

    @Test("counts no longer than a minute")
    func tooOld() {
        let now = ContinuousClock.now
        let recent = TypedPassphrase()
        #expect(recent.take(at: now) == nil)
        recent.note(at: now - .seconds(60))
        #expect(recent.take(at: now) == now - .seconds(60))
        recent.note(at: now - .seconds(61))
        #expect(recent.take(at: now) == nil)
    }

    @Test("is not a method where there is none: without a vault, or in one that opens with the keyring")
    func noPassphrase() throws {
        for (path, isNewWithKeyring, remedy) in [
            (nil, false, Remedy.useVault), ("/nonexistent/passkeys.vault", true, .setPassphrase),
        ] {
            let error = #expect(throws: AgentError.self) {
                try PassphraseVerifier(
                    vault: path, isNewWithKeyring: isNewWithKeyring, recent: TypedPassphrase(),
                    retries: VerificationRetries(path: nil), timeout: .seconds(1), observe: { _ in }
                ) { Self.secret("") }
            }
            #expect(error?.remedy == remedy)
        }
    }
}
