internal import HybridProtocol

/// The structures that an advert is made of: each a length, a type, and data.
///
/// Source: Bluetooth Core Specification 5.4, volume 3, part C, 11; Supplement, part A, 1.11.
enum AdvertisingData {
    /// Service data of a 16-bit service UUID.
    private static let serviceDataType: UInt8 = 0x16
    private static let services = [ServiceUUID.fido, .google]
    /// Number of pieces of service data that are read of one report; more are left out.
    static let mostServiceData = 8
    /// Length of the fields before service data in an advert, in bytes: length, type and service UUID.
    static let overhead = 4

    /// An advert of one structure, service data.
    ///
    /// - Parameter serviceData: at most 251 bytes.
    static func encoded(_ serviceData: [UInt8], of service: ServiceUUID) -> [UInt8] {
        [UInt8(clamping: serviceData.count + overhead - 1), serviceDataType] + service.rawValue.littleEndianBytes
            + serviceData
    }

    /// The service data of FFF9 and FDE2 in an advert, from any sender; that of others is left out (HT-ADV-19).
    ///
    /// A length of 0 ends the advert early, and a structure that reaches beyond the end is cut off with all that
    /// follows.
    static func serviceData(in data: [UInt8]) -> [(service: ServiceUUID, bytes: [UInt8])] {
        var found: [(ServiceUUID, [UInt8])] = []
        var reader = LittleEndianReader(data)
        while found.count < mostServiceData, let length = reader.number(UInt8.self), length > 0,
            let structure = reader.bytes(length)
        {
            var inner = LittleEndianReader(structure)
            guard inner.number() == serviceDataType, let number = inner.number(UInt16.self) else { continue }
            let service = ServiceUUID(rawValue: number)
            let bytes = inner.remainder()
            guard services.contains(service), !bytes.isEmpty else { continue }
            found.append((service, bytes))
        }
        return found
    }
}
