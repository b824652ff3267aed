// The common part of shims in Swift: JSON lines on standard input and output, and operations by name.
import Foundation

typealias Members = [String: Any]
struct Unsupported: Error {}

extension Data {
    init(hex: String) {
        self.init(stride(from: 0, to: hex.utf8.count, by: 2).map { UInt8(hex.dropFirst($0).prefix(2), radix: 16) ?? 0 })
    }
    var hex: String { map { String(format: "%02x", $0) }.joined() }
}

extension Members {
    func data(_ name: String) -> Data { Data(hex: self[name] as? String ?? "") }
    func number(_ name: String) -> Int { self[name] as? Int ?? 0 }
    func text(_ name: String) -> String { self[name] as? String ?? "" }
}

/// Answers each operation with its function's result for the input, or with its error.
func serve(_ name: String, _ operations: [String: @Sendable (Members) async throws -> Members]) async throws {
    func say(_ members: Members) throws {
        FileHandle.standardOutput.write(try JSONSerialization.data(withJSONObject: members) + Data("\n".utf8))
    }
    try say(["type": "hello", "shim": 1, "name": name, "operations": Array(operations.keys)])
    while let text = readLine(), let line = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? Members {
        guard let operation = operations[line.text("operation")] else { continue }
        do {
            try say(["type": "result", "output": try await operation(line["input"] as? Members ?? [:])])
        } catch {
            try say(["type": error is Unsupported ? "unsupported" : "error", "reason": "\(error)"])
        }
    }
}
