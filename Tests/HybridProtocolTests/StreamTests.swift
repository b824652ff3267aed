import HybridProtocol
import Testing

/// Bytes that may or may not be the next frame, as from a channel that does not keep messages whole (HT-FRM-21,
/// HT-BLE-22).
@Suite("A frame in a stream")
struct StreamTests {
    private static let noise = [UInt8](repeating: 0xa5, count: 48)

    @Test("is found by a client, whatever was tried before it")
    func client() throws {
        var peer = try ClientAlone().begun()
        _ = try peer.client.sealRequest(.ctap([4]))
        let frame = try peer.sealer.seal([1, 0])
        for wrong in [[], Self.noise, Array(frame.dropLast()), frame + [0]] {
            #expect(try peer.client.openIfFrame(wrong) == nil)
        }
        #expect(try peer.client.openIfFrame(frame) == .response(.ctap([0])))
        #expect(try peer.client.openIfFrame(frame) == nil)
    }

    @Test("that is authentic but no message ends a client's session")
    func clientRefuses() throws {
        var peer = try ClientAlone().begun()
        let frame = try peer.sealer.seal([1, 0])
        #expect(refusal { _ = try peer.client.openIfFrame(frame) } == .unexpectedMessage)
        #expect(refusal { _ = try peer.client.openIfFrame(Self.noise) } == .sessionEnded)
    }

    @Test("is found by an authenticator, whatever was tried before it")
    func authenticator() throws {
        var peer = try AuthenticatorAlone()
        let frame = try peer.sealer.seal([1, 4])
        for wrong in [[], Self.noise, Array(frame.dropLast()), frame + [0]] {
            #expect(try peer.authenticator.openIfFrame(wrong) == nil)
        }
        #expect(try peer.authenticator.openIfFrame(frame) == .request(.ctap([4])))
    }

    @Test("that is authentic but no message ends an authenticator's session")
    func authenticatorRefuses() throws {
        var peer = try AuthenticatorAlone()
        let frame = try peer.sealer.seal([9])
        #expect(refusal { _ = try peer.authenticator.openIfFrame(frame) } == .unknownType)
        #expect(refusal { _ = try peer.authenticator.openIfFrame(Self.noise) } == .sessionEnded)
    }

    @Test("is recognised as the first under either construction", arguments: [true, false])
    func first(isCurrent: Bool) throws {
        var peer = try ClientAlone(construction: isCurrent ? .current : .old)
        let frame = try peer.sealer.seal(ClientSessionTests.firstMessage)
        #expect(try peer.client.opens(frame))
        #expect(try !peer.client.opens(Array(frame.dropFirst())))
        #expect(try !peer.client.opens(Self.noise))
    }
}

@Suite("An advert's suffix")
struct AdvertSuffixTests {
    @Test("is one CBOR map with the PSM, or nothing")
    func written() {
        #expect(AdvertSuffix(psm: nil).encoded.isEmpty)
        #expect(AdvertSuffix(psm: 0x80).encoded == [0xa1, 0x01, 0x18, 0x80])
        #expect(AdvertSuffix(psm: 0x1234).encoded == [0xa1, 0x01, 0x19, 0x12, 0x34])
        for psm: UInt16 in [1, 0x80, 0xff, .max] {
            #expect(AdvertSuffix(AdvertSuffix(psm: psm).encoded.span).psm == psm)
        }
    }
}
