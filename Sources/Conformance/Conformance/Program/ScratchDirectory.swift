internal import FoundationEssentials

/// An empty directory of a case's own, which is gone with all that is in it when the case is over.
enum ScratchDirectory {
    private static let ownerOnly = 0o700

    static func with<Value: Sendable>(_ body: (String) async throws -> Value) async throws -> Value {
        // Where there is no /dev/urandom, Foundation's UUIDs are all the same.
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "hybrid-conformance-\(UInt64.random(in: 0...UInt64.max))")
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: ownerOnly])
        } catch {
            throw RunnerError(.cannotStart, reason: "no directory can be made at \(directory.path)")
        }
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(directory.path)) } catch { outcome = .failure(error) }
        try? FileManager.default.removeItem(at: directory)
        return try outcome.get()
    }
}
