import Cryptography
import Testing

@testable import HybridProtocol

/// Noise section 5.3 and the article NoiseHandshake of HybridProtocol: the course of a handshake when both ends
/// keep to it.
@Suite struct HandshakeTests {
    @Test("Both messages have 81 bytes, and both ends get the same keys and hash", arguments: bothPatterns)
    func completes(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        var initiator = try parties.handshake(.initiator)
        var responder = try parties.handshake(.responder)
        let message1 = try initiator.writeMessage(ephemeralKey: parties.ephemeralKey(.initiator))
        #expect(try responder.readMessage(message1.span).isEmpty)
        let message2 = try responder.writeMessage(ephemeralKey: parties.ephemeralKey(.responder))
        #expect(try initiator.readMessage(message2.span).isEmpty)
        #expect(message1.count == 81 && message2.count == 81)

        let ours = try initiator.finish()
        let theirs = try responder.finish()
        #expect(ours.handshakeHash == theirs.handshakeHash)
        #expect(ours.handshakeHash.count == SHA256.byteCount)
        #expect(contents(ours.keys.initiatorToResponder) == contents(theirs.keys.initiatorToResponder))
        #expect(contents(ours.keys.responderToInitiator) == contents(theirs.keys.responderToInitiator))
        #expect(contents(ours.keys.initiatorToResponder) != contents(ours.keys.responderToInitiator))
        #expect(ours.keys.initiatorToResponder.count == TransportKeys.keyByteCount)
    }

    @Test("Payloads of any length arrive in both messages", arguments: bothPatterns, [0, 1, 31, 1000])
    func payloads(pattern: HandshakePattern, byteCount: Int) throws {
        let parties = Parties.fixed(pattern)
        let (first, second) = ([UInt8](repeating: 1, count: byteCount), [UInt8](repeating: 2, count: byteCount + 1))
        let message1 = try parties.message1(payload: first)
        #expect(message1.count == 81 + first.count)
        var responder = try parties.handshake(.responder)
        #expect(try responder.readMessage(message1.span) == first)
        // The payload of message 1 is part of the hash: message 2 answers this message 1 and no other.
        let message2 = try responder.writeMessage(ephemeralKey: parties.ephemeralKey(.responder), payload: second)
        var initiator = try parties.handshake(.initiator)
        _ = try initiator.writeMessage(ephemeralKey: parties.ephemeralKey(.initiator), payload: first)
        #expect(try initiator.readMessage(message2.span) == second)
    }

    @Test("The same keys give the same messages, and other ephemeral keys others", arguments: bothPatterns)
    func deterministic(pattern: HandshakePattern) throws {
        var parties = Parties.fixed(pattern)
        let message1 = try parties.message1()
        let message2 = try parties.message2(answering: message1)
        #expect(try parties.message1() == message1)
        #expect(try parties.message2(answering: message1) == message2)
        parties.initiatorEphemeral[0] ^= 1
        parties.responderEphemeral[0] ^= 1
        #expect(try parties.message1() != message1)
        #expect(try parties.message2(answering: message1) != message2)
    }

    @Test(
        "A message 1 that is sent again opens, but each answer to it is a session of its own", arguments: bothPatterns)
    func replayedMessage1(pattern: HandshakePattern) throws {
        var parties = Parties.fixed(pattern)
        let message1 = try parties.message1()
        var hashes = Set<[UInt8]>()
        for responderEphemeral: UInt8 in 1...3 {
            parties.responderEphemeral[0] = responderEphemeral
            var responder = try parties.handshake(.responder)
            _ = try responder.readMessage(message1.span)
            _ = try responder.writeMessage(ephemeralKey: parties.ephemeralKey(.responder))
            hashes.insert(try responder.finish().handshakeHash)
        }
        #expect(hashes.count == 3)
    }

    @Test("Each message begins with the writer's ephemeral point, uncompressed", arguments: bothPatterns)
    func points(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        let message1 = try parties.message1()
        let message2 = try parties.message2(answering: message1)
        #expect(try Array(message1.prefix(65)) == parties.ephemeralKey(.initiator).publicKey.uncompressed)
        #expect(try Array(message2.prefix(65)) == parties.ephemeralKey(.responder).publicKey.uncompressed)
    }

    @Test("A protocol name of up to 32 bytes is padded with zeros, a longer one hashed")
    func protocolNames() throws {
        let short = String(repeating: "n", count: 31)
        #expect(SymmetricState(protocolName: short).handshakeHash == Array(short.utf8) + [0])
        let whole = String(repeating: "n", count: 32)
        #expect(SymmetricState(protocolName: whole).handshakeHash == Array(whole.utf8))
        let long = Array(String(repeating: "n", count: 33).utf8)
        let hashed = SymmetricState(protocolName: String(decoding: long, as: UTF8.self)).handshakeHash
        #expect(hashed == SHA256.hash(long.span))
    }
}
