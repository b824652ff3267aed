import CommandLine
import LinuxSupport

extension HelpTopic {
    /// The settings, and where they are made.
    static let configuration = Self(
        "configuration",
        """
        Nothing needs to be configured. An option overrides a variable of the
        environment, which overrides a line HYBRID_...=value in the user's file, which
        overrides a line in the system's file:

          $XDG_CONFIG_HOME/hybrid/hybrid.conf, or ~/.config/hybrid/hybrid.conf
          /etc/hybrid/hybrid.conf

        `hybrid config show` lists each value and its source. The names:

        \(Setting.table)

        Options that weaken approval are for the command line only. With
        HYBRID_CONFIG=none, no file is read.
        """)
}
