import CTAP
import CommandLine
import HybridTransport
import PasskeyAuthenticator
import Synchronization
import UserVerification

/// Reports what programs ask of a key, and the answers: a line each. Questions about the key itself are left out.
final class KeyReporter: Sendable {
    private let reporter: Reporter
    private let verificationFailure = Mutex<VerificationError?>(nil)

    init(_ reporter: Reporter) { self.reporter = reporter }

    /// Notes why the user was not verified.
    func note(_ error: VerificationError) { verificationFailure.withLock { $0 = error } }

    /// Reports an event of the authenticator.
    func report(_ event: PasskeyAuthenticatorEvent) {
        switch event {
        case .storeFailed(let error): warn(error.code.rawValue, "the passkeys cannot be used: \(error.reason)")
        case .useNotKept(let error): warn("use-not-kept", "signed in, but the store could not be told: \(error.reason)")
        case .answeredSilently(let site):
            reporter.write(
                .keyAnswer("look", site: site),
                orSay: "a program looked for passkeys of \(quoted(site)), and found one")
        case .approved(_, let site, _):
            guard !site.isEmpty else { break }
            reporter.write(.keyAnswer("approved", site: site), orSay: "approved for \(quoted(site))")
        case .answered(let command, let status, let reason):
            let failure = verificationFailure.withLock { $0.take() }
            switch command {
            case .makeCredential, .getAssertion, .selection, nil: break
            case .getInfo, .getNextAssertion, .clientPIN: return
            }
            let name = command.map { "\($0)" } ?? "unknown"
            let cause = status.isSuccess ? nil : failure?.reason ?? reason
            let text = "answered \(name): \(status.isSuccess ? "\(status)" : status.named)"
            reporter.write(
                .keyAnswer(name, status: status, reason: cause),
                orSay: text + (cause.map { " (\($0))" } ?? ""))
        }
    }

    private func warn(_ code: String, _ text: String) { reporter.warn(code, text, role: .authenticator) }
}

extension Reporter {
    /// Reports an answer to a program, unless the program only asked about the key itself.
    func keyAnswer(to command: CTAPCommand?, _ status: CTAPStatus, reason: String?) {
        switch command {
        case .makeCredential, .getAssertion, .selection, nil: break
        case .getInfo, .getNextAssertion, .clientPIN: return
        }
        let name = command.map { "\($0)" } ?? "unknown"
        let cause = status.isSuccess ? nil : reason
        let text = (status.isSuccess ? "\(status)" : status.named) + (cause.map { " (\($0))" } ?? "")
        write(.keyAnswer(name, status: status, reason: cause), orSay: "answered \(name): \(text)")
    }
}

extension Line {
    /// An answer to a program.
    static func keyAnswer(
        _ command: String, site: String? = nil, status: CTAPStatus? = nil, reason: String? = nil
    ) -> Self {
        Self(
            "answer",
            ["command": command, "site": site, "status": status.map { "\($0)" }, "reason": reason])
    }
}

extension CTAPHIDDeviceVersion {
    /// The version of this program.
    static let ofThisProgram: Self = {
        let numbers = Version.version.split(separator: ".").map { UInt8($0) ?? 0 } + [0, 0, 0]
        return Self(major: numbers[0], minor: numbers[1], build: numbers[2])
    }()
}
