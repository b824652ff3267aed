internal import Glibc
internal import SystemPackage

/// Files of the system: the kernel's own small ones, of sysfs and procfs, and those of packages.
package enum SystemFile {
    /// The most bytes that are read: these files have one line.
    private static let maxByteCount = 256
    private static let chunkByteCount = 1 << 16

    /// True if there is a file at this path that can be seen.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The contents of a file; nil if it cannot be read, or has more bytes than the limit.
    package static func contents(of path: String, limit: Int) -> [UInt8]? {
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
            return try file.closeAfter {
                var contents: [UInt8] = []
                var chunk = [UInt8](repeating: 0, count: chunkByteCount)
                while contents.count <= limit {
                    let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
                    if count == 0 { return contents }
                    contents += chunk.prefix(count)
                }
                return nil
            }
        } catch {
            return nil
        }
    }

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
