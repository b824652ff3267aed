import HybridProtocol
import Testing

/// The client's end against a peer whose messages no authenticator of ours would send (the article Messages).
@Suite("A client's session")
struct ClientSessionTests {
    private static let update: [UInt8] = [2, 0xa0]

    @Test("reads updates before, during and after a request, and the request stays open")
    func updates() throws {
        var peer = try ClientAlone().begun()
        let early = try peer.client.open(peer.sealer.seal(Self.update))
        #expect(early == .update(.none))
        _ = try peer.client.sealRequest(.ctap([4]))
        _ = try peer.client.open(peer.sealer.seal(Self.update))
        _ = try peer.client.open(peer.sealer.seal(Self.update))
        let answer = try peer.client.open(peer.sealer.seal([1, 0]))
        #expect(answer == .response(.ctap([0])))
        _ = try peer.client.sealShutdown()
        let late = try peer.client.open(peer.sealer.seal(Self.update))
        #expect(late == .update(.none))
    }

    @Test("takes an authenticator's shutdown as the end, since webauthn-rs sends one")
    func authenticatorShutdown() throws {
        var peer = try ClientAlone().begun()
        let event = try peer.client.open(peer.sealer.seal([0]))
        #expect(event == .shutdown)
        #expect(refusal { _ = try peer.client.sealRequest(.ctap([4])) } == .sessionEnded)
        #expect(refusal { _ = try peer.client.sealShutdown() } == .sessionEnded)
        #expect(refusal { _ = try peer.client.open(peer.sealer.seal([1, 0])) } == .sessionEnded)
    }

    @Test("refuses what fits no request, has no contents or an unknown type, and is over then")
    func badMessages() throws {
        let cases: [([UInt8], HybridProtocolError.Code)] = [
            ([1], .empty), ([3], .empty), ([], .empty), ([3, 0x7b, 0x7d], .unexpectedMessage),
            ([0, 0], .nonEmptyPayload),
            ([2], .invalidCBOR), ([2, 0x80], .notAMap), ([3, 0xff], .invalidText),
            ([4], .unknownType), ([0xff, 1], .unknownType),
        ]
        for (plaintext, code) in cases {
            var peer = try ClientAlone().begun()
            _ = try peer.client.sealRequest(.ctap([4]))
            #expect(refusal { _ = try peer.client.open(peer.sealer.seal(plaintext)) } == code, "\(plaintext)")
            #expect(refusal { _ = try peer.client.open(peer.sealer.seal([1, 0])) } == .sessionEnded)
        }
    }

    @Test(
        "refuses a first message that promises CTAP without getInfo, or getInfo without CTAP",
        arguments: [
            [0xa0], [0xa1, 0x03, 0x81, 0x64, 0x63, 0x74, 0x61, 0x70], [0xa2, 0x01, 0x41, 0xa0, 0x03, 0x80],
            [0xa2, 0x01, 0x41, 0xa0, 0x03, 0x81, 0x62, 0x64, 0x63],
        ] as [[UInt8]])
    func featureMismatch(plaintext: [UInt8]) throws {
        let code = try ClientAlone().refusalOfFirst(plaintext)
        #expect(code == .featureMismatch)
    }

    @Test("ignores unknown features, unknown keys, and filler of any length")
    func unknownFeatures() throws {
        // {0: zeros, 1: getInfo, 3: [1, "ctap", "xyz"], 9: null}
        let filler: [UInt8] = [0x00, 0x58, 0x40] + [UInt8](repeating: 0, count: 64)
        let plaintext: [UInt8] =
            [0xa4] + filler + [0x01, 0x41, 0xa0, 0x03, 0x83, 0x01, 0x64, 0x63, 0x74, 0x61, 0x70, 0x63, 0x78]
            + [0x79, 0x7a, 0x09, 0xf6]
        var peer = try ClientAlone().begun(plaintext)
        let features = peer.client.firstMessage.features
        #expect(features == [.ctap])
        _ = try peer.client.sealRequest(.ctap([4]))
    }

