internal import HybridProtocol
internal import Synchronization

/// A channel of pieces to a client for which a piece is a message: nothing marks a message's end (HT-BLE-29).
final class UnterminatedChannel: DataChannel {
    /// The outcome of a read.
    typealias Received = Result<[UInt8], DataChannelError>

    let keepsMessagesWhole = true
    private let channel: any DataChannel
    /// A read that is under way: it cannot be given up without the channel, so the first reader gets its piece.
    private let reading: Mutex<Task<Received, Never>?>

    init(_ channel: any DataChannel, reading: Task<Received, Never>) {
        self.channel = channel
        self.reading = Mutex(reading)
    }

    var counts: MessageCounts { channel.counts }

    func send(_ message: [UInt8]) async throws(DataChannelError) { try await channel.send(message) }

    func send(contentsOf messages: [[UInt8]]) async throws(DataChannelError) {
        try await channel.send(contentsOf: messages)
    }

    func receive() async throws(DataChannelError) -> [UInt8] {
        guard let reading = reading.withLock({ $0.take() }) else { return try await channel.receive() }
        return try await withTaskCancellationHandler(operation: { await reading.value }, onCancel: reading.cancel).get()
    }

    func close(after last: [UInt8]) async { await channel.close(after: last) }

    func close() async { await channel.close() }
}

extension ClientArrival {
    /// The longest time from a handshake message to its terminator. libwebauthn writes that at once, but as an SDU of
    /// its own, which may be lost on the air and come again.
    private static let terminatorLimit = Duration.seconds(1)

    /// The arrival with a channel that ends messages as the client does (HT-BLE-29). Until it is answered, the client
    /// sends nothing but the terminator of its message.
    ///
    /// - Throws: ``DataChannelError``, ``HybridProtocolError``, `CancellationError`.
    func withClientsTerminators(_ context: CeremonyContext) async throws -> ClientArrival {
        guard !channel.keepsMessagesWhole, assembler.rest.isEmpty else { return self }
        let (readings, read) = AsyncStream<Void>.makeStream()
        let reading = Task { [channel] () -> UnterminatedChannel.Received in
            defer { read.yield() }
            do throws(DataChannelError) {
                return .success(try await channel.receive())
            } catch {
                return .failure(error)
            }
        }
        let hasCome = try await context.within(Self.terminatorLimit, endedBy: { read.finish() }) {
            for await _ in readings { return true }
            return false
        }
        guard !Task.isCancelled else {
            reading.cancel()
            throw CancellationError()
        }
        guard hasCome else { return replacing(UnterminatedChannel(channel, reading: reading), assembler) }
        var assembler = assembler
        try assembler.append(await reading.value.get())
        return replacing(channel, assembler)
    }
}
