internal import HybridProtocol
internal import HybridTransport
internal import Synchronization

/// A channel whose sender's messages meet faults, by their number.
final class FaultyChannel: DataChannel {
    private struct State {
        var sentCount = 0
        var receivedCount = 0
        var held: (number: Int, message: [UInt8])?
    }

    private let channel: any DataChannel
    private let faults: ChannelFaults
    private let state = Mutex(State())
    private let noteDamage: @Sendable (Int) -> Void

    var keepsMessagesWhole: Bool { channel.keepsMessagesWhole }

    /// - Parameter noteDamage: is told the number of each message that does not arrive as it was sent, in its place.
    init(_ channel: any DataChannel, _ faults: ChannelFaults, _ noteDamage: @escaping @Sendable (Int) -> Void) {
        self.channel = channel
        self.faults = faults
        self.noteDamage = noteDamage
    }

    func send(_ message: [UInt8]) async throws(DataChannelError) {
        let (number, held) = state.withLock { state in
            defer {
                state.sentCount += 1
                state.held = nil
            }
            return (state.sentCount, state.held)
        }
        // Whether anything arrives in the place of this message, and so before one that is held.
        var arrives = true
        switch number < faults.ofMessages.count ? faults.ofMessages[number] : .none {
        case .none: try await channel.send(message)
        case .lost:
            noteDamage(number)
            arrives = false
        case .altered(let recipe):
            let altered = Fault.apply(recipe, to: message)
            if isDamaged(message, altered) { noteDamage(number) }
            arrives = !altered.isEmpty
            if arrives { try await channel.send(altered) }
        case .repeated:
            try await channel.send(message)
            try await channel.send(message)
            noteDamage(number + 1)
        case .overtaken:
            state.withLock { $0.held = (number, message) }
            arrives = false
        case .late(let milliseconds):
            try? await Task.sleep(for: .milliseconds(milliseconds))
            try await channel.send(message)
        case .closed:
            noteDamage(number)
            await channel.close()
        case .closedBehind:
            try await channel.send(message)
            noteDamage(number + 1)
            await channel.close()
        case .broken:
            noteDamage(number)
            await channel.close()
            throw DataChannelError(.connectionLost, reason: "as the input says")
        }
        guard let held else { return }
        if arrives { noteDamage(held.number) }
        try await channel.send(held.message)
    }

    func receive() async throws(DataChannelError) -> [UInt8] {
        let number = state.withLock { state in
            defer { state.receivedCount += 1 }
            return state.receivedCount
        }
        if let deafness = faults.deafness, number >= deafness.fromMessage { throw deafness.error }
        return try await channel.receive()
    }

    func close() async { await channel.close() }

    /// True if the received bytes are no longer the message. In a byte stream it still is if only its end is missing,
    /// or more comes behind it.
    private func isDamaged(_ message: [UInt8], _ altered: [UInt8]) -> Bool {
        keepsMessagesWhole
            ? altered != message : !altered.starts(with: message.dropLast(FaultyChannel.terminatorByteCount))
    }

    /// 0D 0A, which closes a message in a byte stream (HT-BLE-17).
    private static let terminatorByteCount = 2
}
