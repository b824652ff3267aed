/// An advert as a controller reports it.
struct AdvertisingReport {
    let address: DeviceAddress
    let isExtended: Bool
    let rssi: Int?
    let data: ArraySlice<UInt8>
    /// The set of an extended advert, of which more will come; nil if the report is whole.
    let continuedSet: UInt8?
    let set: UInt8
}

/// Reads the reports of events, and joins those that come in parts.
///
/// Source: Core Specification volume 4 part E sections 7.7.65.2 and 7.7.65.13. Several reports of a legacy event stand
/// one behind the other, as controllers send them and Linux reads them.
struct AdvertisingReports {
    static let legacySubevent: UInt8 = 0x02
    static let extendedSubevent: UInt8 = 0x0D

    private static let longestData = 1_650
    private static let maxPartials = 256
    private static let unknownRSSI = 127

    private struct Source: Hashable {
        let adapter: Int
        let address: DeviceAddress
        let set: UInt8
    }

    private var partials: [Source: [UInt8]] = [:]

    /// The reports of an event, behind its subevent.
    mutating func read(_ subevent: UInt8, _ parameters: ArraySlice<UInt8>, adapter: Int) -> [AdvertisingReport] {
        var reader = ByteReader(parameters)
        guard let count = reader.byte() else { return [] }
        var reports: [AdvertisingReport] = []
        for _ in 0..<count {
            let report = subevent == Self.legacySubevent ? Self.legacy(&reader) : Self.extended(&reader)
            guard let report else { break }
            if let whole = join(report, adapter) { reports.append(whole) }
        }
        return reports
    }

    private mutating func join(_ report: AdvertisingReport, _ adapter: Int) -> AdvertisingReport? {
        let source = Source(adapter: adapter, address: report.address, set: report.set)
        guard report.continuedSet != nil || partials[source] != nil else { return report }
        let data = (partials.removeValue(forKey: source) ?? []) + report.data
        guard report.continuedSet == nil else {
            if partials.count >= Self.maxPartials { partials = [:] }
            partials[source] = Array(data.prefix(Self.longestData))
            return nil
        }
        return AdvertisingReport(
            address: report.address, isExtended: report.isExtended, rssi: report.rssi, data: data[...],
            continuedSet: nil, set: report.set)
    }

    private static func legacy(_ reader: inout ByteReader) -> AdvertisingReport? {
        guard reader.byte() != nil, let type = reader.byte(), let address = reader.take(6), let length = reader.byte(),
            let data = reader.take(Int(length)), let rssi = reader.byte()
        else { return nil }
        return AdvertisingReport(
            address: DeviceAddress(littleEndian: address, type: type), isExtended: false, rssi: strength(rssi),
            data: data, continuedSet: nil, set: 0)
    }

    private static func extended(_ reader: inout ByteReader) -> AdvertisingReport? {
        guard let type = reader.littleEndian(UInt16.self), let addressType = reader.byte(),
            let address = reader.take(6), reader.take(2) != nil, let set = reader.byte(), reader.byte() != nil,
            let rssi = reader.byte(), reader.take(9) != nil, let length = reader.byte(),
            let data = reader.take(Int(length))
        else { return nil }
        // Bits 5 and 6 say if there is more to come; bit 4, that it is a legacy advert.
        return AdvertisingReport(
            address: DeviceAddress(littleEndian: address, type: addressType), isExtended: type & 0x10 == 0,
            rssi: strength(rssi), data: data, continuedSet: type >> 5 & 3 == 1 ? set : nil, set: set)
    }

    private static func strength(_ byte: UInt8) -> Int? {
        let value = Int(Int8(bitPattern: byte))
        return value == unknownRSSI ? nil : value
    }
}
