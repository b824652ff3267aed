import Foundation
import LinuxSupport
import Testing

@Suite struct PrivateFileTests {
    private typealias Problem = PrivateFile.Problem

    /// Number of a user who is not the one that runs the tests; only root can give a file to them.
    private static let otherUser: uid_t = 65_534

    private static func inFolder(_ body: (String) throws -> Void) throws { try AtomicFileTests.inFolder(body) }

    private static func contents(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    private static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private static func problem(_ body: () throws(PrivateFile.Problem) -> Void) -> PrivateFile.Problem? {
        do throws(PrivateFile.Problem) { try body() } catch { return error }
        return nil
    }

    private static func appending(_ path: String) -> PrivateFile.Problem? {
        problem { () throws(PrivateFile.Problem) in _ = try PrivateFile.appending(to: path) }
    }

    private static func replacing(_ path: String) -> PrivateFile.Problem? {
        problem { () throws(PrivateFile.Problem) in try PrivateFile.replacing(path).write(Array("new".utf8)) }
    }

    @Test("Several writers append to one file, which is its owner's only")
    func appended() throws {
        try Self.inFolder { folder in
            let path = folder + "/f"
            let (one, other) = (try PrivateFile.appending(to: path), try PrivateFile.appending(to: path))
            #expect(one.beginning(byteCount: 9).isEmpty)
            for file in [one, other, one] { try file.writeAtOnce(Array("line\n".utf8).span) }
            #expect(Self.contents(path) == "line\nline\nline\n")
            #expect(try Self.mode(path) == 0o600)
            #expect(try PrivateFile.appending(to: path).beginning(byteCount: 4) == Array("line".utf8))
        }
    }

    @Test("What was there is replaced, and so are its permissions")
    func replaced() throws {
        try Self.inFolder { folder in
            let path = folder + "/f"
            #expect(Self.replacing(path) == nil)
            #expect(try Self.mode(path) == 0o600)
            try Data("longer than the new one".utf8).write(to: URL(filePath: path))
            chmod(path, 0o644)
            #expect(Self.replacing(path) == nil)
            #expect(Self.contents(path) == "new")
            #expect(try Self.mode(path) == 0o600)
        }
    }

    @Test("A link in the way is not followed, to a file or to nothing")
    func links() throws {
        try Self.inFolder { folder in
            let (target, link, dangling) = (folder + "/target", folder + "/link", folder + "/dangling")
            try Data("kept".utf8).write(to: URL(filePath: target))
            chmod(target, 0o600)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: folder + "/no")
            let file = open(target, O_RDONLY)
            defer { close(file) }
            for path in [link, dangling, "/proc/self/fd/\(file)"] {
                let tooManyLinks = Problem.system(String(cString: strerror(ELOOP)))
                #expect(Self.replacing(path) == tooManyLinks, "\(path)")
                #expect(Self.appending(path) == tooManyLinks, "\(path)")
            }
            #expect(Self.contents(target) == "kept")
            #expect(!FileManager.default.fileExists(atPath: folder + "/no"))
        }
    }

    @Test("A link of the system's to a pipe is a way to give a secret to another program")
    func openPipes() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        #expect(Self.replacing("/proc/self/fd/\(ends[1])") == nil)
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(ends[0], &bytes, bytes.count) == 3)
        #expect(Self.appending("/proc/self/fd/\(ends[1])") == .system(String(cString: strerror(ELOOP))))
    }

    @Test("A directory is no file, and a pipe or a device is none that is appended to")
    func kinds() throws {
        try Self.inFolder { folder in
            let isDirectory = Problem.system(String(cString: strerror(EISDIR)))
            #expect(Self.replacing(folder) == isDirectory)
            #expect(Self.appending(folder) == isDirectory)
            let fifo = folder + "/pipe"
            mkfifo(fifo, 0o600)
            #expect(Self.appending(fifo) == .notRegular)
            #expect(Self.appending("/dev/null") == .notRegular)
            #expect(Self.replacing("/dev/null") == nil)
            // One's own pipe is one's own choice; somebody reads it.
            let reader = open(fifo, O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            #expect(Self.replacing(fifo) == nil)
            guard geteuid() == 0 else { return }
            chown(fifo, Self.otherUser, Self.otherUser)
            #expect(Self.replacing(fifo) == .otherOwner)
        }
    }

    @Test("A file of another user is neither written nor emptied", .enabled(if: geteuid() == 0))
    func owners() throws {
        try Self.inFolder { folder in
            let path = folder + "/f"
            try Data("theirs".utf8).write(to: URL(filePath: path))
            chmod(path, 0o600)
            chown(path, Self.otherUser, Self.otherUser)
            #expect(Self.replacing(path) == .otherOwner)
            #expect(Self.appending(path) == .otherOwner)
            #expect(Self.contents(path) == "theirs")
        }
    }

    @Test("Nothing is appended to a file that others can use", arguments: [0o640, 0o604, 0o620, 0o666] as [mode_t])
    func exposed(mode: mode_t) throws {
        try Self.inFolder { folder in
            let path = folder + "/f"
            try Data().write(to: URL(filePath: path))
            chmod(path, mode)
            #expect(Self.appending(path) == .exposed)
        }
    }

    @Test("A full disk, and a directory that is missing, are told in the system's words")
    func failures() {
        #expect(Self.replacing("/dev/full") == .system(String(cString: strerror(ENOSPC))))
        let missing = "cannot be written: " + String(cString: strerror(ENOENT))
        #expect(Self.replacing("/nowhere/f")?.description == missing)
        #expect(Self.appending("/nowhere/f")?.description == missing)
    }
}
