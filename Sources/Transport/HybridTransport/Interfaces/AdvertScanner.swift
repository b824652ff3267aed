/// Receiver of hybrid adverts: BlueZ, the kernel, or a simulated radio.
///
/// Source: CTAP 2.2 section 11.5.1 (the BLE advertisement); HT-ADV-17, HT-ADV-18.
public protocol AdvertScanner: Sendable {
    /// Scans while `body` runs, and never longer.
    ///
    /// The scan is running before `body` begins, and over before this returns or throws, whatever the way out.
    ///
    /// - Parameter body: gets every advert under ``ServiceUUID/fido`` and ``ServiceUUID/google`` as it is received,
    ///   foreign ones and repetitions included. The sequence ends with ``RadioError`` if the radio goes away. A reader
    ///   that is too slow loses the oldest adverts, not memory: they are repeated on the air anyway.
    /// - Returns: the value of `body`.
    /// - Throws: ``RadioError`` if the scan could not start; otherwise what `body` threw.
    func scan<Value: Sendable>(
        _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Value
    ) async throws -> Value
}

/// Adverts in the order in which they were received; ends by throwing ``RadioError`` if the radio goes away.
public typealias ReceivedAdverts = AsyncThrowingStream<ReceivedAdvert, any Error>

/// One advert as it was received: not yet decrypted, and most often of another session.
///
/// Two are equal if they are the same advert of the same sender, however strong its signal was.
public struct ReceivedAdvert: Sendable, Hashable {
    /// The 16-bit service under which it was sent.
    public let service: ServiceUUID
    /// The service data: 20 bytes and a suffix for a well-formed advert, anything from a hostile one.
    public let serviceData: [UInt8]
    /// The name that the radio gives its sender: a Bluetooth address, or host and port for a simulated radio.
    public let sender: String
    /// The sender's address, where an L2CAP channel can be opened; nil if the radio has none.
    public let address: BluetoothAddress?
    /// Strength of the received signal in dBm, -127…20; nil if the radio does not tell.
    ///
    /// Source: Bluetooth Core Specification, volume 4, part E, 7.7.65.2.
    public let rssi: Int?

    /// Makes a received advert.
    public init(
        service: ServiceUUID, serviceData: [UInt8], sender: String, address: BluetoothAddress? = nil, rssi: Int? = nil
    ) {
        self.service = service
        self.serviceData = serviceData
        self.sender = sender
        self.address = address
        self.rssi = rssi
    }

    /// True if both are the same advert of the same sender.
    public static func == (left: Self, right: Self) -> Bool {
        left.service == right.service && left.serviceData == right.serviceData && left.sender == right.sender
            && left.address == right.address
    }

    /// Hashes what makes two adverts the same.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(service)
        hasher.combine(serviceData)
        hasher.combine(sender)
        hasher.combine(address)
    }
}

/// A 16-bit Bluetooth service UUID under which hybrid adverts are sent.
public struct ServiceUUID: RawRepresentable, Hashable, Sendable {
    /// The 16-bit number.
    public let rawValue: UInt16

    /// Makes a service UUID from its 16-bit number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// `FFF9`, the FIDO Alliance's: every authenticator sends it (HT-ADV-16).
    public static let fido = Self(rawValue: 0xFFF9)
    /// `FDE2`, Google's: sent by early Chromium and by iOS 16, and still to be received (HT-ADV-18).
    public static let google = Self(rawValue: 0xFDE2)
    /// `FCF1`, Google's too: Nearby Presence, which looks much the same and is none of ours.
    package static let nearbyPresence = Self(rawValue: 0xFCF1)
}
