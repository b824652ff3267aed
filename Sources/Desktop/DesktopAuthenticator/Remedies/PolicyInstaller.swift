internal import Glibc

/// The command with which an administrator lets polkit's dialogue say what a user is asked.
enum PolicyInstaller {
    private static let packaged = "/usr/sbin/hybrid-install-policy"

    /// The package's if it is installed, or else that of the sources.
    static var command: String {
        access(packaged, X_OK) == 0 ? "sudo hybrid-install-policy" : "sudo tools/install-policy"
    }
}
