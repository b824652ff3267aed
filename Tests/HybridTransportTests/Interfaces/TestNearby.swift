import HybridProtocol
import HybridTransport
import Synchronization

/// Bluetooth in memory: one listening channel, and channels that cut messages into pieces.
final class TestNearby: NearbyConnector, NearbyListener {
    /// The outcome of an attempt to listen or to connect.
    enum Answer: Sendable {
        case open
        case hang
        case refuse
    }

    /// The place of a client's terminators: behind each message, in a piece of their own, or nowhere.
    enum Terminators: CaseIterable {
        case behind, apart, none

        func pieces(_ message: [UInt8]) -> [[UInt8]] {
            let bare = Array(message.dropLast(MessageAssembler.terminator.count))
            return switch self {
            case .behind: [message]
            case .apart: [bare, MessageAssembler.terminator]
            case .none: [bare]
            }
        }
    }

    private struct State {
        var waiting: [TestChannel] = []
        var acceptor: CheckedContinuation<TestChannel?, Never>?
        var isListening = false
        var connectCount = 0
        var sentByteCounts: [Int] = []
    }

    private let resources: ResourceCounter
    private let pieceByteCount: Int
    private let onListen: Answer
    private let onConnect: Answer
    private let terminators: Terminators
    private let state = Mutex(State())

    static let psm: UInt16 = 0x80

    init(
        _ resources: ResourceCounter, pieceByteCount: Int = 512, onListen: Answer = .open, onConnect: Answer = .open,
        terminators: Terminators = .behind
    ) {
        self.resources = resources
        self.pieceByteCount = pieceByteCount
        self.onListen = onListen
        self.onConnect = onConnect
        self.terminators = terminators
    }

    var connectCount: Int { state.withLock { $0.connectCount } }
    /// The lengths of the authenticator's messages, terminators included.
    var sentByteCounts: [Int] { state.withLock { $0.sentByteCounts } }
    var isListening: Bool { state.withLock { $0.isListening } }

    func listen() async throws -> any ListeningChannel {
        guard onListen == .open else { throw RadioError(.noLowEnergy, reason: "as told") }
        state.withLock { $0.isListening = true }
        return Listening(nearby: self)
    }

    func connect(to address: BluetoothAddress, psm: UInt16) async throws -> any DataChannel {
        state.withLock { $0.connectCount += 1 }
        switch onConnect {
        case .open: break
        case .hang: try await Task.sleep(for: .seconds(3_600))
        case .refuse: throw DataChannelError(.unreachable, reason: "as told")
        }
        guard psm == Self.psm, address.kind == .random, isListening else {
            throw DataChannelError(.unreachable, reason: "nobody listens")
        }
        let cut: @Sendable (Int, [UInt8]) -> TestChannel.Fate = { [pieceByteCount] _, message in
            .replaced(
                stride(from: 0, to: message.count, by: pieceByteCount).map {
                    Array(message[$0..<min($0 + pieceByteCount, message.count)])
                })
        }
        let noteAndCut: @Sendable (Int, [UInt8]) -> TestChannel.Fate = { [weak self] number, message in
            self?.state.withLock { $0.sentByteCounts.append(message.count) }
            return cut(number, message)
        }
        let marked: @Sendable (Int, [UInt8]) -> TestChannel.Fate = { [terminators] number, message in
            terminators == .behind ? cut(number, message) : .replaced(terminators.pieces(message))
        }
        let (client, authenticator) = TestChannel.pair(resources, marked, noteAndCut, keepsMessagesWhole: false)
        let acceptor = state.withLock { state -> CheckedContinuation<TestChannel?, Never>? in
            defer { state.acceptor = nil }
            if state.acceptor == nil { state.waiting.append(authenticator) }
            return state.acceptor
        }
        acceptor?.resume(returning: authenticator)
        return client.handOut()
    }

    private func accept() async -> TestChannel? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: TestChannel?? = state.withLock { state in
                    if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                    guard state.isListening, !Task.isCancelled else { return .some(nil) }
                    state.acceptor = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            end(closing: false)
        }
    }

    private func end(closing: Bool) {
        let acceptor = state.withLock { state in
            if closing { state.isListening = false }
            defer { state.acceptor = nil }
            return state.acceptor
        }
        acceptor?.resume(returning: nil)
    }

    private struct Listening: ListeningChannel {
        let nearby: TestNearby

        var psm: UInt16 { TestNearby.psm }

        func accept() async throws(DataChannelError) -> any DataChannel {
            guard let channel = await nearby.accept() else {
                throw DataChannelError(Task.isCancelled ? .cancelled : .closed, reason: "listens no longer")
            }
            return channel.handOut()
        }

        func close() async { nearby.end(closing: true) }
    }
}
