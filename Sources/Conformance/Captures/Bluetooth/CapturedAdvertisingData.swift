/// The service data of advertising data: structures of a length, a type and contents.
///
/// Source: Bluetooth Core Specification volume 3 part C section 11; Supplement part A section 1.11.
enum CapturedAdvertisingData {
    /// Service data of a 16-bit UUID.
    private static let serviceData: UInt8 = 0x16

    /// The service data of services that are looked at, up to a structure that is not whole.
    static func services(in data: ArraySlice<UInt8>) -> [(AdvertService, [UInt8])] {
        var reader = ByteReader(data)
        var found: [(AdvertService, [UInt8])] = []
        while let length = reader.byte(), length > 0, let structure = reader.take(Int(length)) {
            var contents = ByteReader(structure)
            guard contents.byte() == serviceData, let uuid = contents.littleEndian(UInt16.self),
                let service = AdvertService(rawValue: uuid)
            else { continue }
            found.append((service, Array(contents.rest)))
        }
        return found
    }
}
