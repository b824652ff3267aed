import Foundation
import LinuxSupport
import Testing

@Suite struct AtomicFileTests {
    /// Runs in a folder of its own.
    static func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "hybrid-transport-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

    static func code(_ body: () throws -> Void) throws -> AtomicFileError.Code? {
        do {
            try body()
            return nil
        } catch let error as AtomicFileError {
            return error.code
        }
    }

    static func write(_ file: AtomicFile, _ contents: [UInt8]) throws {
        let lock = try file.lock()
        try file.replace(with: contents.span, lock)
    }

    static func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test("What was written is read, and nil where there is no file")
    func contents() throws {
        try Self.inFolder { folder in
            let file = AtomicFile(path: folder + "/f")
            #expect(try file.read(limit: 10) == nil)
            for contents in [[1, 2, 3], [], [UInt8](repeating: 7, count: 100_000)] as [[UInt8]] {
                try Self.write(file, contents)
                #expect(try file.read(limit: contents.count) == contents)
            }
            #expect(try Self.code { _ = try file.read(limit: 99_999) } == .tooLarge)
        }
    }

    @Test("Every change makes another file of it, and nothing else does")
    func identity() throws {
        try Self.inFolder { folder in
            let file = AtomicFile(path: folder + "/f")
            #expect(try file.identity() == nil)
            var seen: Set<AtomicFile.Identity> = []
            for number in UInt8(0)..<20 {
                try Self.write(file, [number])
                let identity = try #require(try file.identity())
                #expect(seen.insert(identity).inserted)
                _ = try file.read(limit: 1)
                #expect(try file.identity() == identity)
            }
        }
    }

    @Test("A file is made once, for its owner only, and nothing stays beside it")
    func creation() throws {
        try Self.inFolder { folder in
            let file = AtomicFile(path: folder + "/f")
            let (first, second): ([UInt8], [UInt8]) = ([1], [2])
            try file.create(with: first.span)
            #expect(try Self.code { try file.create(with: second.span) } == .exists)
            #expect(try file.read(limit: 10) == first)
            #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["f"])
        }
    }

    @Test("A new file is its owner's only, whatever was there and whatever a crash left")
    func mode() throws {
        try Self.inFolder { folder in
            let file = AtomicFile(path: folder + "/f")
            try Self.write(file, [1])
            try Self.setMode(0o644, file.path)
            try Data([9, 9]).write(to: URL(filePath: file.path + ".new"))
            try Self.write(file, [2])
            #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
            #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder)) == ["f", "f.lock"])
        }
    }

    @Test(
        "A file that others may use is refused as its access demands",
        arguments: [
            (0o600, nil, nil), (0o400, nil, nil), (0o644, AtomicFileError.Code.exposed, nil), (0o640, .exposed, nil),
            (0o620, .exposed, .exposed), (0o602, .exposed, .exposed), (0o666, .exposed, .exposed),
        ] as [(Int, AtomicFileError.Code?, AtomicFileError.Code?)])
    func exposed(mode: Int, ownerOnly: AtomicFileError.Code?, readable: AtomicFileError.Code?) throws {
        try Self.inFolder { folder in
            let path = folder + "/f"
            try Data([1]).write(to: URL(filePath: path))
            try Self.setMode(mode, path)
            #expect(try Self.code { _ = try AtomicFile(path: path).read(limit: 1) } == ownerOnly)
            let open = AtomicFile(path: path, access: .readableByOthers)
            #expect(try Self.code { _ = try open.read(limit: 1) } == readable)
        }
    }

    @Test("A symbolic link, a directory, a pipe and a device are not files")
    func kinds() throws {
        try Self.inFolder { folder in
            try Self.write(AtomicFile(path: folder + "/target"), [1])
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/link", withDestinationPath: folder + "/target")
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/dangling", withDestinationPath: folder + "/no")
            mkfifo(folder + "/pipe", 0o600)
            for path in [folder, folder + "/link", folder + "/dangling", folder + "/pipe", "/dev/null"] {
                #expect(try Self.code { _ = try AtomicFile(path: path).read(limit: 1) } == .notAFile, "\(path)")
            }
        }
    }

    @Test("One holder has the lock; it is free again when that one is done")
    func lock() throws {
        try Self.inFolder { folder in
            let file = AtomicFile(path: folder + "/f")
            do {
                let held = try file.lock()
                #expect(try Self.code { _ = try file.lock() } == .inUse)
                let start = ContinuousClock.now
                #expect(try Self.code { _ = try file.lock(timeout: .milliseconds(50)) } == .inUse)
                #expect(ContinuousClock.now - start >= .milliseconds(50))
                try file.replace(with: [UInt8]().span, held)
            }
            #expect(try Self.code { _ = try file.lock() } == nil)
        }
    }

