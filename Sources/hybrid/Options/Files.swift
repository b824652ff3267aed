import FoundationEssentials

/// Reads a whole file of at most `maximumByteCount` bytes.
///
/// - Throws: ``Failure``.
func readFile(_ path: String, maximumByteCount: Int = 1 << 20) throws -> [UInt8] {
    do {
        let data = try Data(contentsOf: URL(filePath: path))
        guard data.count <= maximumByteCount else {
            throw Failure(.file, code: "file", cause: "\(path) is larger than \(maximumByteCount) bytes")
        }
        return Array(data)
    } catch let failure as Failure {
        throw failure
    } catch {
        throw Failure(.file, code: "file", cause: "\(path) cannot be read", hint: "check the path and its permissions")
    }
}

/// Writes a whole file, replacing what was there.
///
/// - Throws: ``Failure``.
func writeFile(_ bytes: [UInt8], to path: String) throws {
    do {
        try Data(bytes).write(to: URL(filePath: path), options: .atomic)
    } catch {
        throw Failure(
            .file, code: "file", cause: "\(path) cannot be written", hint: "check the folder and its permissions")
    }
}
