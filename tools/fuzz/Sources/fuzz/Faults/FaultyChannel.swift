internal import Edges
internal import Synchronization

/// A channel whose sender's messages meet faults, by their number.
final class FaultyChannel: DataChannel {
    private struct State {
        var faults: [Fault]
        var sentCount = 0
        var held: [UInt8]?
        var damaged: Set<Int> = []
    }

    private let channel: any DataChannel
    private let state: Mutex<State>
    private let noteDamage: @Sendable (Int) -> Void

    var keepsMessagesWhole: Bool { channel.keepsMessagesWhole }

    /// - Parameter noteDamage: is told the number of each message that does not arrive as it was sent, in its place.
    init(_ channel: any DataChannel, _ faults: [Fault], _ noteDamage: @escaping @Sendable (Int) -> Void) {
        self.channel = channel
        self.noteDamage = noteDamage
        state = Mutex(State(faults: faults))
    }

    func send(_ message: [UInt8]) async throws(DataChannelError) {
        let (number, fault, held) = state.withLock { state in
            defer {
                state.sentCount += 1
                state.held = nil
            }
            let fault = state.sentCount < state.faults.count ? state.faults[state.sentCount] : .none
            return (state.sentCount, fault, state.held)
        }
        switch fault {
        case .none: try await channel.send(message)
        case .lost: noteDamage(number)
        case .altered(let recipe):
            let altered = Fault.apply(recipe, to: message)
            if altered != message { noteDamage(number) }
            if !altered.isEmpty { try await channel.send(altered) }
        case .repeated:
            try await channel.send(message)
            try await channel.send(message)
            noteDamage(number + 1)
        case .overtaken:
            noteDamage(number)
            state.withLock { $0.held = message }
        case .late(let milliseconds):
            try? await Task.sleep(for: .milliseconds(milliseconds))
            try await channel.send(message)
        case .closed:
            noteDamage(number)
            await channel.close()
        case .broken:
            noteDamage(number)
            await channel.close()
            throw DataChannelError(.connectionLost, reason: "as the input says")
        }
        if let held { try await channel.send(held) }
    }

    func receive() async throws(DataChannelError) -> [UInt8] { try await channel.receive() }

    func close() async { await channel.close() }
}
