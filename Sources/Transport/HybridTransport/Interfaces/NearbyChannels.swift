/// A connector of ``DataChannel``s to authenticators nearby, without a tunnel service. For a client.
///
/// Source: CTAP 2.3 section 11.5.1.1 (the BLE channel); the article L2CAP of HybridProtocol.
public protocol NearbyConnector: Sendable {
    /// Connects to an authenticator that listens.
    ///
    /// - Parameters:
    ///   - address: the sender of its advert.
    ///   - psm: the number under which it listens: 1 to 65535.
    /// - Returns: the open channel. It need not keep messages whole.
    /// - Throws: ``DataChannelError``: `unreachable`, `timeout` after seconds; ``RadioError`` for an adapter that
    ///   cannot be used; `CancellationError`. No connection is left.
    func connect(to address: BluetoothAddress, psm: UInt16) async throws -> any DataChannel
}

/// A listener for clients nearby, without a tunnel service. For an authenticator.
///
/// Source: as of ``NearbyConnector``.
public protocol NearbyListener: Sendable {
    /// Listens from now on; the caller closes the result.
    ///
    /// - Throws: ``DataChannelError``; ``RadioError`` for an adapter that cannot be used; `CancellationError`.
    func listen() async throws -> any ListeningChannel
}

/// A listening L2CAP channel, to which clients nearby can connect.
public protocol ListeningChannel: Sendable {
    /// The number under which clients find it: 1 to 65535. The system gives it.
    var psm: UInt16 { get }

    /// Waits for the next client.
    ///
    /// - Returns: the open channel. It need not keep messages whole.
    /// - Throws: ``DataChannelError``: `cancelled`; `closed` after ``close()``.
    func accept() async throws(DataChannelError) -> any DataChannel

    /// Listens no longer. Accepted channels stay open. Closing twice is harmless.
    func close() async
}
