internal import Encodings
internal import LinuxSupport
internal import Subprocess
internal import Synchronization

/// The two ends of a shim's standard streams: lines that it has written, and lines that it shall read. Nothing that it
/// writes is trusted.
final class ShimPipe: Sendable {
    private struct State {
        var line: [UInt8] = []
        var lineCount = 0
        var byteCount = 0
        /// The number of lines that were taken.
        var takenCount = 0
    }

    private let state = Mutex(State())
    private let lines = Mailbox<[UInt8]>()
    private let fault = Mutex<ShimFault?>(nil)
    private let output = Mailbox<[UInt8]>()
    private let delivery: Delivery?
    private let probe: StandardInputProbe?

    /// The most lines of one process.
    static let mostLines = 10_000
    /// The most bytes of one process: 64 MiB.
    static let mostBytes = 64 << 20
    /// The time that a shim has to exit after its last line.
    static let exitTime = Duration.seconds(2)
    private static let lineEnd = UInt8(ascii: "\n")

    /// - Parameters:
    ///   - probe: tells what the shim has not read; nil if it has closed its standard input.
    ///   - record: that of the case.
    init(_ probe: StandardInputProbe?, _ record: CaseRecord) {
        self.probe = probe
        delivery =
            record.needsDelivery
            ? record.track { delivery, isLast in
                if probe?.isRead == true { delivery.settle() } else if isLast { delivery.giveUp(isAcknowledged: true) }
            } : nil
    }

    /// Takes bytes that the shim has written.
    ///
    /// - Returns: false if they are too many, or cannot be a line: nothing more is taken.
    func take(_ bytes: [UInt8]) -> Bool {
        let found: ShimFault? = state.withLock { state in
            func fault(_ reason: String) -> ShimFault { ShimFault(reason, line: state.lineCount + 1) }
            state.byteCount += bytes.count
            if state.byteCount > Self.mostBytes { return fault("it has written more than 64 MiB") }
            for part in bytes.split(separator: Self.lineEnd, omittingEmptySubsequences: false).enumerated() {
                if part.offset > 0 {
                    if state.lineCount == Self.mostLines {
                        return fault("it is one of more than \(Self.mostLines) lines")
                    }
                    state.lineCount += 1
                    lines.put(state.line)
                    state.line = []
                }
                state.line += part.element
                if state.line.count > ShimLine.longest { return fault("it is longer than 4 MiB") }
            }
            return nil
        }
        guard let found else { return true }
        fault.withLock { $0 = found }
        lines.finish()
        return false
    }

    /// Notes that the shim writes no more.
    func finishLines() { lines.finish() }

    /// The next line.
    ///
    /// - Returns: nil if no more comes.
    /// - Throws: ``ShimFault``, `CancellationError`.
    func next() async throws -> ShimLine? {
        guard let bytes = try await lines.next() else {
            if let fault = fault.withLock({ $0 }) { throw fault }
            return nil
        }
        delivery?.received(isAcknowledged: true, unreadByteCount: probe?.unreadByteCount)
        let number = state.withLock { state in
            state.takenCount += 1
            return state.takenCount
        }
        do throws(ShimFault) { return try ShimLine(bytes) } catch {
            throw ShimFault(error.reason, line: number)
        }
    }

    /// A fault of the line that was taken last.
    func fault(_ reason: String) -> ShimFault { ShimFault(reason, line: state.withLock { $0.takenCount }) }

    /// Sends a line.
    ///
    /// - Parameters:
    ///   - type: its type.
    ///   - members: its other members.
    ///   - mustArrive: false of one that the shim need not read.
    func send(_ type: String, _ members: [(String, JSONValue)], mustArrive: Bool = true) {
        let members = [("type", .string(type))] + members
        let line = Array((JSONValue.object(members.map { JSONValue.Member($0, $1) }).text + "\n").utf8)
        if mustArrive { delivery?.willSend(byteCount: line.count) }
        output.put(line)
    }

    /// Notes that the shim has said its last.
    func settle() {
        if probe?.isRead == true { delivery?.settle() } else { delivery?.reset() }
    }

    /// Sends no more.
    func finishSending() { output.finish() }

    /// Writes the lines that are sent, until there are no more, or the shim has closed its standard input.
    func write(to writer: StandardInputWriter) async {
        while let line = try? await output.next() {
            guard (try? await writer.write(line)) != nil else { break }
        }
        try? await writer.finish()
    }
}
