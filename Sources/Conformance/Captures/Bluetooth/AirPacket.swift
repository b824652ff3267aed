/// An advert on the air, as a sniffer takes it: legacy, or a part of an extended one.
///
/// Source: Core Specification volume 6 part B sections 2.3 and 3.1.1; https://www.tcpdump.org/linktypes.html.
struct AirAdvert {
    /// The sender; nil where this part does not say it.
    let address: DeviceAddress?
    let isExtended: Bool
    /// The identifier of the parts of an extended advert: the set and the number of its data.
    let identifier: UInt16?
    /// True if another part follows.
    let isContinued: Bool
    let rssi: Int?
    let data: ArraySlice<UInt8>

    enum Outcome {
        case advert(AirAdvert)
        /// The checksum is wrong.
        case damaged
        /// Something other than an advert.
        case other
    }

    private static let advertisingAccess: UInt32 = 0x8E89_BED6
    private static let legacyTypes: Set<UInt8> = [0, 2, 4, 6]
    private static let extendedType: UInt8 = 7
    private static let checksumByteCount = 3

    private enum Header {
        static let strengthValid: UInt16 = 0x0002
        static let checksumChecked: UInt16 = 0x0400
        static let checksumValid: UInt16 = 0x0800
        static let codedRadio: UInt16 = 0x8000
    }

    private enum Field {
        static let address: UInt8 = 0x01
        static let target: UInt8 = 0x02
        static let constantTone: UInt8 = 0x04
        static let identifier: UInt8 = 0x08
        static let auxiliary: UInt8 = 0x10
        static let synchronisation: UInt8 = 0x20
        static let power: UInt8 = 0x40
    }

    /// Reads a packet of one of the two link types of the air.
    static func read(_ packet: CapturedPacket) -> Outcome {
        var reader = ByteReader(packet.bytes)
        var rssi: Int?
        var isChecked = false
        if packet.linkType == .bluetoothLowEnergyWithHeader {
            guard reader.byte() != nil, let strength = reader.byte(), reader.take(6) != nil,
                let flags = reader.littleEndian(UInt16.self)
            else { return .other }
            if flags & Header.strengthValid != 0 { rssi = Int(Int8(bitPattern: strength)) }
            guard flags & Header.codedRadio == 0 else { return .other }
            isChecked = flags & Header.checksumChecked != 0
            guard !isChecked || flags & Header.checksumValid != 0 else { return .damaged }
        }
        guard reader.littleEndian(UInt32.self) == advertisingAccess, reader.count > 2 + checksumByteCount else {
            return .other
        }
        let body = reader.rest
        guard let header = reader.byte(), let length = reader.byte(), let payload = reader.take(Int(length)),
            let checksum = reader.take(checksumByteCount)
        else { return .other }
        guard isChecked || checksum.elementsEqual(Self.checksum(body.prefix(2 + Int(length)))) else { return .damaged }
        return advert(header, payload, rssi).map { .advert($0) } ?? .other
    }

    private static func advert(_ header: UInt8, _ payload: ArraySlice<UInt8>, _ rssi: Int?) -> AirAdvert? {
        var reader = ByteReader(payload)
        let type = header & 0x0F
        let addressType = header >> 6 & 1
        if legacyTypes.contains(type) {
            guard let address = reader.take(6) else { return nil }
            return AirAdvert(
                address: DeviceAddress(littleEndian: address, type: addressType), isExtended: false, identifier: nil,
                isContinued: false, rssi: rssi, data: reader.rest)
        }
        guard type == extendedType, let lengthAndMode = reader.byte(), let head = reader.take(Int(lengthAndMode & 0x3F))
        else { return nil }
        var fields = ByteReader(head)
        let flags = fields.byte() ?? 0
        var address: DeviceAddress?
        if flags & Field.address != 0 {
            address = fields.take(6).map { DeviceAddress(littleEndian: $0, type: addressType) }
        }
        if flags & Field.target != 0 { _ = fields.take(6) }
        if flags & Field.constantTone != 0 { _ = fields.take(1) }
        let identifier = flags & Field.identifier == 0 ? nil : fields.littleEndian(UInt16.self)
        return AirAdvert(
            address: address, isExtended: true, identifier: identifier, isContinued: flags & Field.auxiliary != 0,
            rssi: rssi, data: reader.rest)
    }

    /// The checksum of an advertising channel, as it is sent: 3 bytes, of a shift register that begins with 0x555555.
    static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        // Bit 0 of the register is position 23 of the specification's picture, so that bytes come out in their order.
        var register: UInt32 = 0xAA_AAAA
        for byte in bytes {
            for bit in 0..<8 {
                let isSet = (register ^ UInt32(byte >> UInt8(bit))) & 1 == 1
                register >>= 1
                if isSet { register ^= 0xDA_6000 }
            }
        }
        return (0..<checksumByteCount).map { UInt8(truncatingIfNeeded: register >> UInt32(8 * $0)) }
    }
}

/// Joins the parts of extended adverts.
struct AirAdverts {
    private var partials: [UInt16: Partial] = [:]

    private struct Partial {
        let address: DeviceAddress?
        var data: [UInt8]
    }

    private static let longestData = 1_650
    private static let maxPartials = 256

    /// Takes an advert.
    ///
    /// - Returns: the sender and the data of one that is whole.
    mutating func take(_ advert: AirAdvert) -> (DeviceAddress?, ArraySlice<UInt8>)? {
        guard let identifier = advert.identifier else { return advert.isExtended ? nil : (advert.address, advert.data) }
        // Parts after the first have no address. A pointer without data only leads to the first part.
        let earlier = advert.address == nil ? partials[identifier] : nil
        let partial = Partial(
            address: advert.address ?? earlier?.address,
            data: Array(((earlier?.data ?? []) + advert.data).prefix(Self.longestData)))
        guard advert.isContinued else {
            partials[identifier] = nil
            return (partial.address, partial.data[...])
        }
        if partials.count >= Self.maxPartials { partials = [:] }
        partials[identifier] = partial
        return nil
    }
}
