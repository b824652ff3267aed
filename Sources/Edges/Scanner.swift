/// Something that can hear hybrid adverts: BlueZ, the kernel, or a simulated radio.
///
/// Source: CTAP 2.2 section 11.5.1 (the BLE advertisement); PROTOCOL.md 4.3.
public protocol Scanner: Sendable {
    /// Scans while `body` runs, and never longer.
    ///
    /// The scan is running before `body` begins, and over before this returns or throws, whatever the way out.
    ///
    /// - Parameter body: gets every advert under ``ServiceUUID/fido`` and ``ServiceUUID/google`` as it is heard, foreign
    ///   ones and repetitions included. The sequence ends with ``RadioError`` if the radio goes away. A reader that
    ///   is too slow loses the oldest adverts, not memory: they are repeated on the air anyway.
    /// - Returns: what `body` returned.
    /// - Throws: ``RadioError`` if the scan could not start; otherwise what `body` threw.
    func scan<Result: Sendable>(
        _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Result
    ) async throws -> Result
}

/// Adverts in the order in which they were heard; ends by throwing ``RadioError`` if the radio goes away.
public typealias ReceivedAdverts = AsyncThrowingStream<ReceivedAdvert, any Error>

/// One advert as it came from the air: not yet opened, and most often somebody else's.
public struct ReceivedAdvert: Sendable, Hashable {
    /// The 16-bit service under which it was sent.
    public let service: ServiceUUID
    /// The service data: 20 bytes and a suffix for a well-formed advert, anything from a hostile one.
    public let serviceData: [UInt8]
    /// Who sent it, as the radio names its senders: a Bluetooth address, or host and port for a simulated radio.
    public let sender: String
    /// The sender's address, where an L2CAP channel can be opened; nil if the radio has none.
    public let address: BluetoothAddress?

    /// Makes a received advert.
    public init(service: ServiceUUID, serviceData: [UInt8], sender: String, address: BluetoothAddress? = nil) {
        self.service = service
        self.serviceData = serviceData
        self.sender = sender
        self.address = address
    }
}

/// A 16-bit Bluetooth service UUID under which hybrid adverts are sent.
public struct ServiceUUID: RawRepresentable, Hashable, Sendable {
    /// The 16-bit number.
    public let rawValue: UInt16

    /// Makes a service UUID from its 16-bit number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// `FFF9`, the FIDO Alliance's: every authenticator should send it.
    public static let fido = Self(rawValue: 0xFFF9)
    /// `FDE2`, Google's: sent by early Chromium and by iOS 16, and still to be heard.
    public static let google = Self(rawValue: 0xFDE2)
}
