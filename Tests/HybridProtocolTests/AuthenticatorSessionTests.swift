import HybridProtocol
import Testing

/// The authenticator's end against a peer whose messages no client of ours would send (HT-MSG-17 to HT-MSG-21).
@Suite("An authenticator's session")
struct AuthenticatorSessionTests {
    @Test("refuses what a client may not send, and is over then")
    func badMessages() throws {
        let cases: [([UInt8], HybridProtocolError.Code)] = [
            ([], .empty), ([1], .empty), ([3], .empty), ([0, 0], .nonEmptyPayload), ([2], .invalidCBOR),
            ([2, 0xff], .invalidCBOR), ([3, 0x7b, 0x7d], .unexpectedMessage), ([3, 0xc3], .invalidText),
            ([4, 1], .unknownType),
        ]
        for (plaintext, code) in cases {
            var peer = try AuthenticatorAlone()
            #expect(refusal { _ = try peer.authenticator.open(peer.sealer.seal(plaintext)) } == code, "\(plaintext)")
            #expect(refusal { _ = try peer.authenticator.open(peer.sealer.seal([1, 4])) } == .sessionEnded)
        }
    }

    @Test("refuses a second request before the first is answered")
    func secondRequest() throws {
        var peer = try AuthenticatorAlone()
        _ = try peer.authenticator.open(peer.sealer.seal([1, 1, 0xa0]))
        #expect(refusal { _ = try peer.authenticator.open(peer.sealer.seal([1, 4])) } == .unexpectedMessage)
        #expect(refusal { _ = try peer.authenticator.sealResponse(.ctap([0])) } == .sessionEnded)
    }

    @Test("goes on after an update from the client, whatever its CBOR says", arguments: [[0xa0], [0x81, 1]])
    func update(contents: [UInt8]) throws {
        var peer = try AuthenticatorAlone()
        _ = try peer.opener.open(peer.authenticator.firstFrame)
        #expect(try peer.authenticator.open(peer.sealer.seal([2] + contents)) == .update(contents))
        #expect(try peer.authenticator.open(peer.sealer.seal([1, 4])) == .request(.ctap([4])))
        #expect(try peer.authenticator.open(peer.sealer.seal([2] + contents)) == .update(contents))
        #expect(try peer.opener.open(peer.authenticator.sealResponse(.ctap([0]))) == [1, 0])
    }

    @Test("refuses CTAP where it offers digital credentials alone")
    func notOffered() throws {
        var peer = try AuthenticatorAlone(features: [.digitalCredentials])
        #expect(refusal { _ = try peer.authenticator.open(peer.sealer.seal([1, 4])) } == .unexpectedMessage)
    }

    @Test("may be shut down while a request is open")
    func shutdownDuringRequest() throws {
        var peer = try AuthenticatorAlone()
        _ = try peer.authenticator.open(peer.sealer.seal([1, 4]))
        let event = try peer.authenticator.open(peer.sealer.seal([0]))
        #expect(event == .shutdown)
        #expect(refusal { _ = try peer.authenticator.sealResponse(.ctap([0])) } == .sessionEnded)
    }

    @Test("begins with the first message as a bare map, and answers with a type byte")
    func frames() throws {
        var peer = try AuthenticatorAlone()
        let first = try peer.opener.open(peer.authenticator.firstFrame)
        #expect(first == ClientSessionTests.firstMessage)
        _ = try peer.authenticator.open(peer.sealer.seal([1, 4]))
        let answer = try peer.opener.open(peer.authenticator.sealResponse(.ctap([0, 0xa0])))
        #expect(answer == [1, 0, 0xa0])
    }
}
