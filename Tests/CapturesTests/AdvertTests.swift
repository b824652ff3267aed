import Captures
import HybridProtocol
import Testing

/// Adverts of a capture.
@Suite("An advert of a capture")
struct AdvertTests {
    private static let data = [UInt8](1...20)

    @Test("is told once, and at the end how often it came and when")
    func times() throws {
        let capture = HostCapture()
        for _ in 0..<3 { capture.advert(0xFFF9, Self.data) }
        capture.advert(0xFFF9, Self.data, address: [9, 9, 9, 9, 9, 0xC9])
        capture.finish()
        #expect(capture.adverts.count == 2 && capture.events.count == 4)
        let advert = try #require(capture.adverts.first)
        #expect(advert.serviceData == Self.data && advert.rssi == -60 && !advert.isExtended)
        #expect(advert.address?.bytes == [6, 5, 4, 3, 2, 1] && advert.address?.kind == "non-resolvable")
        #expect(capture.adverts.last?.address?.kind == "random static")
        guard case .advertTimes(_, let times) = try #require(capture.events.dropFirst(2).first).kind else {
            throw Missing()
        }
        #expect(times.count == 3 && times.meanGap == 1_000_000 && times.shortestGap == 1_000_000)
    }

    @Test("of Nearby Presence is a decoy; one of FDE2 counts; other services do not")
    func services() {
        let capture = HostCapture()
        capture.advert(0xFCF1, [UInt8](repeating: 1, count: 22))
        capture.advert(0xFDE2, Self.data)
        capture.advert(0xFFF9, Array(Self.data.dropLast()))
        capture.advert(0xFEAA, Self.data)
        #expect(capture.adverts.map(\.service) == [.nearbyPresence, .google, .fido])
        #expect(capture.adverts.map { $0.service.canBeHybrid($0.serviceData.count) } == [false, true, false])
    }

    @Test("in parts is one")
    func extended() {
        let capture = HostCapture()
        let structure = join([23, 0x16, 0xF9, 0xFF], Self.data)
        capture.extendedAdvert(Array(structure.prefix(10)), status: 1)
        #expect(capture.adverts.isEmpty)
        capture.extendedAdvert(Array(structure.dropFirst(10)), status: 0)
        #expect(capture.adverts.map(\.serviceData) == [Self.data])
        #expect(capture.adverts.first?.isExtended == true)
    }

    @Test("of ours lasts from when it is switched on until it is switched off")
    func ours() throws {
        let capture = HostCapture()
        let structure = join([23, 0x16, 0xF9, 0xFF], Self.data)
        capture.command(0x2035, [3, 6, 5, 4, 3, 2, 0xC1])
        capture.command(0x2037, join([3, 3, 1, UInt8(structure.count)], structure))
        #expect(capture.adverts.isEmpty)
        capture.command(0x2039, [1, 1, 3, 0, 0, 0])
        #expect(capture.adverts.first?.direction == .sent)
        #expect(capture.adverts.first?.address?.bytes == [0xC1, 2, 3, 4, 5, 6])
        capture.command(0x2039, [0, 0])
        capture.finish()
        guard case .advertTimes(_, let times) = try #require(capture.events.last).kind else { throw Missing() }
        #expect(times.count == 1 && !times.isOn)
        #expect(try #require(times.last) - #require(times.first) == 1_000_000)
    }

    @Test("is opened with the QR secret, and not with another")
    func opening() throws {
        let session = try RecordedSession()
        for isRight in [true, false] {
            let keys = CaptureKeys()
            try keys.add(secret: (isRight ? session.secret : session.secret.reversed()).span)
            let capture = HostCapture(keys)
            capture.advert(0xFFF9, session.advert)
            switch try #require(capture.adverts.first).opening {
            case .opened(let opened): #expect(isRight && opened.plaintext.routingID.bytes == [1, 2, 3])
            case .foreign: #expect(!isRight)
            default: throw Missing()
            }
        }
        #expect(throws: HybridProtocolError.self) { try CaptureKeys().add(secret: [1, 2].span) }
    }

    @Test("of the air is read, with its checksum, also in parts")
    func air() {
        let structure = join([23, 0x16, 0xF9, 0xFF], Self.data)
        let capture = HostCapture()
        func take(_ body: [UInt8], isDamaged: Bool = false) {
            var bytes = join(little(UInt32(0x8E89_BED6)), body, checksum(body))
            if isDamaged { bytes[20] ^= 1 }
            capture.take(CapturedPacket(time: 1, linkType: .bluetoothLowEnergy, bytes: bytes[...]))
        }
        let legacy = join([0x42, UInt8(6 + structure.count), 1, 2, 3, 4, 5, 6], structure)
        take(legacy, isDamaged: true)
        #expect(capture.adverts.isEmpty && capture.counts.damaged == 1)
        take(legacy)
        #expect(capture.adverts.map(\.serviceData) == [Self.data])
        // AUX_ADV_IND with address, number and a pointer; then AUX_CHAIN_IND with the number alone.
        take(join([0x47, 23, 12, 0x19, 6, 5, 4, 3, 2, 1, 7, 0x10, 0, 0, 0], Array(structure.prefix(10))))
        #expect(capture.adverts.count == 1)
        take(join([0x07, 18, 3, 0x08, 7, 0x10], Array(structure.dropFirst(10))))
        #expect(capture.adverts.count == 2 && capture.adverts.last?.isExtended == true)
        #expect(capture.adverts.last?.address?.bytes == [1, 2, 3, 4, 5, 6])
    }

    @Test("is one of very many, and what is held of them is bounded")
    func flood() {
        let capture = HostCapture()
        for number in 0..<10_000 { capture.advert(0xFFF9, Self.data, address: join(little(UInt32(number)), [1, 1])) }
        capture.finish()
        let told = capture.events.count { if case .advertTimes = $0.kind { true } else { false } }
        #expect(capture.adverts.count == 10_000 && told == 10_000)
    }
}

struct Missing: Error {}

/// The checksum of an advertising channel, bit by bit as the specification draws it: positions 0, 1, 3, 4, 6, 9 and 10
/// are fed.
private func checksum(_ bytes: [UInt8]) -> [UInt8] {
    var positions = (0..<24).map { 0x555555 >> $0 & 1 }
    for byte in bytes {
        for bit in 0..<8 {
            let feedback = positions[23] ^ Int(byte >> UInt8(bit) & 1)
            positions = [0] + positions.dropLast()
            for position in [0, 1, 3, 4, 6, 9, 10] { positions[position] ^= feedback }
        }
    }
    // Sent from position 23 on, each byte's lowest bit first.
    var bytes: [UInt8] = [0, 0, 0]
    for bit in 0..<24 where positions[23 - bit] == 1 { bytes[bit / 8] |= 1 << UInt8(bit % 8) }
    return bytes
}
