internal import Glibc
internal import SystemPackage

/// The kernel's own small files, of sysfs and procfs.
package enum SystemFile {
    /// Length of what is read, in bytes: these files have one line.
    private static let maxByteCount = 256

    /// True if there is a file at this path that can be seen.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The first line of a file, without its end; nil if it cannot be read.
    package static func firstLine(of path: String) -> String? {
        // A file that cannot be read is one without a first line.
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec) else { return nil }
        defer { close(file.rawValue) }
        var bytes = [UInt8](repeating: 0, count: maxByteCount)
        let count = bytes.withUnsafeMutableBytes { read(file.rawValue, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
