internal import Glibc
internal import LinuxSupport
internal import SystemPackage

/// A directory that only its owner can use: in memory, if the login has one.
enum PrivateFolder {
    private static let template = "hybrid-screen-XXXXXX"
    private static let fileName = "picture.png"

    /// Runs `body` with the path of a file that does not exist yet. It is removed afterwards, and its directory.
    static func withFile<Value>(_ body: (_ path: String) async throws -> Value) async throws -> Value {
        let folder = try make()
        let file = "\(folder)/\(fileName)"
        defer {
            unlink(file)
            rmdir(folder)
        }
        return try await body(file)
    }

    private static func make() throws -> String {
        let parent = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(parent)/\(template)".utf8CString)
        guard mkdtemp(&path) != nil else {
            throw AgentError(
                code: "input-output", cause: "\(parent) cannot be written to: \(Errno(rawValue: errno))",
                remedy: .checkRuntimeDirectory)
        }
        return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
