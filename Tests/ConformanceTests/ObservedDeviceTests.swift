import BluetoothLE
import Encodings
import HybridTransport
import Testing

@testable import Conformance

/// Observations of a phone, and the persona that is nearest.
@Suite("What was seen of a phone")
struct ObservedDeviceTests {
    /// The getInfo of a phone with these quirks.
    static func getInfo(_ quirks: Set<PhoneQuirk>) throws -> CBORMap {
        let service = try ServiceSettings(
            isSecure: false, host: "localhost", port: 1, authorities: [], timeout: .seconds(1))
        let phone = EmulatedPhone(quirks, radio: .simulated(try .init(parsing: "127.0.0.1:9000")), service: service)
        let bytes = PhoneGetInfo(phone).encoded()
        return try #require(try CBORValue.decode(bytes.span).mapValue)
    }

    static func device(_ quirks: Set<PhoneQuirk>, offeredNearby: Bool = true) throws -> ObservedDevice {
        let advert = ObservedDevice.Advert(
            service: quirks.contains(.uuidFDE2) ? 0xFDE2 : 0xFFF9, suffixByteCount: quirks.contains(.noSuffix) ? 0 : 4,
            domain: quirks.contains(.domainApple) ? 1 : 0, nonceEndsInZeros: quirks.contains(.timeInNonce),
            interval: quirks.contains(.advertEach100ms) ? 103 : 21)
        return ObservedDevice(
            advert: advert, offeredNearby: offeredNearby, getInfo: try getInfo(quirks),
            features: quirks.contains(.featuresWithDC) ? ["ctap", "dc"] : ["ctap"])
    }

    @Test("is nearest to the persona that was played", arguments: PersonaCatalogue.personas(.authenticator))
    func nearest(_ persona: Persona) throws {
        let found = try #require(try Self.device(PhoneQuirk.quirks(like: persona.name, in: .authenticator)).nearest())
        #expect(found.differences.isEmpty)
        // Two may differ in nothing that a ceremony shows.
        let visible = Set(try Self.device([]).seen.keys)
        #expect(Set(found.persona.quirks).intersection(visible) == Set(persona.quirks).intersection(visible))
    }

    @Test("names each difference, which way round it is, and none that cannot be seen")
    func differences() throws {
        var quirks: Set<PhoneQuirk> = try PhoneQuirk.quirks(like: "iphone-2026", in: .authenticator)
        quirks.remove(.noSuffix)
        quirks.insert(.devicePubKey)
        let found = try #require(try Self.device(quirks).nearest())
        #expect(found.persona.name == "iphone-2026")
        #expect(found.differences == [.init(quirk: "no-suffix", isSeen: false)])
        #expect(try Self.device(quirks, offeredNearby: false).nearest()?.differences.isEmpty == true)
    }

    @Test(
        "takes an interval for a quirk, or for the lack of it, only where lost adverts cannot have made it",
        arguments: [(21.0, false), (89, false), (100, true), (110, true), (206, nil), (nil, nil)] as [(Double?, Bool?)])
    func interval(_ interval: Double?, _ isSeen: Bool?) throws {
        let advert = ObservedDevice.Advert(
            service: 0xFFF9, suffixByteCount: 0, domain: 0, nonceEndsInZeros: false, interval: interval)
        let device = ObservedDevice(advert: advert, offeredNearby: true, getInfo: [:], features: [])
        #expect(device.seen["advert-each-100-ms"] == isSeen)
    }

    @Test("keeps no word of a phone that is not known, however many and whatever they are")
    func hostile() throws {
        let words = (0..<50_000).map { CBORValue.text("\u{1B}]0;\($0)\u{07}") } + ["prf", "prf"]
        let options = CBORMap((0..<10_000).map { .init(key: .text("o\($0)\u{1B}[2J"), value: true) })
        let device = ObservedDevice(
            advert: nil, offeredNearby: true,
            getInfo: [1: .array(words), 2: .array(words), 3: .bytes([7]), 4: .map(options)], features: ["\u{1B}c"])
        #expect(
            device.extensions
                == ObservedDevice(
                    advert: nil, offeredNearby: true, getInfo: [2: .array(words)], features: []
                ).extensions)
        #expect(device.extensions.known == ["prf"] && device.extensions.otherCount == 50_000)
        #expect(device.versions.known.isEmpty && device.options.known.isEmpty && device.options.otherCount == 10_000)
        #expect(device.features.known.isEmpty && device.aaguid == "other")
        #expect(!"\(device)".contains("\u{1B}"))
    }
}
