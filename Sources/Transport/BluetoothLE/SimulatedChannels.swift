package import HybridProtocol
internal import LinuxSupport

/// L2CAP channels of the simulated radio: local sockets, whose packets are SDUs.
///
/// As with Bluetooth, a listener gets a PSM of 0x80 to 0xFF, one write is one SDU of up to 16,384 bytes, and a longer
/// one ends the channel. Devices of the simulated radio have no addresses of their own: a listener is found by its
/// radio's address. See <doc:JoiningTheSimulatedRadio>.
package struct SimulatedChannels: NearbyConnector, NearbyListener {
    /// The PSMs that listeners get: the dynamic ones of Low Energy (Bluetooth Core Specification, volume 3 part A
    /// section 4.22).
    package static let psms: ClosedRange<UInt16> = 0x80...0xFF
    /// The longest SDU, in bytes.
    package static let longestSDU = L2CAPSocket.longestSDU

    /// The addresses of the radio: where an authenticator listens, or where a client connects, which has only one.
    package let addresses: [SimulatedRadioAddress]

    /// Makes channels; nothing is opened yet.
    ///
    /// - Parameter addresses: 1…``SimulatedRadioAddress/longestList`` addresses: for a client, where it scans; for an
    ///   authenticator, where it sends its advert.
    /// - Throws: `RadioError` with `invalid-address` if there are none or too many.
    package init(at addresses: [SimulatedRadioAddress]) throws(RadioError) {
        self.addresses = try SimulatedRadioAddress.checked(addresses)
    }

    /// Connects to a listener; see `NearbyConnector/connect(to:psm:)`.
    ///
    /// - Parameters:
    ///   - address: the advert's sender. It is not needed.
    ///   - psm: one of ``psms``.
    /// - Throws: `DataChannelError` with `unreachable`; `CancellationError`.
    package func connect(to address: BluetoothAddress, psm: UInt16) async throws -> any DataChannel {
        try Task.checkCancellation()
        guard Self.psms.contains(psm), let radio = addresses.first else {
            throw DataChannelError(.unreachable, reason: "PSM \(psm) is not one of Low Energy's")
        }
        let socket = try SimulatedChannelSocket()
        try socket.connect(to: radio, psm: psm)
        return try await L2CAPChannel.over(socket)
    }

    /// Listens at all addresses, under the first PSM that is free at each; see `NearbyListener/listen()`.
    ///
    /// - Throws: `DataChannelError` with `unreachable`; `CancellationError`.
    package func listen() async throws -> any ListeningChannel {
        try Task.checkCancellation()
        for psm in Self.psms {
            if let sockets = try sockets(psm) {
                return L2CAPListeningChannel(sockets, psm: psm, wakePipe: try .forChannel())
            }
        }
        throw DataChannelError(.unreachable, reason: "no PSM is free at \(addresses)")
    }

    /// Sockets that listen under a PSM at each address; nil if it is taken at one of them.
    private func sockets(_ psm: UInt16) throws(DataChannelError) -> [SimulatedChannelSocket]? {
        var sockets: [SimulatedChannelSocket] = []
        for address in addresses {
            let socket = try SimulatedChannelSocket()
            guard try socket.listen(at: address, psm: psm) else { return nil }
            sockets.append(socket)
        }
        return sockets
    }
}
