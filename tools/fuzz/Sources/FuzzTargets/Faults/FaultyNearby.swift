internal import HybridProtocol
internal import HybridTransport

/// Bluetooth that does not listen, does not connect, or dawdles, and whose channels have faults; for one of the two
/// sides.
struct FaultyNearby: NearbyConnector, NearbyListener {
    /// Fault of it.
    enum Trouble: Sendable {
        case none
        case refused(DataChannelError)
        case late(milliseconds: Int)
        /// Nothing happens, as long as somebody waits.
        case silent

        init(_ input: inout FuzzInput) {
            switch input.number(below: 16) {
            case 13: self = .refused(.drawn(&input))
            case 14: self = .late(milliseconds: input.number(below: Fault.longestDelay))
            case 15: self = .silent
            default: self = .none
            }
        }

        var isNone: Bool { if case .none = self { true } else { false } }

        fileprivate func pass() async throws(DataChannelError) {
            switch self {
            case .none: break
            case .refused(let error): throw error
            case .late(let milliseconds): try? await Task.sleep(for: .milliseconds(milliseconds))
            case .silent:
                try? await Task.sleep(for: .seconds(3_600))
                throw DataChannelError(.cancelled, reason: "cancelled")
            }
        }
    }

    let nearby: TestNearby
    let trouble: Trouble
    let faults: ChannelFaults
    let noteDamage: @Sendable (Int) -> Void

    func connect(to address: BluetoothAddress, psm: UInt16) async throws -> any DataChannel {
        try await trouble.pass()
        return FaultyChannel(try await nearby.connect(to: address, psm: psm), faults, noteDamage)
    }

    func listen() async throws -> any ListeningChannel {
        if case .refused = trouble { try await trouble.pass() }
        return Listening(channel: try await nearby.listen(), nearby: self)
    }

    private struct Listening: ListeningChannel {
        let channel: any ListeningChannel
        let nearby: FaultyNearby

        var psm: UInt16 { channel.psm }

        func accept() async throws(DataChannelError) -> any DataChannel {
            try await nearby.trouble.pass()
            return FaultyChannel(try await channel.accept(), nearby.faults, nearby.noteDamage)
        }

        func close() async { await channel.close() }
    }
}
