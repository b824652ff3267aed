internal import DBus

/// Whether this process is in a sandbox or container that has a file system of its own.
enum SystemSandbox {
    /// What Flatpak, Podman and Docker put there.
    private static let marks = ["/.flatpak-info", "/run/.containerenv", "/.dockerenv"]
    private static let snapVariable = "SNAP"

    static var isPresent: Bool {
        marks.contains(where: ProcessEnvironment.exists) || ProcessEnvironment.value(snapVariable) != nil
    }
}