    @Test("of revision 0 has neither types nor shutdown", arguments: [1, 2])
    func revision0(countByteCount: Int) throws {
        var peer = try ClientAlone().begun(Self.padded(Self.firstMessage, countByteCount: countByteCount))
        let revision = peer.client.firstMessage.revision
        #expect(revision == .padded)
        let asked = try peer.opener.open(peer.client.sealRequest(.ctap([1, 0xa0])))
        #expect(asked == [1, 0xa0])
        let answer = try peer.client.open(peer.sealer.seal([0, 0xa0]))
        #expect(answer == .response(.ctap([0, 0xa0])))
        #expect(refusal { _ = try peer.client.sealRequest(.json("{}")) } == .unexpectedMessage)
        let shutdown = try peer.client.sealShutdown()
        #expect(shutdown == nil)
        #expect(refusal { _ = try peer.client.sealRequest(.ctap([4])) } == .sessionEnded)
    }

    @Test("of revision 0 refuses an unasked and an empty answer")
    func revision0Refusals() throws {
        var unasked = try ClientAlone().begun(Self.padded(Self.firstMessage, countByteCount: 2))
        #expect(refusal { _ = try unasked.client.open(unasked.sealer.seal([0])) } == .unexpectedMessage)
        var empty = try ClientAlone().begun(Self.padded(Self.firstMessage, countByteCount: 2))
        _ = try empty.client.sealRequest(.ctap([4]))
        #expect(refusal { _ = try empty.client.open(empty.sealer.seal([])) } == .empty)
    }

    @Test("of revision 0 has no features beside CTAP, whatever key 3 says")
    func revision0Features() throws {
        // {1: getInfo, 3: ["dc"]}
        let message: [UInt8] = [0xa2, 0x01, 0x41, 0xa0, 0x03, 0x81, 0x62, 0x64, 0x63]
        let peer = try ClientAlone().begun(Self.padded(message, countByteCount: 2))
        let features = peer.client.firstMessage.features
        #expect(features == [.ctap])
    }

    @Test("seals as the authenticator's first frame was sealed, be it the old way", arguments: [true, false])
    func construction(isOld: Bool) throws {
        var peer = try ClientAlone(construction: isOld ? .old : .current).begun()
        for _ in 0..<3 {
            let asked = try peer.opener.open(peer.client.sealRequest(.ctap([4])))
            #expect(asked == [1, 4])
            let answer = try peer.client.open(peer.sealer.seal([1, 0]))
            #expect(answer == .response(.ctap([0])))
        }
    }

    @Test("refuses a first frame that opens neither way")
    func noConstruction() throws {
        let alone = try ClientAlone()
        var sealer = alone.sealer
        var frame = try sealer.seal(Self.firstMessage)
        frame[0] ^= 1
        let client = alone.client
        var code: HybridProtocolError.Code?
        do { _ = try client.readFirstMessage(frame) } catch { code = error.code }
        #expect(code == .badTag)
    }

    static let firstMessage: [UInt8] = [0xa1, 0x01, 0x43] + Inputs.getInfo

    /// The padding of revision 0: zeros to a multiple of 512 or 256, the last two bytes or one counting them.
    static func padded(_ message: [UInt8], countByteCount: Int) -> [UInt8] {
        let block = countByteCount == 2 ? 512 : 256
        let zeroCount = block - message.count - countByteCount
        let count = (0..<countByteCount).map { UInt8(truncatingIfNeeded: zeroCount >> (8 * $0)) }
        return message + [UInt8](repeating: 0, count: zeroCount) + count
    }
}

/// A client's session and the bare keys of its other side.
struct BegunClient: ~Copyable {
    var client: ClientSession
    var sealer: FrameSealer
    var opener: FrameOpener
}

extension ClientAlone {
    consuming func begun(_ firstMessage: [UInt8] = ClientSessionTests.firstMessage) throws -> BegunClient {
        var sealer = sealer
        let frame = try sealer.seal(firstMessage)
        return BegunClient(client: try client.readFirstMessage(frame), sealer: sealer, opener: opener)
    }

    consuming func refusalOfFirst(_ firstMessage: [UInt8]) throws -> HybridProtocolError.Code? {
        var sealer = sealer
        let frame = try sealer.seal(firstMessage)
        do { _ = try client.readFirstMessage(frame) } catch { return error.code }
        return nil
    }
}
