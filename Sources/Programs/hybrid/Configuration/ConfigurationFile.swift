import CommandLine
import Glibc
import LinuxSupport
import SystemPackage

/// A file of settings: a line `HYBRID_…=value` each, empty ones, and comments that begin with `#`.
struct ConfigurationFile: Sendable {
    let path: String
    /// The lines that count, in their order: of each key the last one.
    private(set) var lines: [Line] = []
    /// The lines of keys that stood there before.
    private(set) var repeated: [Line] = []

    /// A line `KEY=value`.
    struct Line: Sendable {
        let key: String
        let value: String
        /// Its number in the file, from 1 on.
        let number: Int
    }

    private static let longest = 1 << 16
    private static let keyBytes = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".utf8)

    /// Reads a file; nil if there is none.
    ///
    /// - Throws: ``Failure`` for one that others may have written, or that has other lines.
    init?(path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else {
            guard errno != ENOENT, errno != ENOTDIR else { return nil }
            throw Self.failure("\(path) cannot be read: \(Errno.last)", hint: "check who may read it")
        }
        defer { close(file) }
        self.path = path
        try Self.checkOwner(of: file, path)
        let bytes: [UInt8]
        do {
            bytes = try StandardStreams.read(limit: Self.longest, from: file)
        } catch {
            throw Self.failure("\(path) cannot be read: \(error)", hint: "check the file")
        }
        guard bytes.count < Self.longest else {
            throw Self.failure("\(path) has \(Self.longest) bytes or more", hint: "a settings file has a few lines")
        }
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            try note(line, number: index + 1)
        }
    }

    /// The line with the value of a key; nil if it has none, or an empty one.
    func value(_ key: String) -> Line? { lines.first { $0.key == key && !$0.value.isEmpty } }

    private mutating func note(_ line: ArraySlice<UInt8>, number: Int) throws {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        func trimmed(_ text: ArraySlice<UInt8>) -> [UInt8] {
            text.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        }
        let line = line.drop(while: isSpace)
        guard let first = line.first, first != UInt8(ascii: "#") else { return }
        func refused(_ reason: Sentence) -> Failure {
            Self.failure("\(path), line \(number): \(reason)", hint: "write it as \(Setting.all[0].key)=value")
        }
        let isText = line.allSatisfy { $0 >= 0x20 && $0 != 0x7F || isSpace($0) }
        guard isText else { throw refused("it has control characters, such as the line ends of another system") }
        guard String(validating: line, as: UTF8.self) != nil else {
            throw Self.failure("\(path), line \(number): it is not in UTF-8", hint: "save the file in UTF-8")
        }
        let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = parts.first.map({ trimmed($0) }), !name.isEmpty,
            name.allSatisfy(Self.keyBytes.contains)
        else { throw refused("it is not KEY=value") }
        let value = trimmed(parts[1])
        if let quote = value.first, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(quote) {
            throw refused("a value has no quotes")
        }
        let new = Line(
            key: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self), number: number)
        if let earlier = lines.firstIndex(where: { $0.key == new.key }) {
            lines.remove(at: earlier)
            repeated.append(new)
        }
        lines.append(new)
    }

    /// Refuses a file that another user may have written.
    private static func checkOwner(of file: Int32, _ path: String) throws {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw failure("\(path) is not a file of settings", hint: "move it away")
        }
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            throw failure(
                "\(path) belongs to another user (number \(status.st_uid)), who could change what this command does",
                hint: "with sudo, give -H, so that root's own settings count; otherwise chown \(geteuid()) \(path)")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw failure("users other than its owner may write \(path)", hint: "chmod go-w \(path)")
        }
    }

    private static func failure(_ cause: Sentence, hint: Sentence) -> Failure {
        Failure(.file, code: "configuration", cause: cause, hint: hint)
    }
}
