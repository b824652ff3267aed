import CommandLine

extension HelpTopic {
    /// The settings, and where they are made.
    static let configuration = Self(
        "configuration",
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
        """)
}
