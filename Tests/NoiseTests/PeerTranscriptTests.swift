import Cryptography
import Foundation
import HybridProtocol
import TestPeers
import Testing

/// Whole sessions as the PyPI package `noiseprotocol` holds them (Fixtures/make-transcripts).
@Suite struct PeerTranscriptTests {
    struct Transcript: Decodable, Sendable, CustomTestStringConvertible {
        struct Frame: Decodable, Sendable {
            let fromInitiator: Bool
            let plaintext: String
            let sealed: String
        }

        let pattern: String
        let presharedKey: String
        let staticScalar: String
        let ephemeralScalars: [String]
        let payloads: [String]
        let messages: [String]
        let handshakeHash: String
        let initiatorToResponder: String
        let responderToInitiator: String
        let frames: [Frame]

        var testDescription: String { "\(pattern) \(presharedKey.prefix(8))" }

        func parties() throws -> Parties {
            Parties(
                pattern: pattern == "KNpsk0" ? .knPSK0 : .nkPSK0,
                presharedKey: bytes(presharedKey),
                staticScalar: bytes(staticScalar),
                initiatorEphemeral: bytes(try #require(ephemeralScalars.first)),
                responderEphemeral: bytes(try #require(ephemeralScalars.last)))
        }
    }

    static func transcripts() throws -> [Transcript] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let file = folder.appending(path: "Fixtures/transcripts.json")
        return try JSONDecoder().decode([Transcript].self, from: Data(contentsOf: file))
    }

    @Test("There are 20 transcripts of each pattern")
    func counts() throws {
        let transcripts = try Self.transcripts()
        #expect(transcripts.count { $0.pattern == "KNpsk0" } == 20)
        #expect(transcripts.count { $0.pattern == "NKpsk0" } == 20)
    }

    @Test("Both ends write and read what the peer did, byte for byte", arguments: try transcripts())
    func handshake(_ transcript: Transcript) throws {
        let parties = try transcript.parties()
        let (payload1, payload2) = (bytes(transcript.payloads[0]), bytes(transcript.payloads[1]))
        var initiator = try parties.handshake(.initiator)
        var responder = try parties.handshake(.responder)

        let message1 = try initiator.writeMessage(ephemeralKey: parties.ephemeralKey(.initiator), payload: payload1)
        #expect(hex(message1) == transcript.messages[0])
        #expect(try responder.readMessage(message1.span) == payload1)
        let message2 = try responder.writeMessage(ephemeralKey: parties.ephemeralKey(.responder), payload: payload2)
        #expect(hex(message2) == transcript.messages[1])
        #expect(try initiator.readMessage(message2.span) == payload2)

        check(try initiator.finish(), transcript)
        check(try responder.finish(), transcript)
    }

    private func check(_ result: consuming HandshakeResult, _ transcript: Transcript) {
        #expect(hex(result.handshakeHash) == transcript.handshakeHash)
        #expect(hex(contents(result.keys.initiatorToResponder)) == transcript.initiatorToResponder)
        #expect(hex(contents(result.keys.responderToInitiator)) == transcript.responderToInitiator)
    }

    @Test("The peer's frames open here, and are sealed here to the same bytes", arguments: try transcripts())
    func frames(_ transcript: Transcript) throws {
        for (fromInitiator, key) in [(true, transcript.initiatorToResponder), (false, transcript.responderToInitiator)]
        {
            let key = bytes(key)
            var sealer = try FrameSealer(key: key.span)
            var opener = try FrameOpener(key: key.span)
            for frame in transcript.frames where frame.fromInitiator == fromInitiator {
                let sealed = try sealer.seal(padded: bytes(frame.plaintext))
                #expect(hex(sealed) == frame.sealed)
                let opened = try opener.openPadded(sealed)
                #expect(hex(opened) == frame.plaintext)
            }
        }
    }
}
