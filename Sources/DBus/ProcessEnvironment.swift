internal import Glibc

/// What the system says to this process: variables and small files.
package enum ProcessEnvironment {
    /// The longest file that is read, in bytes: those of sysfs are one line.
    private static let longestFile = 256

    /// A variable of the environment; nil if it is missing or empty.
    package static func value(_ name: String) -> String? {
        guard let text = getenv(name) else { return nil }
        let value = String(cString: text)
        return value.isEmpty ? nil : value
    }

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The first line of a small file; nil if it cannot be read.
    package static func firstLine(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: longestFile)
        let count = read(file, &bytes, longestFile)
        guard count > 0 else { return nil }
        let line = bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: line, as: UTF8.self)
    }
}
