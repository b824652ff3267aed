internal import HybridProtocol
internal import HybridTransport

/// A tunnel service that refuses, dawdles, says nothing, or names a routing ID of its own choice, and whose channels
/// have faults.
struct FaultyOpener: TunnelOpener {
    /// Fault of the opening.
    enum Trouble: Sendable {
        case none
        case refused(DataChannelError)
        case late(milliseconds: Int)
        /// No answer comes, as long as somebody waits.
        case silent
        case routingID(String?)

        init(_ input: inout FuzzInput) {
            switch input.number(below: 16) {
            case 12: self = .silent
            case 13: self = .refused(.drawn(&input))
            case 14: self = .late(milliseconds: input.number(below: Fault.longestDelay))
            case 15: self = .routingID(input.bool() ? nil : String(decoding: input.counted(atMost: 8), as: UTF8.self))
            default: self = .none
            }
        }

        var isNone: Bool { if case .none = self { true } else { false } }
    }

    let opener: any TunnelOpener
    let trouble: Trouble
    let faults: ChannelFaults
    let noteDamage: @Sendable (Int) -> Void

    /// True if it says that there is nobody any more.
    var saysGone: Bool { if case .refused(let error) = trouble { error.code == .gone } else { false } }

    func open(_ request: TunnelRequest) async throws(DataChannelError) -> OpenedTunnel {
        switch trouble {
        case .refused(let error): throw error
        case .late(let milliseconds): try? await Task.sleep(for: .milliseconds(milliseconds))
        case .silent:
            try? await Task.sleep(for: .seconds(3_600))
            throw DataChannelError(.cancelled, reason: "cancelled")
        case .none, .routingID: break
        }
        let tunnel = try await opener.open(request)
        var routingIDHeader = tunnel.routingIDHeader
        if case .routingID(let header) = trouble { routingIDHeader = header }
        return OpenedTunnel(
            channel: FaultyChannel(tunnel.channel, faults, noteDamage), routingIDHeader: routingIDHeader,
            signalsConnection: tunnel.signalsConnection)
    }
}
