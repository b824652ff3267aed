/// A page of help about something that is no command: `hybrid help exit-codes`.
enum HelpTopic: String, CaseIterable {
    case exitCodes = "exit-codes"
    case configuration

    /// The topic that is asked for; nil for anything else.
    init?(_ arguments: [String]) {
        guard arguments.count == 2, arguments.first == "help" else { return nil }
        self.init(rawValue: arguments[1])
    }

    /// Lines of at most 80 columns.
    var text: String {
        switch self {
        case .exitCodes:
            """
            The exit code tells a script what happened; with --json the last line says more.

            \(ExitStatus.table)
            """
        case .configuration:
            """
            Nothing needs to be configured. An option counts more than a variable of the
            environment, that more than a line HYBRID_...=value in the user's file, and that
            more than one in the system's:

              $XDG_CONFIG_HOME/hybrid/hybrid.conf, or ~/.config/hybrid/hybrid.conf
              /etc/hybrid/hybrid.conf

            `hybrid config show` tells each value, and where it comes from. The names:

            \(Setting.table)

            What weakens approval stands on the command line only. HYBRID_CONFIG=none lets
            no file be read.
            """
        }
    }
}
