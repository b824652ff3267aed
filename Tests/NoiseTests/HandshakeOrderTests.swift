import Cryptography
import HybridProtocol
import Testing

/// Steps at another place than the pattern has them.
@Suite struct HandshakeOrderTests {
    @Test("An initiator does not read first", arguments: bothPatterns)
    func initiatorReadsFirst(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        let message1 = try parties.message1()
        var initiator = try parties.handshake(.initiator)
        #expect(refusal { () throws(CryptographyError) in try initiator.readMessage(message1.span) } == .outOfOrder)
    }

    @Test("A responder does not write first", arguments: bothPatterns)
    func responderWritesFirst(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        var responder = try parties.handshake(.responder)
        #expect(try writeRefusal(&responder, parties, .responder) == .outOfOrder)
    }

    @Test("An initiator does not write twice", arguments: bothPatterns)
    func initiatorWritesTwice(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        var initiator = try parties.waitingInitiator()
        #expect(try writeRefusal(&initiator, parties, .initiator) == .outOfOrder)
    }

    @Test("A responder does not read twice", arguments: bothPatterns)
    func responderReadsTwice(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        let message1 = try parties.message1()
        var responder = try parties.handshake(.responder)
        _ = try responder.readMessage(message1.span)
        #expect(refusal { () throws(CryptographyError) in try responder.readMessage(message1.span) } == .outOfOrder)
    }

    @Test("A key that is taken ahead gives the same message", arguments: bothPatterns)
    func keyAhead(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        var initiator = try parties.handshake(.initiator)
        try initiator.prepare(ephemeralKey: parties.ephemeralKey(.initiator))
        let message1 = try initiator.writeMessage()
        #expect(try message1 == parties.message1())
        var responder = try parties.handshake(.responder)
        try responder.prepare(ephemeralKey: parties.ephemeralKey(.responder))
        _ = try responder.readMessage(message1.span)
        #expect(try responder.writeMessage() == parties.message2(answering: message1))
    }

    @Test("There is one ephemeral key, and no message without it", arguments: bothPatterns)
    func oneKey(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        var initiator = try parties.handshake(.initiator)
        #expect(refusal { () throws(CryptographyError) in try initiator.writeMessage() } == .outOfOrder)

        var prepared = try parties.handshake(.initiator)
        try prepared.prepare(ephemeralKey: parties.ephemeralKey(.initiator))
        let second = try parties.ephemeralKey(.responder)
        let code: CryptographyError.Code?
        do throws(CryptographyError) {
            try prepared.prepare(ephemeralKey: second)
            code = nil
        } catch { code = error.code }
        #expect(code == .outOfOrder)
        #expect(try prepared.writeMessage() == parties.message1())
    }

    @Test("After its last message neither end reads or writes more, and still has its keys", arguments: bothPatterns)
    func afterTheEnd(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        let message1 = try parties.message1()
        let message2 = try parties.message2(answering: message1)
        var initiator = try parties.waitingInitiator()
        _ = try initiator.readMessage(message2.span)
        #expect(refusal { () throws(CryptographyError) in try initiator.readMessage(message2.span) } == .outOfOrder)
        #expect(try writeRefusal(&initiator, parties, .initiator) == .outOfOrder)
        #expect(try initiator.finish().handshakeHash.count == SHA256.byteCount)

        var responder = try parties.handshake(.responder)
        _ = try responder.readMessage(message1.span)
        _ = try responder.writeMessage(ephemeralKey: parties.ephemeralKey(.responder))
        #expect(refusal { () throws(CryptographyError) in try responder.readMessage(message1.span) } == .outOfOrder)
        #expect(try writeRefusal(&responder, parties, .responder) == .outOfOrder)
        #expect(try responder.finish().handshakeHash.count == SHA256.byteCount)
    }

    @Test("There are no keys before the last message", arguments: bothPatterns)
    func earlyFinish(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        let fresh = try parties.handshake(.initiator)
        #expect(finishRefusal(fresh) == .outOfOrder)
        let waiting = try parties.waitingInitiator()
        #expect(finishRefusal(waiting) == .outOfOrder)
        let message1 = try parties.message1()
        var responder = try parties.handshake(.responder)
        _ = try responder.readMessage(message1.span)
        #expect(finishRefusal(responder) == .outOfOrder)
    }

    /// Damage to a message: in its length, its point, its tag.
    enum Spoilt: CaseIterable, Sendable {
        case length, point, tag

        func apply(_ message: [UInt8]) -> [UInt8] {
            var message = message
            switch self {
            case .length: message.removeLast()
            case .point: message[1] ^= 1
            case .tag: message[message.count - 1] ^= 1
            }
            return message
        }
    }

    @Test("After a refused message the true one comes too late", arguments: bothPatterns, Spoilt.allCases)
    func noSecondChance(pattern: HandshakePattern, spoilt: Spoilt) throws {
        let parties = Parties.fixed(pattern)
        let message1 = try parties.message1()
        var responder = try parties.handshake(.responder)
        let spoiltMessage1 = spoilt.apply(message1)
        #expect(refusal { () throws(CryptographyError) in try responder.readMessage(spoiltMessage1.span) } != nil)
        #expect(refusal { () throws(CryptographyError) in try responder.readMessage(message1.span) } == .outOfOrder)
        #expect(try writeRefusal(&responder, parties, .responder) == .outOfOrder)

        let message2 = try parties.message2(answering: message1)
        var initiator = try parties.waitingInitiator()
        let spoiltMessage2 = spoilt.apply(message2)
        #expect(refusal { () throws(CryptographyError) in try initiator.readMessage(spoiltMessage2.span) } != nil)
        #expect(refusal { () throws(CryptographyError) in try initiator.readMessage(message2.span) } == .outOfOrder)
        #expect(finishRefusal(initiator) == .outOfOrder)
    }

    private func writeRefusal(
        _ handshake: inout Handshake, _ parties: Parties, _ role: HandshakeRole
    ) throws -> CryptographyError.Code? {
        do {
            _ = try handshake.writeMessage(ephemeralKey: parties.ephemeralKey(role))
            return nil
        } catch let error as CryptographyError {
            return error.code
        }
    }

    private func finishRefusal(_ handshake: consuming Handshake) -> CryptographyError.Code? {
        do {
            _ = try handshake.finish()
            return nil
        } catch {
            return error.code
        }
    }
}
