import Edges
import HybridTransport
import RelyingParty

/// A failure as the person sees it: a cause, a hint, an exit code, and the stage if a ceremony had begun.
struct Failure: Error {
    let status: ExitStatus
    /// The error's own code, for programs.
    let code: String
    let stage: Stage?
    let cause: String
    let hint: String?

    init(_ status: ExitStatus, code: String, stage: Stage? = nil, cause: String, hint: String? = nil) {
        self.status = status
        self.code = code
        self.stage = stage
        self.cause = cause
        self.hint = hint
    }

    /// Makes a failure of whatever was thrown.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as HybridTransportError:
            self.init(
                ExitStatus(error.code), code: error.code.rawValue, stage: error.stage, cause: error.cause,
                hint: error.hint)
        case let error as RadioError:
            self.init(.radio, code: error.code.rawValue, cause: error.reason, hint: RadioOption.hint)
        case let error as RelyingPartyError: self.init(error)
        case let error as DataChannelError:
            self.init(.tunnelRefused, code: error.code.rawValue, cause: error.reason, hint: "check --tunnel and --ca")
        case is CancellationError:
            self.init(.interrupted, code: "cancelled", cause: "interrupted")
        default:
            self.init(.failure, code: "failure", cause: "\(error)")
        }
    }
}
