import Foundation

/// A folder that exists as long as a closure runs.
enum TemporaryFolder {
    /// Makes a folder and gives its path.
    static func with<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "hybrid-transport-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder.path)
    }
}
