internal import LinuxSupport

/// Sandboxes and containers that have a file system of their own.
package enum SystemSandbox: String, Sendable, CaseIterable {
    case flatpak, snap, podman, docker

    private static let snapVariable = "SNAP"
    /// The label of the processes of a snap, where AppArmor is at work.
    private static let snapLabel = "snap."

    /// True for a sandbox, which keeps the system bus of the machine from its programs. A container may be a whole
    /// server that has none.
    package var hidesBus: Bool { self == .flatpak || self == .snap }

    /// The file by which it can be recognised; nil for Snap.
    private var mark: String? {
        switch self {
        case .flatpak: "/.flatpak-info"
        case .podman: "/run/.containerenv"
        case .docker: "/.dockerenv"
        case .snap: nil
        }
    }

    /// The one that this process is in; nil if it is in none.
    package static var current: Self? { allCases.first(where: \.isAround) }

    private var isAround: Bool {
        if let mark { return SystemFile.exists(mark) }
        guard ProcessEnvironment.value(Self.snapVariable) != nil else { return false }
        // The programs that a snap has started inherit the variable, inside and outside of its sandbox.
        return SystemFile.firstLine(of: "/proc/self/attr/current")?.hasPrefix(Self.snapLabel) ?? true
    }
}
