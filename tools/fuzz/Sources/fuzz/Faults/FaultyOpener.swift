internal import Edges

/// A tunnel service that refuses, dawdles, or names a routing ID of its own choice, and whose channels have faults.
struct FaultyOpener: TunnelOpener {
    /// What is wrong with the opening.
    enum Trouble: Sendable {
        case none
        case refused
        case late(milliseconds: Int)
        case routingID(String?)

        init(_ input: inout FuzzInput) {
            switch input.number(below: 16) {
            case 13: self = .refused
            case 14: self = .late(milliseconds: input.number(below: 80))
            case 15: self = .routingID(input.bool() ? nil : String(decoding: input.counted(atMost: 8), as: UTF8.self))
            default: self = .none
            }
        }
    }

    let opener: any TunnelOpener
    let trouble: Trouble
    let faults: [Fault]
    let noteDamage: @Sendable (Int) -> Void

    func open(_ url: String, contact: ContactHeaders?) async throws(DataChannelError) -> OpenedTunnel {
        switch trouble {
        case .refused: throw DataChannelError(.upgradeRefused, reason: "as the input says", httpStatus: 503)
        case .late(let milliseconds): try? await Task.sleep(for: .milliseconds(milliseconds))
        case .none, .routingID: break
        }
        let tunnel = try await opener.open(url, contact: contact)
        var routingIDHeader = tunnel.routingIDHeader
        if case .routingID(let header) = trouble { routingIDHeader = header }
        return OpenedTunnel(
            channel: FaultyChannel(tunnel.channel, faults, noteDamage), routingIDHeader: routingIDHeader)
    }
}
