import CTAP
import Encodings
package import HybridTransport

// The lines of `--json` that all programs write.

extension Line {
    /// Something that the user should know although the command goes on.
    ///
    /// - Parameter role: the role whose ceremony it is of; nil if it is of none.
    package static func notice(_ code: String, _ text: String, role: Role? = nil) -> Self {
        Self("notice", ["role": role?.rawValue, "notice": code, "text": text])
    }
}

extension Failure {
    /// The failure of the command. Its stage is the one that was not reached; the status is an authenticator's;
    /// the place is one in our sources.
    var line: Line {
        Line(
            "error",
            [
                "code": code, "stage": stage?.rawValue, "cause": cause, "hint": hint,
                "ctap_status": ctapStatus?.rawValue, "exit_code": status.rawValue,
                "place": place?.description,
            ])
    }
}

/// Foreign text in quotation marks, with everything escaped that could steer a terminal or mislead the eye.
package func quoted(_ text: String) -> String { CBORValue.text(text).diagnostic() }
