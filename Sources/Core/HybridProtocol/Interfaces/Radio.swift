package import Encodings

/// A radio of this machine, for either role. Making its parts sends nothing.
package protocol Radio: Sendable {
    /// The receiver of a client.
    ///
    /// - Throws: ``RadioError`` for a radio on which no client can listen.
    func scanner() throws(RadioError) -> any AdvertScanner

    /// The sender of an authenticator.
    ///
    /// - Throws: ``RadioError``.
    func advertiser() throws(RadioError) -> any Advertiser

    /// The connector and listener for channels without a tunnel.
    ///
    /// - Throws: ``RadioError``.
    func channels() throws(RadioError) -> any NearbyConnector & NearbyListener

    /// Looks whether the radio can be used now. Nothing is sent, and nothing is powered on.
    ///
    /// - Parameter advertises: true for an authenticator, which sends adverts; false for a client, which hears them.
    /// - Throws: ``RadioError``; `CancellationError`.
    func check(advertises: Bool) async throws
}

extension Radio {
    /// Looks at nothing: for a radio that is always there.
    package func check(advertises: Bool) async throws {}
}

/// Receiver of hybrid adverts: BlueZ, the kernel, or a simulated radio.
///
/// Source: CTAP 2.2 section 11.5.1 (the BLE advertisement); HT-ADV-17, HT-ADV-18.
package protocol AdvertScanner: Sendable {
    /// Scans while `body` runs, and never longer.
    ///
    /// The scan is running before `body` begins, and over before this returns or throws, whatever the way out.
    ///
    /// - Parameter body: gets every advert under ``ServiceUUID/fido`` and ``ServiceUUID/google`` as it is received,
    ///   foreign ones and repetitions included. The sequence ends with ``RadioError`` if the radio goes away. A reader
    ///   that is too slow loses the oldest adverts, not memory: they are repeated on the air anyway.
    /// - Returns: the value of `body`.
    /// - Throws: ``RadioError`` if the scan could not start; otherwise the error of `body`.
    func scan<Value: Sendable>(
        _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Value
    ) async throws -> Value
}

/// Adverts in the order in which they were received; ends by throwing ``RadioError`` if the radio goes away.
package typealias ReceivedAdverts = AsyncThrowingStream<ReceivedAdvert, any Error>

/// One advert as it was received: not yet decrypted, and most often of another session.
///
/// Two are equal if they are the same advert of the same sender, however strong its signal was.
package struct ReceivedAdvert: Sendable, Hashable {
    /// The 16-bit service under which it was sent.
    package let service: ServiceUUID
    /// The service data: 20 bytes and a suffix for a well-formed advert, anything from a hostile one.
    package let serviceData: [UInt8]
    /// The name that the radio gives its sender: a Bluetooth address, or host and port for a simulated radio.
    package let sender: String
    /// The sender's address, where an L2CAP channel can be opened; nil if the radio has none.
    package let address: BluetoothAddress?
    /// Strength of the received signal in dBm, -127…20; nil if the radio does not tell.
    ///
    /// Source: Bluetooth Core Specification, volume 4, part E, 7.7.65.2.
    package let rssi: Int?

    /// Makes a received advert.
    package init(
        service: ServiceUUID, serviceData: [UInt8], sender: String, address: BluetoothAddress? = nil, rssi: Int? = nil
    ) {
        self.service = service
        self.serviceData = serviceData
        self.sender = sender
        self.address = address
        self.rssi = rssi
    }

    /// True if both are the same advert of the same sender.
    package static func == (left: Self, right: Self) -> Bool {
        left.service == right.service && left.serviceData == right.serviceData && left.sender == right.sender
            && left.address == right.address
    }

    /// Hashes the properties that make two adverts equal.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(service)
        hasher.combine(serviceData)
        hasher.combine(sender)
        hasher.combine(address)
    }
}

/// A 16-bit Bluetooth service UUID under which hybrid adverts are sent.
package struct ServiceUUID: RawRepresentable, Hashable, Sendable {
    /// The 16-bit number.
    package let rawValue: UInt16

    /// Makes a service UUID from its 16-bit number.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// `FFF9`, the FIDO Alliance's: every authenticator sends it (HT-ADV-16).
    package static let fido = Self(rawValue: 0xFFF9)
    /// `FDE2`, Google's: sent by early Chromium and by iOS 16, and still to be received (HT-ADV-18).
    package static let google = Self(rawValue: 0xFDE2)
    /// `FCF1`, Google's too: Nearby Presence, which looks much the same and is none of ours.
    package static let nearbyPresence = Self(rawValue: 0xFCF1)
}

