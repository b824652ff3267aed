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

    /// Describes the reason for which a program that cannot be started is none.
    ///
    /// - Parameter path: its path.
    /// - Returns: nil if nothing is there.
    package static func obstacle(at path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        if status.st_mode & S_IFMT == S_IFDIR { return "it is a directory" }
        return access(path, X_OK) == 0 ? "the interpreter that it names is missing" : "it may not be executed"
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
