internal import Glibc

/// The place of a program, as a shell would find it.
package enum ProgramPath {
    private static let standard = "/usr/local/bin:/usr/bin:/bin"

    /// Finds a program.
    ///
    /// - Parameter name: its name, which is searched for in PATH, or its path if it has a slash.
    /// - Returns: the path of a file that may be executed; nil if there is none.
    package static func find(_ name: String) -> String? {
        guard !name.contains("/") else { return isProgram(name) ? name : nil }
        guard !name.isEmpty else { return nil }
        return (ProcessEnvironment.value("PATH") ?? standard).split(separator: ":")
            .lazy.map { "\($0)/\(name)" }.first(where: isProgram)
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
