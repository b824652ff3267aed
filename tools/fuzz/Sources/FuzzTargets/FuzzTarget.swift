internal import Glibc

/// A function that takes any bytes, and calls ``finding(_:)`` when a property of the code under it does not hold.
package struct FuzzTarget: Sendable {
    /// As on the command line, and the name of its corpus.
    package let name: String
    /// The purpose, for the list.
    package let about: String
    /// The longest input that is tried.
    package let maxByteCount: Int
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

    /// The most that an execution may cost.
    package var bound: FuzzBound {
        guard let bound = FuzzBound.all[name] else { finding("\(name) has no bound") }
        return bound
    }

    /// Tries one input. An error that comes out is a finding: refusals are the target's to expect.
    package func run(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        do { try body(&input) } catch { finding("\(name) threw \(error)") }
    }
}

/// Ends the process, so that libFuzzer keeps the input.
package func finding(_ what: String) -> Never {
    let line = Array("FINDING: \(what)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    abort()
}

/// Reports a finding unless something holds.
func expect(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { finding(what()) }
}
