import HybridProtocol
import HybridTransport
import Testing

@testable import BluetoothLE

@Suite("The structures of an advert")
struct AdvertisingDataTests {
    static func read(_ data: [UInt8]) -> [[UInt8]] { AdvertisingData.serviceData(in: data).map(\.bytes) }

    static func structure(_ serviceData: [UInt8], type: UInt8 = 0x16) -> [UInt8] {
        [UInt8(serviceData.count + 3), type, 0xF9, 0xFF] + serviceData
    }

    @Test("hold service data of every length that they can", arguments: [0, 1, 19, 20, 21, 24, 25, 251, 252])
    func lengths(count: Int) {
        let data = [UInt8](repeating: 7, count: count)
        #expect(Self.read(Self.structure(data)) == (count == 0 ? [] : [data]))
    }

    @Test("are read as they are written")
    func roundTrip() {
        for service in [ServiceUUID.fido, .google] {
            let read = AdvertisingData.serviceData(in: AdvertisingData.encoded([1, 2, 3], of: service))
            #expect(read.map(\.service) == [service])
            #expect(read.map(\.bytes) == [[1, 2, 3]])
        }
    }

    @Test("are passed over if they are of other types or services, and end with a length of 0")
    func others() {
        let flags: [UInt8] = [2, 1, 6]
        #expect(Self.read(flags + Self.structure([1]) + flags + Self.structure([2])) == [[1], [2]])
        #expect(Self.read(Self.structure([1], type: 0x21)).isEmpty)
        #expect(Self.read([4, 0x16, 0x0F, 0x18, 9]).isEmpty)
        #expect(Self.read([1, 0x16, 2, 0x16, 0xF9] + Self.structure([3])) == [[3]])
        #expect(Self.read(Self.structure([1]) + [0] + Self.structure([2])) == [[1]])
    }

    @Test("that reach beyond the end are cut off with all that follows, at every length")
    func truncated() {
        let whole = Self.structure([1]) + Self.structure([UInt8](repeating: 2, count: 20))
        for count in 0..<whole.count {
            #expect(Self.read(Array(whole.prefix(count))) == (count < 5 ? [] : [[1]]))
        }
    }

    @Test("are read to a bound")
    func bounded() {
        let data = (0..<255).flatMap { Self.structure([UInt8($0)]) }
        #expect(Self.read(data).count == AdvertisingData.mostServiceData)
    }

    @Test("of any bytes are read without harm, and never more comes out than went in")
    func random() {
        var generator = SystemRandomNumberGenerator()
        for count in 0...255 {
            for _ in 0..<20 {
                let data = (0..<count).map { _ in
                    // Structures of our services are made likely.
                    [UInt8.random(in: 0...255, using: &generator), 0x16, 0xF9, 0xFF, 4].randomElement() ?? 0
                }
                #expect(Self.read(data).reduce(0) { $0 + $1.count + AdvertisingData.overhead } <= count)
            }
        }
    }
}

@Suite("A packet of the management interface")
struct ManagementPacketTests {
    static func packet(_ code: UInt16, _ parameters: [UInt8], index: UInt16 = 3) -> [UInt8] {
        code.littleEndianBytes + index.littleEndianBytes + UInt16(parameters.count).littleEndianBytes + parameters
    }

    static let samples: [(code: UInt16, parameters: [UInt8], event: ManagementPacket.Event)] = [
        (0x02, [0x23, 0, 0x0A], .answer(command: 0x23, ManagementAnswer(status: .busy, values: []))),
        (0x05, [], .indexRemoved),
        (0x06, [1, 2, 0, 0], .newSettings([.powered, .lowEnergy])),
        (0x13, [6, 1], .discovering(true)),
        (0x13, [6, 0], .discovering(false)),
        (0x24, [4], .advertisingRemoved(instance: 4)),
    ]

    @Test("is read when its lengths agree, and refused when a byte is missing or too many", arguments: samples)
    func lengths(code: UInt16, parameters: [UInt8], event: ManagementPacket.Event) {
        let read = ManagementPacket(Self.packet(code, parameters))
        #expect(read?.event == event)
        #expect(read?.index == 3)
        #expect(ManagementPacket(Self.packet(code, parameters + [0])) == nil)
        #expect(ManagementPacket(Self.packet(code, parameters) + [0]) == nil)
        for count in 0..<(6 + parameters.count) {
            #expect(ManagementPacket(Self.packet(code, parameters).prefix(count)) == nil)
        }
        if !parameters.isEmpty { #expect(ManagementPacket(Self.packet(code, parameters.dropLast())) == nil) }
    }

    @Test("of a kind that is not known is read as such")
    func unknown() {
        #expect(ManagementPacket(Self.packet(0x7777, [1, 2, 3]))?.event == .other(0x7777))
        #expect(
            ManagementPacket(Self.packet(0x01, [0x04, 0, 0, 9]))?.event
                == .answer(command: 4, ManagementAnswer(status: .success, values: [9])))
    }

    @Test("that reports a device is refused unless its own length agrees")
    func deviceFound() {
        let head: [UInt8] = [1, 2, 3, 4, 5, 6, 2, 0xCE, 0, 0, 0, 0]
        for said in 0...255 {
            for real in [0, 1, 254, 255] {
                let report = head + UInt16(said).littleEndianBytes + [UInt8](repeating: 0xAA, count: real)
                #expect((ManagementPacket(Self.packet(0x12, report)) != nil) == (said == real))
            }
        }
        let found = ManagementPacket(Self.packet(0x12, head + [0, 0]))?.event
        let address = BluetoothAddress("06:05:04:03:02:01", .random)
        guard case .deviceFound(let device) = found else { return #expect(Bool(false)) }
        #expect(device.address == address)
    }

    @Test("of any bytes is read without harm")
    func random() {
        var generator = SystemRandomNumberGenerator()
        for count in 0...300 {
            let parameters = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            for code in [UInt16(1), 2, 5, 6, 0x12, 0x13, 0x24] {
                #expect(ManagementPacket(Self.packet(code, parameters))?.index ?? 3 == 3)
            }
            #expect(AdvertisingFeatures(parameters).map { $0.instances.count == count - 8 } ?? true)
            #expect(ControllerIndices(parameters).map { $0.indices.count * 2 + 2 == count } ?? true)
            #expect((ControllerInformation(parameters) != nil) == (count == 280))
        }
    }

    @Test("of a command has its number, the adapter's index and the length in front")
    func requests() {
        #expect(ManagementRequest.readIndexList.encoded == [3, 0, 0xFF, 0xFF, 0, 0])
        #expect(ManagementRequest.startDiscovery(2).encoded == [0x23, 0, 2, 0, 1, 0, 6])
        #expect(
            ManagementRequest.addAdvertising(1, instance: 2, .secondaryChannel, lifetime: 15, [9]).encoded
                == [0x3E, 0, 1, 0, 12, 0, 2, 0x80, 0, 0, 0, 0, 0, 15, 0, 1, 0, 9])
    }
}
