internal import Encodings

/// A connector of ``DataChannel``s to authenticators nearby, without a tunnel service. For a client.
///
/// Source: CTAP 2.3 section 11.5.1.1 (the BLE channel); the article L2CAP of HybridProtocol.
package protocol NearbyConnector: Sendable {
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
package protocol NearbyListener: Sendable {
    /// Listens from now on; the caller closes the result.
    ///
    /// - Throws: ``DataChannelError``; ``RadioError`` for an adapter that cannot be used; `CancellationError`.
    func listen() async throws -> any ListeningChannel
}

/// A listening L2CAP channel, to which clients nearby can connect.
package protocol ListeningChannel: Sendable {
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

/// The address of a Bluetooth Low Energy device, and of which kind it is: a connection needs both.
///
/// Source: Bluetooth Core Specification, volume 6 part B section 1.3.
package struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    /// The kind of an address, by its origin.
    package enum Kind: String, Hashable, Sendable {
        /// The manufacturer's, for good.
        case `public`
        /// Drawn by the device, and changed when it likes.
        case random
    }

    /// The length of an address: 6 bytes.
    package static let byteCount = 6

    /// The 6 bytes in the order in which they are written, the most significant first.
    package let bytes: [UInt8]
    /// Public or random.
    package let kind: Kind

    /// Makes an address of 6 bytes, the most significant first; nil if there are more or fewer.
    package init?(_ bytes: [UInt8], _ kind: Kind) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
        self.kind = kind
    }

    /// Reads `AA:BB:CC:DD:EE:FF`, in either case; nil if it is anything else.
    package init?(_ text: String, _ kind: Kind) {
        let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pairs.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }) else { return nil }
        self.init(pairs.compactMap { UInt8($0, radix: 16) }, kind)
    }

    /// `AA:BB:CC:DD:EE:FF`.
    package var description: String { bytes.map { Hexadecimal.encode([$0], .upperCase) }.joined(separator: ":") }
}