/// Sender of hybrid adverts: BlueZ, the kernel, or a simulated radio.
///
/// Source: CTAP 2.2 section 11.5.1 (the BLE advertisement); HT-ADV-16, HT-ADV-22.
package protocol Advertiser: Sendable {
    /// Advertises while `body` runs, and never longer.
    ///
    /// The advert is on the air before `body` begins, and off it before this returns or throws, whatever the way out:
    /// a result, an error, or cancellation.
    ///
    /// - Parameters:
    ///   - serviceData: the 20 bytes of the sealed advert, then the suffix if there is one. Sent under
    ///     ``ServiceUUID/fido``.
    ///   - body: runs in the meantime; for an authenticator, it waits for the first handshake message.
    /// - Returns: the value of `body`.
    /// - Throws: ``RadioError`` if the advert could not be sent or died; otherwise the error of `body`.
    func advertise<Value: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value

    /// Advertises while `body` runs, as a device to which a connection can be made.
    ///
    /// - Parameters:
    ///   - serviceData: as for ``advertise(_:while:)``.
    ///   - body: as for ``advertise(_:while:)``.
    /// - Returns: the value of `body`.
    /// - Throws: as ``advertise(_:while:)``.
    func advertiseConnectably<Value: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value
}

extension Advertiser {
    /// Advertises like ``advertise(_:while:)``, as a radio does that takes no connections.
    package func advertiseConnectably<Value: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await advertise(serviceData, while: body)
    }
}

/// Failure of a radio to send or receive adverts.
package typealias RadioError = CodedError<RadioErrorCode>

/// The kind of failure, as an open set of names.
package struct RadioErrorCode: ErrorCode {
    /// The name.
    package let rawValue: String

    /// Makes a code from its name.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The machine has no radio of this kind.
    package static let absent = Self(rawValue: "absent")
    /// The radio's address could not be understood.
    package static let invalidAddress = Self(rawValue: "invalid-address")
    /// The radio's address is taken by another process.
    package static let addressInUse = Self(rawValue: "address-in-use")
    /// The system refused the use of the radio.
    package static let notPermitted = Self(rawValue: "not-permitted")
    /// The advert is longer than the radio can send.
    package static let advertTooLong = Self(rawValue: "advert-too-long")
    /// The radio failed or went away while it was in use.
    package static let failed = Self(rawValue: "failed")
}

// Reasons why a Bluetooth adapter cannot be used.

extension RadioErrorCode {
    /// There is no system bus at its address.
    package static let noSystemBus = Self(rawValue: "no-system-bus")
    /// A sandbox or container keeps the system bus from this process.
    package static let sandboxed = Self(rawValue: "sandboxed")
    /// BlueZ is not on the system bus: bluetoothd does not run.
    package static let noService = Self(rawValue: "no-bluetooth-service")
    /// bluetoothd, or the connection to it, ended while it was in use.
    package static let serviceLost = Self(rawValue: "bluetooth-service-lost")
    /// bluetoothd did not answer in time.
    package static let unresponsive = Self(rawValue: "unresponsive")
    /// bluetoothd answered with something that its interface does not allow.
    package static let invalidReply = Self(rawValue: "invalid-reply")
    /// bluetoothd or the kernel is busy with the adapter, and stayed so.
    package static let busy = Self(rawValue: "busy")
    /// This process may not command the kernel's Bluetooth: it lacks the capability CAP_NET_ADMIN.
    package static let noCapability = Self(rawValue: "no-capability")
    /// The kernel has no Bluetooth, or none for this container.
    package static let noKernelSupport = Self(rawValue: "no-kernel-support")
    /// The kernel, or the adapter's controller, did not answer in time.
    package static let controllerUnresponsive = Self(rawValue: "controller-unresponsive")
    /// The kernel answered with something that its interface does not allow.
    package static let invalidKernelReply = Self(rawValue: "invalid-kernel-reply")
    /// The adapter is powered off.
    package static let poweredOff = Self(rawValue: "powered-off")
    /// The kernel's rfkill switch, or a key or switch of the machine, blocks the adapter.
    package static let blocked = Self(rawValue: "blocked-by-rfkill")
    /// The adapter does not support Bluetooth Low Energy.
    package static let noLowEnergy = Self(rawValue: "no-low-energy")
    /// Other programs' adverts have taken all that the adapter can send at a time.
    package static let noInstance = Self(rawValue: "no-advertising-instance")
}
