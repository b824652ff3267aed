internal import Glibc

/// The file system, as far as vectors are read from it.
package enum Folder {
    /// The names of a directory's entries, in no order.
    ///
    /// - Throws: `unreadable`.
    package static func names(in path: String) throws(VectorError) -> [String] {
        guard let directory = opendir(path) else {
            throw VectorError(.unreadable, reason: "\(path) cannot be read as a directory")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
                })
        }
        return names
    }

    /// A file's bytes.
    ///
    /// - Throws: `unreadable`, also for a file of more than `limit` bytes.
    static func contents(of path: String, limit: Int) throws(VectorError) -> [UInt8] {
        guard let file = fopen(path, "re") else { throw VectorError(.unreadable, reason: "\(path) cannot be read") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: pieceByteCount)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 {
            bytes += piece.prefix(count)
            guard bytes.count <= limit else {
                throw VectorError(.unreadable, reason: "\(path) is larger than any file of vectors")
            }
        }
        guard ferror(file) == 0 else { throw VectorError(.unreadable, reason: "\(path) cannot be read") }
        return bytes
    }

    private static let pieceByteCount = 1 << 16
}
