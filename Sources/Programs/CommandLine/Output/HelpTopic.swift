package import LinuxSupport

/// A page of help about something that is not a command: `hybrid help exit-codes`.
package struct HelpTopic: Sendable {
    package let name: String
    /// Lines of at most 80 columns.
    package let text: Sentence

    package init(_ name: String, _ text: Sentence) {
        self.name = name
        self.text = text
    }

    /// The exit codes, which all programs share.
    package static let exitCodes = Self(
        "exit-codes",
        """
        The exit code tells a script what happened; with --json the last line says more.

        \(ExitStatus.table)
        """)

    /// The topic that is asked for; nil for anything else.
    package static func asked(_ arguments: [String], of topics: [Self]) -> Self? {
        guard arguments.count == 2, arguments.first == "help" else { return nil }
        return topics.first { $0.name == arguments[1] }
    }
}
