import ArgumentParser
import AuthenticatorAgent
import HybridTransport
import UserVerification
import Vault

/// Method of user verification.
enum VerificationMethod: String, ExpressibleByArgument, CaseIterable {
    case polkit, fprintd, passphrase, terminal
}

/// The options that say how the user is asked, and verified.
struct VerificationOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How you are verified before a passkey is made or used: polkit (the desktop's dialogue asks for your \
            password or a finger), fprintd (a finger), passphrase (the vault's, typed again), or terminal (a yes \
            there). (default: terminal)
            """, valueName: "how"))
    var verify: VerificationMethod?

    @Flag(help: "Approve everything and claim that the user was verified, without asking anybody: for labs.")
    var yes = false

    func validate() throws {
        guard verify == nil || !yes else { throw ValidationError("give --verify or --yes, not both") }
    }

    /// The way in which the user is asked, and verified.
    ///
    /// - Parameters:
    ///   - vault: The path of the vault that holds the passkeys; nil if none does.
    ///   - timeout: The longest time for an answer.
    ///   - observe: Is told of a wrong passphrase.
    ///   - report: Is told why the user was not verified.
    /// - Throws: ``Failure``; ``AgentError``; ``VaultError``.
    func approval(
        vault: String?, timeout: Duration, _ reporter: Reporter, _ observe: @escaping AgentObserver,
        report: @escaping @Sendable (VerificationError) -> Void
    ) throws -> any UserApproval {
        guard !yes else {
            reporter.warn("asks-nobody", "--yes approves everything and asks nobody", role: .authenticator)
            return AutomaticApproval(claimsVerification: true)
        }
        let method = verify ?? .terminal
        guard method == .polkit || StandardStreams.hasControllingTerminal else {
            throw Failure.usage(
                "there is no terminal to ask you at", hint: "run this in a terminal, or give --verify polkit, or --yes")
        }
        let terminal = TerminalApproval(countsAsVerification: method == .terminal, timeout: timeout)
        let verifier: any Verifier
        switch method {
        case .terminal: return terminal
        case .polkit: verifier = PolkitVerifier(timeout: timeout)
        case .fprintd: verifier = FingerprintVerifier(timeout: timeout) { reporter.say($0.text) }
        case .passphrase:
            verifier = try PassphraseVerifier(vault: vault, timeout: timeout, observe: observe) {
                do {
                    return try PassphraseInput.ask("to approve, the passphrase of the vault")
                } catch let failure as Failure {
                    throw VerificationError(.serviceFailed, reason: failure.cause)
                }
            }
        }
        return VerifiedApproval(asking: terminal, verifier: verifier, report: report)
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
