import Foundation

/// A file as it is.
struct FileState {
    let path: String
    let mode: Int
    let bytes: [UInt8]

    init(_ path: String) throws {
        self.path = path
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
        bytes = Array(try Data(contentsOf: URL(filePath: path)))
    }

    /// Changes its contents alone.
    func overwrite(with bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path)) }
}

extension [UInt8] {
    func contains(sequence: [UInt8]) -> Bool {
        !sequence.isEmpty && indices.contains { self[$0...].starts(with: sequence) }
    }
}
