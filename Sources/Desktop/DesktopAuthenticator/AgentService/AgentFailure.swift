internal import LinuxSupport

/// A failure of the agent's, as it crosses the bus: the values of an error of one name. It is no `CodedError`, since
/// another process says its hint and its exit status too.
package struct AgentFailure: Error, Sendable, Equatable {
    /// The error's own code, for programs.
    package let code: String
    /// One line, lower case, nothing secret.
    package let cause: String
    /// One thing that the user can do.
    package let hint: String
    /// The exit status of a command that ends with it.
    package let exitStatus: Int32

    /// The longest text that is taken from the bus, in characters.
    private static let longestText = 600
    private static let signatureCount = 4

    package init(code: String, cause: String, hint: String, exitStatus: Int32) {
        self.code = code
        self.cause = cause
        self.hint = hint
        self.exitStatus = exitStatus
    }

    /// Reads an error of the agent's; nil for any other.
    init?(_ error: DBusError) {
        guard error.name == AgentBus.failed, error.details.count == Self.signatureCount,
            let cause = error.details[0].stringValue, let hint = error.details[1].stringValue,
            let code = error.details[2].stringValue, let exitStatus = error.details[3].int32Value
        else { return nil }
        self.init(
            code: Self.line(code), cause: Self.line(cause), hint: Self.line(hint), exitStatus: exitStatus)
    }

    /// The error as an answer.
    var answer: DBusAnswer {
        .refusal(
            name: AgentBus.failed, text: cause, details: [.string(hint), .string(code), .int32(exitStatus)])
    }

    /// Whatever runs under the agent's name need not be the agent.
    private static func line(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(longestText).filter { $0.value >= 0x20 && $0.value != 0x7f }))
    }
}
