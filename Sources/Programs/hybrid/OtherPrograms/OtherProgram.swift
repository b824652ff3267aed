import CommandLine
import Glibc
import LinuxSupport
import SystemPackage

/// A program that runs some of this one's commands in its place. Its package has its name.
struct OtherProgram: Equatable, Sendable {
    let name: String
    /// The folder into which its package installs it.
    let packaged: String

    private init(name: String, packaged: String = "/usr/bin") {
        self.name = name
        self.packaged = packaged
    }

    static let tunnelService = Self(name: "hybrid-tunnel-service")
    static let conformance = Self(name: "hybrid-conformance")
    /// The window of the package hybrid-desktop, which only this program starts.
    static let window = Self(name: "hybrid-window", packaged: "/usr/libexec")

    private static let writableByOthers: mode_t = S_IWGRP | S_IWOTH

    /// A line for the help of a command that it runs.
    var discussion: Sentence { "The program \(name) runs it." }

    /// Puts the program in the place of this process, with open files, environment and signals as they are.
    ///
    /// - Parameter command: the command to run, as the user calls it.
    /// - Returns: the reason for which that cannot be; nothing has changed then.
    func takeOver(_ arguments: [String], for command: String) -> Failure {
        for path in places {
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
                .failure, code: "unusable-program", cause: "\(path) cannot be run: \(Errno.last)",
                hint: "reinstall the package \(name)")
        }
        return Failure(
            .usage, code: "not-installed", cause: "\(command) is in the package \(name), which is not installed",
            hint: "sudo apt install ./\(name)_*.deb; in a source tree, swift build --product \(name)")
    }

    /// Its path; nil if it is not installed, or others could have put it there.
    var path: String? {
        places.first { path in
            var status = stat()
            return lstat(path, &status) == 0 && Self.isTrusted(status)
        }
    }

    private var places: [String] { [OwnProgram.folder, packaged].compactMap(\.self).map { "\($0)/\(name)" } }

    /// True for a regular file that nobody could have put there who could not have changed this program as well.
    ///
    /// - Parameter user: may own it, too; nil for nobody else.
    static func isTrusted(_ file: stat, alsoOf user: uid_t? = nil) -> Bool {
        var own = stat()
        guard stat(OwnProgram.file, &own) == 0, file.st_mode & S_IFMT == S_IFREG else { return false }
        guard file.st_uid == 0 || file.st_uid == own.st_uid || file.st_uid == user else { return false }
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
