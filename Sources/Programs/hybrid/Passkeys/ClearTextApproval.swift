import ArgumentParser
import CommandLine
import DesktopAuthenticator
import HybridTransport
import LinuxSupport
import PasskeyExchange
import UserVerification

/// Proof that the user was warned, and verified, for one file with private keys in clear text. It writes that file, and
/// is consumed by it.
struct ClearTextApproval: ~Copyable {
    private static let timeout = Duration.seconds(120)

    /// Warns, asks and verifies.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - count: the number of passkeys in it.
    ///   - verify: the method of verification; nil for the best one that is set up.
    ///   - vault: the vault whose passphrase verifies.
    ///   - typed: the passphrase that was typed to open it.
    /// - Throws: ``Failure`` for a no, and if nothing is set up to verify the user by.
    init(
        file: String, count: Int, verify: VerificationMethod?, vault: VaultOptions, _ typed: TypedPassphrase,
        _ reporter: Reporter
    ) async throws {
        reporter.warn(
            "clear-text",
            "\(file) will have private keys in clear text: anyone who reads it can sign in as you; delete it after "
                + "use")
        let option = try VerificationOption.parse(verify.map { ["--verify", $0.rawValue] } ?? [])
        let approval = try await VerificationSetup(
            option: option, subject: .init(vault: try vault.path()),
            questions: vault.place.questions(within: Self.timeout, reporter), timeout: Self.timeout, typed: typed,
            reporter: reporter, observe: reporter.listener(for: .authenticator)
        ) { reporter.warn($0.code.rawValue, Sentence(reason: $0.reason)) }.approval()
        let deed = Sentence(count: count, one: "\(count) passkey to \(file)", other: "\(count) passkeys to \(file)")
        let question = ApprovalQuestion(
            operation: .exportPasskeys, rpID: "", requiresVerification: true,
            details: [deed.consent(" / ").localized])
        let isVerified: Bool
        do throws(Approval.Refusal) {
            isVerified = try await approval.ask(question).isVerified(for: question)
        } catch {
            guard error != .cancelled else { throw CancellationError() }
            throw Failure(
                .declined, code: "declined", cause: "nothing was written: the export was not approved",
                hint: Hint.startAgain)
        }
        guard isVerified else {
            throw Failure(
                .declined, code: "not-verified", cause: "nothing was written: you were not verified",
                hint: Hint.startAgain)
        }
    }

    /// Writes the file, mode 0600, which must not exist yet.
    ///
    /// - Throws: `AtomicFileError`.
    consuming func write(_ export: borrowing PasskeyExport, to file: String) throws {
        try AtomicFile(path: file).create(with: export.span)
    }
}
