internal import LinuxSupport

/// Sandboxes and containers that have a file system of their own.
enum SystemSandbox {
    /// The files by which Flatpak, Podman and Docker can be recognised.
    private static let marks = ["/.flatpak-info", "/run/.containerenv", "/.dockerenv"]
    private static let snapVariable = "SNAP"

    /// True if this process is in one.
    static var isPresent: Bool {
        marks.contains(where: SystemFile.exists) || ProcessEnvironment.value(snapVariable) != nil
    }
}
