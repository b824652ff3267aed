import ArgumentParser
import CommandLine
import Glibc
import LinuxSupport
import SystemPackage

/// The socket between a browser's machine and this one.
struct BrowserSocketOption: ParsableArguments {
    @Option(
        help: .saying(
            "The socket, in a directory that is yours alone. (default: $XDG_RUNTIME_DIR/hybrid/browser.socket)",
            valueName: "path"), completion: .file())
    var socket: String?

    /// The path.
    ///
    /// - Throws: ``Failure`` without an option, and without a runtime directory.
    func path() throws -> String {
        if let socket { return socket.hasPrefix("/") ? socket : "./\(socket)" }
        guard let directory = ProcessEnvironment.value("XDG_RUNTIME_DIR"), directory.hasPrefix("/") else {
            throw Failure.usage("XDG_RUNTIME_DIR is not set", hint: "give --socket")
        }
        return "\(directory)/hybrid/browser.socket"
    }
}

/// A UNIX socket, both of whose ends are this user's: the kernel says so (SO_PEERCRED).
enum BrowserSocket {
    private static let backlog: Int32 = 16

    /// Listens at a path, whose directory is made if it is missing. A socket that a killed service left
    /// behind is removed.
    ///
    /// - Throws: ``Failure`` for a directory of others, for a path that is taken.
    static func listen(at path: String) throws -> Int32 {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        _ = mkdir(folder, 0o700)
        var found = stat()
        guard lstat(folder, &found) == 0, found.st_mode & S_IFMT == S_IFDIR, found.st_uid == getuid(),
            found.st_mode & 0o077 == 0
        else {
            throw Failure(
                .file, code: "socket-directory", cause: "\(folder) is not a directory of yours alone",
                hint: "chmod 700 it, or give --socket in another directory")
        }
        if lstat(path, &found) == 0 { try clear(path, found) }
        let file = try make()
        // Nobody can connect before it listens.
        guard withAddress(path, { bind(file, $0, $1) }) == 0, chmod(path, 0o600) == 0,
            Glibc.listen(file, backlog) == 0
        else {
            let failure = unusable(path)
            close(file)
            throw failure
        }
        return file
    }

    /// Connects to a path.
    ///
    /// - Throws: ``Failure`` if nobody listens, or another user does.
    static func connect(to path: String) throws -> Int32 {
        let file = try make()
        guard withAddress(path, { Glibc.connect(file, $0, $1) }) == 0 else {
            let failure = unusable(path)
            close(file)
            throw failure
        }
        guard isOwn(file) else {
            close(file)
            throw Failure(
                .file, code: "foreign-socket", cause: "another user listens at \(path)",
                hint: "forward the socket into a directory of yours alone")
        }
        return file
    }

    /// True if the other end of a connected socket is this user's.
    static func isOwn(_ file: Int32) -> Bool {
        // struct ucred: the process, the user and the group, 4 bytes each.
        var credentials: [UInt32] = [0, .max, 0]
        let size = socklen_t(MemoryLayout<UInt32>.size * credentials.count)
        var count = size
        return getsockopt(file, SOL_SOCKET, SO_PEERCRED, &credentials, &count) == 0 && count == size
            && credentials[1] == getuid()
    }

    private static func clear(_ path: String, _ found: stat) throws {
        guard found.st_mode & S_IFMT == S_IFSOCK, found.st_uid == getuid() else {
            throw Failure(
                .file, code: "path-taken", cause: "\(path) exists, and is not a socket of yours",
                hint: "remove it, or give another --socket")
        }
        let file = try make()
        defer { close(file) }
        guard withAddress(path, { Glibc.connect(file, $0, $1) }) != 0, errno == ECONNREFUSED else {
            throw Failure(
                .file, code: "runs-already", cause: "another process listens at \(path) already",
                hint: "end the other one, or give another --socket")
        }
        unlink(path)
    }

    private static func make() throws -> Int32 {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
        let file = socket(AF_UNIX, Int32(kind), 0)
        guard file >= 0 else { throw unusable("a socket") }
        return file
    }

    private static func unusable(_ path: String) -> Failure {
        Failure(
            .file, code: "input-output", cause: "\(path) cannot be used: \(Errno.last)",
            hint: "check --socket, and that the other side runs: hybrid client serve-browser, and ssh -R")
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { field in
            guard name.count < field.count else { return false }
            field.copyBytes(from: name)
            return true
        }
        guard fits else {
            errno = ENAMETOOLONG
            return -1
        }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
