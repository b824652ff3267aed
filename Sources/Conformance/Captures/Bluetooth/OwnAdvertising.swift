/// The adverts that a host has its controller send, by its commands.
///
/// Source: Core Specification volume 4 part E section 7.8.
struct OwnAdvertising {
    /// An advert that was switched on or off.
    struct Change {
        let data: ArraySlice<UInt8>
        let address: DeviceAddress?
        let isExtended: Bool
        let isOn: Bool
    }

    private struct AdvertisingSet: Hashable {
        let adapter: Int
        /// The handle of an extended set; nil for the legacy advert.
        let handle: UInt8?
    }

    private struct State {
        var data: [UInt8] = []
        var address: DeviceAddress?
        var isOn = false
    }

    private enum Opcode {
        static let randomAddress: UInt16 = 0x2005
        static let data: UInt16 = 0x2008
        static let enable: UInt16 = 0x200A
        static let setRandomAddress: UInt16 = 0x2035
        static let extendedData: UInt16 = 0x2037
        static let extendedEnable: UInt16 = 0x2039
        static let removeSet: UInt16 = 0x203C
        static let clearSets: UInt16 = 0x203D
        static let reset: UInt16 = 0x0C03
    }

    private enum Operation {
        static let first: UInt8 = 1
        static let complete: UInt8 = 3
        static let unchanged: UInt8 = 4
    }

    private static let randomType: UInt8 = 1
    private static let maxSets = 1_024
    private static let longestData = 1_650
    private var sets: [AdvertisingSet: State] = [:]

    /// Takes a command.
    mutating func take(_ opcode: UInt16, _ parameters: ArraySlice<UInt8>, adapter: Int) -> [Change] {
        var reader = ByteReader(parameters)
        if sets.count >= Self.maxSets { sets = [:] }
        switch opcode {
        case Opcode.randomAddress:
            guard let address = reader.take(6) else { return [] }
            sets[AdvertisingSet(adapter: adapter, handle: nil), default: State()].address = DeviceAddress(
                littleEndian: address, type: Self.randomType)
        case Opcode.setRandomAddress:
            guard let handle = reader.byte(), let address = reader.take(6) else { return [] }
            sets[AdvertisingSet(adapter: adapter, handle: handle), default: State()].address = DeviceAddress(
                littleEndian: address, type: Self.randomType)
        case Opcode.data:
            guard let length = reader.byte(), let data = reader.take(Int(length)) else { return [] }
            return change(AdvertisingSet(adapter: adapter, handle: nil), Array(data))
        case Opcode.extendedData: return extendedData(&reader, adapter)
        case Opcode.enable:
            guard let isOn = reader.byte() else { return [] }
            return change(AdvertisingSet(adapter: adapter, handle: nil), isOn: isOn != 0)
        case Opcode.extendedEnable: return extendedEnable(&reader, adapter)
        case Opcode.removeSet:
            guard let handle = reader.byte() else { return [] }
            return forget { $0 == AdvertisingSet(adapter: adapter, handle: handle) }
        case Opcode.clearSets: return forget { $0.adapter == adapter && $0.handle != nil }
        case Opcode.reset: return forget { $0.adapter == adapter }
        default: break
        }
        return []
    }

    /// Notes that the controller has ended a set by itself, for instance because somebody has connected.
    mutating func terminated(_ handle: UInt8, adapter: Int) -> [Change] {
        change(AdvertisingSet(adapter: adapter, handle: handle), isOn: false)
    }

    private mutating func extendedData(_ reader: inout ByteReader, _ adapter: Int) -> [Change] {
        guard let handle = reader.byte(), let operation = reader.byte(), reader.byte() != nil,
            let length = reader.byte(), let data = reader.take(Int(length)), operation != Operation.unchanged
        else { return [] }
        let set = AdvertisingSet(adapter: adapter, handle: handle)
        guard operation != Operation.complete, operation != Operation.first else { return change(set, Array(data)) }
        return change(set, Array(((sets[set]?.data ?? []) + data).prefix(Self.longestData)))
    }

    private mutating func extendedEnable(_ reader: inout ByteReader, _ adapter: Int) -> [Change] {
        guard let isOn = reader.byte(), let count = reader.byte() else { return [] }
        if isOn == 0, count == 0 {
            return sets.keys.filter { $0.adapter == adapter && $0.handle != nil }.flatMap { change($0, isOn: false) }
        }
        var changes: [Change] = []
        for _ in 0..<count {
            guard let handle = reader.byte(), reader.take(3) != nil else { break }
            changes += change(AdvertisingSet(adapter: adapter, handle: handle), isOn: isOn != 0)
        }
        return changes
    }

    private mutating func forget(where isMeant: (AdvertisingSet) -> Bool) -> [Change] {
        sets.keys.filter(isMeant).flatMap { set in
            let changes = change(set, isOn: false)
            sets[set] = nil
            return changes
        }
    }

    /// Other data: an advert that is on ends, and the next one begins.
    private mutating func change(_ set: AdvertisingSet, _ data: [UInt8]) -> [Change] {
        guard sets[set]?.data != data else { return [] }
        let isOn = sets[set]?.isOn ?? false
        let ended = isOn ? change(set, isOn: false) : []
        sets[set, default: State()].data = data
        return ended + (isOn ? change(set, isOn: true) : [])
    }

    private mutating func change(_ set: AdvertisingSet, isOn: Bool) -> [Change] {
        guard let state = sets[set], state.isOn != isOn else { return [] }
        sets[set]?.isOn = isOn
        return [
            Change(data: state.data[...], address: state.address, isExtended: set.handle != nil, isOn: isOn)
        ]
    }
}
