internal import Glibc

/// Something that takes any bytes, and says so by ``finding(_:)`` when what it knows of the code under it is not true.
struct FuzzTarget: Sendable {
    /// As on the command line, and the name of its corpus.
    let name: String
    /// The purpose, for the list.
    let about: String
    /// The longest input that is tried.
    let maxByteCount: Int
    private let body: @Sendable (inout FuzzInput) throws -> Void

    init(
        _ name: String, _ about: String, maxByteCount: Int = 4_096,
        _ body: @escaping @Sendable (inout FuzzInput) throws -> Void
    ) {
        self.name = name
        self.about = about
        self.maxByteCount = maxByteCount
        self.body = body
    }

    /// Tries one input. An error that comes out is a finding: refusals are the target's to expect.
    func run(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        do { try body(&input) } catch { finding("\(name) threw \(error)") }
    }
}

/// Ends the process, so that libFuzzer keeps the input.
func finding(_ what: String) -> Never {
    let line = Array("FINDING: \(what)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    abort()
}

/// Reports a finding unless something holds.
func expect(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { finding(what()) }
}

/// Values of the environment.
enum Environment {
    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
