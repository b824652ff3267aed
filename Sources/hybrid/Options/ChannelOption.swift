public import ArgumentParser
import BluetoothLE
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

    /// What connects and listens over Bluetooth; nil where that is not wanted, or the radio is a simulated one.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    func nearby(with radio: RadioOption, for channel: ChannelChoice) throws -> L2CAPChannels? {
        guard channel != .webSocket else { return nil }
        if case .simulated = try radio.name.radio(), channel == .any { return nil }
        return try radio.channels()
    }
}

extension RadioOption {
    /// What connects and listens over Bluetooth.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    func channels() throws -> L2CAPChannels {
        switch try name.radio() {
        case .bluez: L2CAPChannels(try adapter.selection())
        case .kernel: .withoutBlueZ(try adapter.selection())
        case .simulated: throw Failure.usage("the simulated radio carries adverts alone", hint: "leave out --radio")
        }
    }
}

extension ChannelChoice: ExpressibleByArgument {}
