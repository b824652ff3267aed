import CTAP
import Encodings
import HybridTransport

// The lines of `--json`: one object each, told apart by `event`.

/// Something that the user should know although the command goes on.
package struct NoticeLine: Encodable {
    let event = "notice"
    /// The role whose ceremony it is of; absent if it is of none.
    let role: String?
    let notice: String
    let text: String

    package init(role: String?, notice: String, text: String) {
        self.role = role
        self.notice = notice
        self.text = text
    }
}

/// The failure of the command.
struct ErrorLine: Encodable {
    let event = "error"
    let code: String
    /// The stage that was not reached; absent if no ceremony had begun.
    let stage: String?
    let cause: String
    let hint: String
    /// The status byte of an authenticator's refusal.
    let ctapStatus: UInt8?
    let exitCode: Int32

    init(_ failure: Failure) {
        code = failure.code
        stage = failure.stage?.rawValue
        cause = failure.cause
        hint = failure.hint
        ctapStatus = failure.ctapStatus?.rawValue
        exitCode = failure.status.rawValue
    }
}

/// Foreign text in quotation marks, with everything escaped that could steer a terminal or mislead the eye.
package func quoted(_ text: String) -> String { CBORValue.text(text).diagnostic() }
