import AuthenticatorAgent
import HybridTransport
import LinuxSupport
import UserVerification

/// Makes the way in which the user is asked and verified, before anything is sent.
struct VerificationSetup {
    private static let hint = """
        set one up: enrol a finger (fprintd-enroll), or sudo tools/install-policy, or a passphrase for the vault \
        (hybrid passkeys passphrase); or give --presence-only, with which most browsers make and use no passkey
        """

    let option: VerificationOption
    let passkeys: PasskeyStoreOptions
    /// True if passkeys are opened: without them there is nothing to be verified for.
    let opensPasskeys: Bool
    let timeout: Duration
    /// The passphrase that opens the vault in this run.
    let typed: TypedPassphrase
    let reporter: Reporter
    let observe: AgentObserver
    /// Is told why the user was not verified.
    let report: @Sendable (VerificationError) -> Void

    /// The way in which the user is asked and verified: by a method that is set up, or not at all.
    ///
    /// - Throws: ``Failure``; ``AgentError``; ``VaultError``.
    func approval() async throws -> any UserApproval {
        if option.yes { return lab() }
        guard !option.presenceOnly else {
            let terminal = try terminal()
            reporter.warn(
                "presence-only", "nobody is verified: most browsers make and use no passkey then", role: .authenticator)
            return terminal
        }
        let retries = VerificationRetries(path: try retriesPath())
        if let method = option.verify {
            let verifier = try verifier(method, retries)
            do throws(VerificationError) {
                try await verifier.checkSetUp()
            } catch {
                throw Failure(.usage, code: error.code.rawValue, cause: error.reason, hint: error.code.hint)
            }
            return try verified(by: verifier)
        }
        var obstacles: [String] = []
        for method in VerificationMethod.allCases where isUsual(method) {
            do {
                let verifier = try verifier(method, retries)
                try await verifier.checkSetUp()
                reporter.say("you are verified by \(method.text)")
                return try verified(by: verifier)
            } catch let error as VerificationError {
                guard error.code != .cancelled else { throw CancellationError() }
                obstacles.append("\(method): \(error.reason)")
            } catch let error as AgentError {
                obstacles.append("\(method): \(error.cause)")
            } catch let failure as Failure where !StandardStreams.hasControllingTerminal {
                obstacles.append("\(method): \(failure.cause)")
            }
        }
        guard opensPasskeys else { return try terminal() }
        throw Failure(
            .usage, code: "no-verification",
            cause: "nothing is set up to verify you by (\(obstacles.joined(separator: "; ")))", hint: Self.hint)
    }

    /// True if a method is tried when none was chosen: not polkit's dialogue where there is a terminal and no desktop.
    private func isUsual(_ method: VerificationMethod) -> Bool {
        let hasDesktop = ["WAYLAND_DISPLAY", "DISPLAY"].contains { ProcessEnvironment.value($0) != nil }
        return method != .polkit || hasDesktop || !StandardStreams.hasControllingTerminal
    }

    private func lab() -> any UserApproval {
        reporter.warn("asks-nobody", "--yes approves everything and asks nobody", role: .authenticator)
        let verifier = LabVerifier { [reporter] in
            reporter.warn("nobody-verified", "--yes: approved, and nobody was asked or verified", role: .authenticator)
        }
        return VerifiedApproval(asking: AutomaticApproval(claimsVerification: false), verifier: verifier)
    }

    private func verified(by verifier: any Verifier) throws -> any UserApproval {
        let asking: any UserApproval = verifier.showsQuestion ? TerminalApproval(timeout: timeout) : try terminal()
        return VerifiedApproval(asking: asking, verifier: verifier, report: report)
    }

    private func terminal() throws -> any UserApproval {
        guard StandardStreams.hasControllingTerminal else {
            throw Failure.usage(
                "there is no terminal to ask you at", hint: "run this in a terminal, or give --verify polkit")
        }
        return TerminalApproval(timeout: timeout)
    }

    /// The file that counts failed verifications, beside the passkeys; nil where they are not in a file.
    private func retriesPath() throws -> String? {
        guard opensPasskeys, !passkeys.ephemeral else { return nil }
        return (try passkeys.store ?? passkeys.vault.path()) + ".uv-retries"
    }

    private func verifier(_ method: VerificationMethod, _ retries: VerificationRetries) throws -> any Verifier {
        switch method {
        case .polkit: return PolkitVerifier(timeout: timeout, retries: retries)
        case .fprintd:
            _ = try terminal()
            return FingerprintVerifier(timeout: timeout, retries: retries) { [reporter] in reporter.say($0.text) }
        case .passphrase:
            let verifier = try PassphraseVerifier(
                vault: passkeys.isVault && opensPasskeys ? try passkeys.vault.path() : nil,
                isNewWithKeyring: passkeys.keyring, recent: typed, retries: retries, timeout: timeout, observe: observe
            ) {
                do {
                    return try PassphraseInput.ask("to approve, the passphrase of the vault")
                } catch let failure as Failure {
                    throw VerificationError(.serviceFailed, reason: failure.cause)
                }
            }
            _ = try terminal()
            return verifier
        }
    }
}

extension FingerprintVerifier.Notice {
    /// The next step of the user, in words.
    fileprivate var text: String {
        switch self {
        case .touch: "touch the fingerprint reader, or swipe over it"
        case .again(let word): "the reader did not see the finger well (\(word)); once more"
        case .noMatch(attemptsLeft: 0): "that finger is not one of yours"
        case .noMatch(let left): "that finger is not one of yours; \(left) more \(left == 1 ? "attempt" : "attempts")"
        }
    }
}
