public import ArgumentParser
import BluetoothLE
import CeremonyOptions
public import HybridTransport

/// The data channels that may be used.
struct ChannelOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How the devices talk: websocket, through a tunnel service; l2cap, over Bluetooth alone; any, over "
                + "Bluetooth if both can. A client offers websocket and an authenticator any, unless told.",
            valueName: "channel"))
    var channel: ChannelChoice?

    /// The channels that a client offers: Bluetooth only on request, because two BlueZ that have just disconnected can
    /// lose what is sent.
    var offered: ChannelChoice { channel ?? .webSocket }
    /// The channels that an authenticator accepts of a client's offer.
    var accepted: ChannelChoice { channel ?? .any }

    /// The connector and listener for Bluetooth; nil where that is not wanted.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    func nearby(with radio: RadioOption, for channel: ChannelChoice) throws -> NearbyChannels? {
        channel == .webSocket ? nil : try radio.channels()
    }
}

/// A connector and listener for Bluetooth.
typealias NearbyChannels = any NearbyConnector & NearbyListener

extension RadioOption {
    /// The connector and listener for Bluetooth.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    func channels() throws -> NearbyChannels {
        switch radio {
        case .bluez: L2CAPChannels(try selection())
        case .kernel: L2CAPChannels.withoutBlueZ(try selection())
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
