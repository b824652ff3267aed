import CommandLine
import Glibc

/// A program that runs some of this one's commands in its place. Its package has its name.
struct OtherProgram: Equatable, Sendable {
    let name: String

    static let tunnelService = Self(name: "hybrid-tunnel-service")
    static let conformance = Self(name: "hybrid-conformance")

    /// The folder into which the packages install programs.
    private static let packaged = "/usr/bin"
    private static let writableByOthers: mode_t = S_IWGRP | S_IWOTH

    /// A line for the help of a command that it runs.
    var discussion: String { "The program \(name) runs it." }

    /// Puts the program in the place of this process, with open files, environment and signals as they are.
    ///
    /// - Parameter command: the command that it is to run, as the user calls it.
    /// - Returns: the reason for which that cannot be; nothing has changed then.
    func takeOver(_ arguments: [String], for command: String) -> Failure {
        let folders = [OwnProgram.folder, Self.packaged].compactMap(\.self)
        for folder in folders {
            let path = "\(folder)/\(name)"
            var status = stat()
            // A link could lead to a program that was never meant for these arguments.
            guard lstat(path, &status) == 0 else { continue }
            guard Self.isTrusted(status) else {
                return Failure(
                    .usage, code: "untrusted-program", cause: "\(path) is not run: others could have put it there",
                    hint: "install the package \(name), or move that file away")
            }
            execute(path, arguments)
            return Failure(
                .failure, code: "unusable-program", cause: "\(path) cannot be run: \(SystemError.last)",
                hint: "reinstall the package \(name)")
        }
        return Failure(
            .usage, code: "not-installed", cause: "\(command) is in the package \(name), which is not installed",
            hint: "sudo apt install ./\(name)_*.deb; in a source tree, swift build --product \(name)")
    }

    /// True for a regular file that nobody could have put there who could not have changed this program as well.
    private static func isTrusted(_ file: stat) -> Bool {
        var own = stat()
        guard stat(OwnProgram.file, &own) == 0, file.st_mode & S_IFMT == S_IFREG else { return false }
        guard file.st_uid == 0 || file.st_uid == own.st_uid else { return false }
        let writers = file.st_mode & writableByOthers
        return writers & ~(own.st_mode & writableByOthers) == 0
            && (writers & S_IWGRP == 0 || file.st_gid == own.st_gid)
    }

    /// Returns only if it fails.
    private func execute(_ path: String, _ arguments: [String]) {
        var words: [UnsafeMutablePointer<CChar>?] = ([name] + arguments).map { strdup($0) } + [nil]
        execv(path, &words)
    }
}
