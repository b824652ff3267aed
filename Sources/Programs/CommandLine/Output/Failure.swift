import CTAP
import Conformance
import DesktopAuthenticator
import Glibc
import HybridProtocol
import HybridTransport
import KeyPassthrough
import LinuxSupport
import PasskeyAuthenticator
import SecurityKey
import TunnelService
import Vault
import WebAuthnClient

/// A failure as the user sees it: a cause, a hint, an exit code, and the stage if a ceremony had begun.
struct Failure: Error {
    let status: ExitStatus
    /// The error's own code, for programs.
    let code: String
    let stage: Stage?
    let cause: String
    /// One thing that the user can do about it.
    let hint: String
    /// The status of an authenticator's refusal.
    let ctapStatus: CTAPStatus?

    init(
        _ status: ExitStatus, code: String, stage: Stage? = nil, cause: String, hint: String,
        ctapStatus: CTAPStatus? = nil
    ) {
        self.status = status
        self.code = code
        self.stage = stage
        self.cause = cause
        self.hint = hint
        self.ctapStatus = ctapStatus
    }

    /// The same with another cause.
    func saying(_ cause: String) -> Self {
        Self(status, code: code, stage: stage, cause: cause, hint: hint, ctapStatus: ctapStatus)
    }

    /// Invalid arguments.
    static func usage(_ cause: String, hint: String) -> Self { Self(.usage, code: "usage", cause: cause, hint: hint) }

    /// Makes a failure of any error.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as AgentError: self.init(error)
        case let refused as RequestRefused: self.init(refused)
        case let refusal as AgentRefusal: self.init(refusal)
        case let failure as AgentFailure: self.init(failure)
        case let error as SecurityKeyError: self.init(error)
        case let error as LentKeyError: self.init(error)
        case let error as DBusError: self.init(error)
        case let error as HybridTransportError:
            self.init(
                ExitStatus(error.code), code: error.code.rawValue, stage: error.stage, cause: error.cause,
                hint: error.advice.text)
        case let error as HybridProtocolError:
            let hint =
                switch error.code {
                case .unassignedDomain: Hint.domains
                case .badTag: Hint.otherCode
                default: Hint.wholeText
                }
            self.init(.protocolViolation, code: error.code.rawValue, cause: error.reason, hint: hint)
        case let error as RadioError: self.init(error)
        case let error as DataChannelError:
            // Outside of a ceremony only the files of certificate authorities are read.
            self.init(.file, code: error.code.rawValue, cause: error.reason, hint: Hint.authorities)
        case let failure as HandOverFailure: self.init(failure)
        case let error as RelyingPartyError: self.init(error)
        case let error as CredentialStoreError: self.init(error)
        case let error as VaultError: self.init(error)
        case let error as DialogueError: self.init(error)
        case let error as LinkFileError: self.init(error)
        case let error as AtomicFileError:
            self.init(.file, code: error.code.rawValue, cause: error.reason, hint: Hint.place)
        case let error as TunnelServiceError: self.init(error)
        case let error as RunnerError where error.code == .cannotListen:
            self.init(.failure, code: error.code.rawValue, cause: error.reason, hint: Hint.listening)
        case let error as RunnerError:
            self.init(.usage, code: error.code.rawValue, cause: error.reason, hint: Hint.command)
        case is CancellationError: self.init(interruptedAt: nil)
        default:
            // Its contents are not known, so they are not shown: there may be secrets among them.
            self.init(.failure, code: "unexpected", cause: "\(type(of: error))", hint: Hint.report)
        }
    }

    /// A signal ended the command.
    init(interruptedAt stage: Stage?) {
        self.init(.interrupted, code: "interrupted", stage: stage, cause: "interrupted", hint: Hint.startAgain)
    }

    /// Standard output takes nothing any more. Where its reader has what it wanted, as `head` has, that is no error.
    init(lostOutput error: SystemError) {
        self.init(
            error.number == EPIPE ? .brokenPipe : .failure, code: "output",
            cause: "standard output cannot be written: \(error)", hint: Hint.output)
    }
}

/// Hints for failures outside of a ceremony: one sentence each, lower case, without a full stop.
enum Hint {
    static let startAgain = "start again when you are ready"
    static let report = "report this with the whole output"
    static let standardInput = "write the text of the QR code, FIDO:/…, to standard input, or give it as the argument"
    static let output = "check what reads the output, and the room on the disk"
    static let wholeText = "copy the whole text again; hybrid inspect --help shows what can be explained"
    static let domains = "0 and 1 are assigned, and those from 256 on are computed from their number"
    static let otherCode = "give the QR code that the advert was made for"
    static let authorities = "check the file given with --ca: certificates in PEM"
    static let stateFile = "check the file, or give another one with --state"
    static let place = "give another file, or make room for it"
    static let command = "check the command after --, and the program's place in PATH"
    static let listening = "check --listen: another process may have the port, or only root may have it"
    static let storeFile = "check the file, or give another one with --store"
}
