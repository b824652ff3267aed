/// The adverts that were seen, each with its times. Bounded: when it is full, all are told of, and it begins anew.
struct AdvertTable {
    /// The most adverts that are told apart at a time.
    static let maxCount = 4_096

    private struct Identity: Hashable {
        let place: String
        let direction: CapturedPacket.Direction
        let address: DeviceAddress?
        let service: AdvertService
        let data: [UInt8]
    }

    private struct Entry {
        let advert: CapturedAdvert
        let place: String
        var times = AdvertTimes()
    }

    private var indices: [Identity: Int] = [:]
    private var entries: [Entry] = []
    private var nextNumber = 1
    private let keys: CaptureKeys

    init(_ keys: CaptureKeys) { self.keys = keys }

    /// A reception of an advert, or its being switched on or off.
    struct Sighting {
        let place: String
        let time: Int64?
        let direction: CapturedPacket.Direction
        let address: DeviceAddress?
        let isExtended: Bool
        let rssi: Int?
    }

    /// Notes an advert.
    ///
    /// - Parameter tell: gets an advert that is new, and the times of those that had to make room.
    mutating func note(
        _ service: AdvertService, _ data: [UInt8], _ sighting: Sighting,
        tell: (CaptureEvent.Kind, _ place: String) -> Void
    ) {
        let identity = Identity(
            place: sighting.place, direction: sighting.direction, address: sighting.address, service: service,
            data: data)
        let index: Int
        if let known = indices[identity] {
            index = known
        } else {
            if entries.count == Self.maxCount { finish(tell: tell) }
            let advert = CapturedAdvert(
                number: nextNumber, service: service, serviceData: data, direction: sighting.direction,
                address: sighting.address, isExtended: sighting.isExtended, rssi: sighting.rssi,
                opening: keys.open(data, of: service))
            nextNumber += 1
            index = entries.count
            indices[identity] = index
            entries.append(Entry(advert: advert, place: sighting.place))
            tell(.advert(advert), sighting.place)
        }
        guard sighting.direction == .sent else { return entries[index].times.note(sighting.time) }
        // One of ours is on until it is switched off: a repetition in between says nothing.
        guard !entries[index].times.isOn else { return }
        entries[index].times.isOn = true
        entries[index].times.note(sighting.time)
        entries[index].times.shortestGap = nil
    }

    /// Notes that an advert of ours was switched off.
    mutating func end(_ service: AdvertService, _ data: [UInt8], _ sighting: Sighting) {
        let identity = Identity(
            place: sighting.place, direction: .sent, address: sighting.address, service: service, data: data)
        guard let index = indices[identity], entries[index].times.isOn else { return }
        entries[index].times.isOn = false
        entries[index].times.last = sighting.time ?? entries[index].times.last
    }

    /// Tells of the times of all adverts, and forgets them.
    mutating func finish(tell: (CaptureEvent.Kind, _ place: String) -> Void) {
        for entry in entries { tell(.advertTimes(entry.advert, entry.times), entry.place) }
        entries = []
        indices = [:]
    }
}
