public import ArgumentParser
import BluetoothLE
import Edges
public import HybridTransport

/// Which data channels may be used.
struct ChannelOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How the devices talk: websocket, through a tunnel service; l2cap, over Bluetooth alone; any, over Bluetooth if "
                + "both can. A client offers websocket and an authenticator any, unless told.", valueName: "channel"))
    var channel: ChannelChoice?

    /// What a client offers: over Bluetooth only if it is told, because two BlueZ that have just parted can lose what is sent.
    var offered: ChannelChoice { channel ?? .webSocket }
    /// What an authenticator accepts of a client's offer.
    var accepted: ChannelChoice { channel ?? .any }

    /// What connects and listens over Bluetooth; nil where that is not wanted.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    func nearby(with radio: RadioOption, for channel: ChannelChoice) throws -> NearbyChannels? {
        channel == .webSocket ? nil : try radio.channels()
    }
}

/// What both connects and listens over Bluetooth.
typealias NearbyChannels = any NearbyConnector & NearbyListener

extension RadioOption {
    /// What connects and listens over Bluetooth.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    func channels() throws -> NearbyChannels {
        switch try name.radio() {
        case .bluez: L2CAPChannels(try adapter.selection())
        case .kernel: L2CAPChannels.withoutBlueZ(try adapter.selection())
        case .simulated(let list): try SimulatedChannels(at: addresses(list))
        }
    }

    /// The same, with the adapter chosen now, once and for all.
    ///
    /// - Throws: ``Failure``, ``RadioError``; `CancellationError`.
    func settledChannels() async throws -> NearbyChannels {
        let channels = try channels()
        guard let overAdapter = channels as? L2CAPChannels else { return channels }
        return try await overAdapter.settled()
    }
}

extension ChannelChoice: ExpressibleByArgument {}