    @Test("Programs that are started inherit no file")
    func notInherited() throws {
        try Self.inFolder { folder in
            let lock = try AtomicFile(path: folder + "/f").lock()
            #expect(fcntl(try Self.lockDescriptor(in: folder), F_GETFD) == FD_CLOEXEC)
            try AtomicFile(path: folder + "/f").replace(with: [UInt8]().span, lock)
        }
    }

    @Test("A lock that is given up is free, even if a process that is being started has its file")
    func sharedFile() throws {
        try Self.inFolder { folder in
            let file = AtomicFile(path: folder + "/f")
            let copy: Int32
            do {
                let lock = try file.lock()
                copy = dup(try Self.lockDescriptor(in: folder))
                try file.replace(with: [UInt8]().span, lock)
            }
            defer { close(copy) }
            #expect(try Self.code { _ = try file.lock() } == nil)
        }
    }

    private static func lockDescriptor(in folder: String) throws -> Int32 {
        let files = "/proc/self/fd"
        return try #require(
            try FileManager.default.contentsOfDirectory(atPath: files).first {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\($0)")) == folder + "/f.lock"
            }.flatMap { Int32($0) })
    }

    @Test("A process that waits gets the lock when it is given up")
    func lockTimeout() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "hybrid-transport-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = AtomicFile(path: folder.path + "/f")
        let (held, signal) = AsyncStream<Void>.makeStream()
        async let other: Void = {
            let lock = try file.lock()
            signal.finish()
            try await Task.sleep(for: .milliseconds(100))
            try file.replace(with: [UInt8]([1]).span, lock)
        }()
        for await _ in held {}
        let lock = try file.lock(timeout: .seconds(60))
        #expect(try file.read(limit: 1) == [1])
        try file.replace(with: [UInt8]([2]).span, lock)
        try await other
    }

    @Test("A replacement that fails leaves the file as it was")
    func failure() throws {
        try Self.inFolder { folder in
            let file = AtomicFile(path: folder + "/f")
            let lock = try file.lock()
            try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
            let contents: [UInt8] = [1]
            #expect(try Self.code { try file.replace(with: contents.span, lock) } == .inputOutput)
            #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder)) == ["f", "f.lock"])
            let nowhere = AtomicFile(path: folder + "/no/f")
            #expect(try Self.code { try nowhere.replace(with: contents.span, lock) } == .inputOutput)
            #expect(try Self.code { _ = try nowhere.lock() } == .inputOutput)
        }
    }

    @Test("Without a lock a file is replaced as well, and nothing stays beside it")
    func unlocked() throws {
        try Self.inFolder { folder in
            let file = AtomicFile(path: folder + "/f", access: .masked)
            try file.replace(with: "one")
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let mask = try #require(
                status.split(separator: "\n").first { $0.hasPrefix("Umask:") }
                    .flatMap { Int($0.dropFirst(6).trimmingCharacters(in: .whitespaces), radix: 8) })
            #expect(
                try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o666 & ~mask)
            _ = try file.replacement(with: [9])
            #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "one")
            try file.replacement(with: [2]).commit()
            #expect(try Data(contentsOf: URL(filePath: file.path)) == Data([2]))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["f"])
        }
    }

    @Test("A link in the way is replaced, not followed; a directory stays")
    func obstacles() throws {
        try Self.inFolder { folder in
            let (target, link) = (folder + "/target", folder + "/link")
            try Data([1]).write(to: URL(filePath: target))
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            try AtomicFile(path: link).replace(with: [2])
            #expect(try Data(contentsOf: URL(filePath: target)) == Data([1]))
            #expect(try AtomicFile(path: link).read(limit: 1) == [2])
            #expect(try Self.code { try AtomicFile(path: folder).replace(with: [1]) } == .inputOutput)
            #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder)) == ["target", "link"])
        }
    }

    @Test("Missing directories are made for their owner only")
    func directories() throws {
        try Self.inFolder { folder in
            let file = AtomicFile(path: folder + "/a/b/f")
            try file.makeDirectory()
            try file.makeDirectory()
            try Self.write(file, [1])
            for path in ["/a", "/a/b"] {
                let mode = try FileManager.default.attributesOfItem(atPath: folder + path)[.posixPermissions] as? Int
                #expect(mode == 0o700)
            }
            try AtomicFile(path: "f").makeDirectory()
            try AtomicFile(path: "/f").makeDirectory()
            #expect(try Self.code { try AtomicFile(path: file.path + "/c/f").makeDirectory() } == .inputOutput)
        }
    }
}
