import CTAP
import Glibc
import LinuxSupport
import SecurityKey
import Testing

/// The programs that use a key, at the other end of its channel of reports.
final class Programs: Sendable {
    /// Longer than anything takes that comes at all.
    private static let limit = Duration.seconds(60)

    let file: Int32

    /// Takes the programs' end of a channel, which it closes in the end.
    init(_ file: Int32) { self.file = file }

    deinit { close(file) }

    /// Ends the channel, as if the programs were gone.
    func shutDown() { shutdown(file, Int32(SHUT_RDWR)) }

    /// Two ends of a channel of whole messages.
    static func pair() throws -> (Int32, Int32) {
        var files: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &files) == 0)
        return (files[0], files[1])
    }

    /// Runs `body` beside a key, and demands that the key ends normally when it is told to.
    static func with(
        _ application: any SecurityKeyApplication, onWink wink: (@Sendable () -> Void)? = nil,
        _ body: (Programs) async throws -> Void
    ) async throws {
        let (ours, theirs) = try pair()
        let key = SecurityKeyDevice(
            over: BrokerReportChannel(taking: theirs), version: CTAPHIDDeviceVersion(major: 1, minor: 2, build: 3),
            application: application, onWink: wink)
        let running = Task { try await key.run() }
        let outcome: Result<Void, any Error>
        let programs = Programs(ours)
        do { outcome = .success(try await body(programs)) } catch { outcome = .failure(error) }
        running.cancel()
        let end = await running.result
        extendLifetime(programs)
        try outcome.get()
        try end.get()
    }

    /// Sends a message as it is.
    func write(_ message: [UInt8]) throws {
        try #require(send(file, message, message.count, Int32(MSG_NOSIGNAL)) == message.count)
    }

    /// The next message of the key; nil if it has ended.
    func read() async throws -> [UInt8]? {
        let file = file
        let message: [UInt8]? = try await withCheckedThrowingContinuation { continuation in
            do {
                try PollThread.start {
                    let ready = PollThread.poll([(file, Int32(POLLIN))], atMost: Self.limit)
                    guard ready[0] != 0 else { return continuation.resume(throwing: Late()) }
                    var bytes = [UInt8](repeating: 0, count: 128)
                    let count = recv(file, &bytes, bytes.count, Int32(MSG_DONTWAIT))
                    continuation.resume(returning: count > 0 ? Array(bytes.prefix(count)) : nil)
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        return message
    }

    /// Hands the first reports of messages to `body`, whatever channel they are of, until it returns false.
    func readReports(
        _ body: (CTAPHIDChannel, CTAPHIDCommand, ArraySlice<UInt8>) throws -> Bool
    ) async throws {
        while let report = try await read() {
            guard report.count == CTAPHIDReport.byteCount, report[4] & 0x80 != 0 else { continue }
            let channel = report[0..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let command = CTAPHIDCommand(rawValue: report[4])
            guard try body(CTAPHIDChannel(rawValue: channel), command, report[7...]) else { return }
        }
    }

    private struct Late: Error {}

    /// Outcome of a message.
    struct Answer: Equatable {
        let event: CTAPHIDExchange.Event
        /// The statuses of the keep-alives before, each once.
        let statuses: [CTAPHIDKeepAliveStatus]
    }

    /// Waits for the answer to a message that was sent.
    func answer(
        to exchange: inout CTAPHIDExchange, onKeepAlive: (CTAPHIDKeepAliveStatus) throws -> Void = { _ in }
    ) async throws -> Answer {
        var statuses: [CTAPHIDKeepAliveStatus] = []
        while let report = try await read() {
            switch try exchange.receive(report) {
            case .keepAlive(let status):
                if statuses.last != status { statuses.append(status) }
                try onKeepAlive(status)
            case let event?: return Answer(event: event, statuses: statuses)
            case nil: break
            }
        }
        throw SecurityKeyError(.ended, reason: "no answer")
    }

    /// Sends a message, and waits for its answer.
    func call(
        _ command: CTAPHIDCommand, _ payload: [UInt8] = [], on channel: CTAPHIDChannel
    ) async throws -> Answer {
        var exchange = try begin(command, payload, on: channel)
        return try await answer(to: &exchange)
    }

    /// Sends a message.
    func begin(
        _ command: CTAPHIDCommand, _ payload: [UInt8] = [], on channel: CTAPHIDChannel
    ) throws -> CTAPHIDExchange {
        let exchange =
            command == .initialize
            ? try CTAPHIDExchange(initializing: channel, nonce: payload)
            : try CTAPHIDExchange(channel: channel, command: command, payload: payload)
        for report in exchange.reports { try write(report) }
        return exchange
    }

    /// Has a channel allocated.
    func open() async throws -> CTAPHIDChannel {
        guard case .response(let payload) = try await call(.initialize, Self.nonce, on: .broadcast).event else {
            throw SecurityKeyError(.failed, reason: "no channel")
        }
        return try CTAPHIDInitialization(payload).channel
    }

    static let nonce: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
}
