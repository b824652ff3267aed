internal import Synchronization

/// The end of the standard error of one case's command: where the cause of a deviation is looked for.
final class StandardErrorTail: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// The number of programs that may still write.
        var writerCount = 0
    }

    private let state = Mutex(State())

    /// The number of lines that are kept, the last ones.
    static let lineLimit = 20
    /// The number of bytes in which these lines are.
    static let byteLimit = 4 << 10
    /// The number of bytes that are kept, the last ones: 1 MiB.
    static let wholeLimit = 1 << 20

    private static let lineEnd = UInt8(ascii: "\n")
    private static let carriageReturn: Unicode.Scalar = "\r"
    private static let pollInterval = Duration.milliseconds(5)
    private static let glanceCount = 50

    /// Notes that a program writes from now on.
    func begin() { state.withLock { $0.writerCount += 1 } }

    /// Notes that a program writes no more.
    func end() { state.withLock { $0.writerCount -= 1 } }

    /// Takes bytes that a program has written.
    func put(_ bytes: [UInt8]) {
        state.withLock { state in
            state.bytes += bytes
            if state.bytes.count > Self.wholeLimit * 2 { state.bytes.removeFirst(state.bytes.count - Self.wholeLimit) }
        }
    }

    /// All that is kept.
    var whole: [UInt8] { state.withLock { Array($0.bytes.suffix(Self.wholeLimit)) } }

    /// The last lines, as they were written, without their ends; no empty ones.
    var lines: [String] {
        let bytes = state.withLock { $0.bytes.suffix(Self.byteLimit) }
        return bytes.split(separator: Self.lineEnd).suffix(Self.lineLimit).map { line in
            var text = String(decoding: line, as: UTF8.self)
            if text.unicodeScalars.last == Self.carriageReturn { text.unicodeScalars.removeLast() }
            return text
        }
    }

    /// Waits until all that was written is here: a quarter of a second at most, since something that a command has
    /// started, and that outlives it, may keep its standard error open.
    func settle() async {
        for _ in 0..<Self.glanceCount {
            guard state.withLock({ $0.writerCount }) > 0 else { return }
            try? await Task.sleep(for: Self.pollInterval)
        }
    }
}
