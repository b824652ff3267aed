import Cryptography
import Testing

@testable import HybridProtocol

/// Messages that a handshake refuses, and goes on refusing.
@Suite struct HandshakeRefusalTests {
    private static let pointByteCount = P256.uncompressedByteCount

    @Test("Every flipped bit of message 1 is refused: as no point, or by the tag", arguments: bothPatterns)
    func flipsOfMessage1(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        for (index, flipped) in singleBitFlips(try parties.message1()) {
            let expected: CryptographyError.Code = index < Self.pointByteCount ? .invalidPoint : .authenticationFailed
            #expect(try parties.refusalOfMessage1(flipped) == expected, "byte \(index)")
        }
    }

    @Test("Every flipped bit of message 2 is refused: as no point, or by the tag", arguments: bothPatterns)
    func flipsOfMessage2(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        for (index, flipped) in singleBitFlips(try parties.message2(answering: parties.message1())) {
            let expected: CryptographyError.Code = index < Self.pointByteCount ? .invalidPoint : .authenticationFailed
            #expect(try parties.refusalOfMessage2(flipped) == expected, "byte \(index)")
        }
    }

    @Test("Every flipped bit of a sealed payload is refused", arguments: bothPatterns)
    func flipsOfPayload(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        let message = try parties.message1(payload: [1, 2, 3])
        for (index, flipped) in singleBitFlips(message) where index >= Self.pointByteCount {
            #expect(try parties.refusalOfMessage1(flipped) == .authenticationFailed, "byte \(index)")
        }
    }

    @Test("Every truncation is refused by its length, and an added byte by the tag", arguments: bothPatterns)
    func lengths(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        let message1 = try parties.message1()
        let message2 = try parties.message2(answering: message1)
        for count in message1.indices {
            #expect(try parties.refusalOfMessage1(Array(message1.prefix(count))) == .wrongLength, "\(count) bytes")
            #expect(try parties.refusalOfMessage2(Array(message2.prefix(count))) == .wrongLength, "\(count) bytes")
        }
        #expect(try parties.refusalOfMessage1(message1 + [0]) == .authenticationFailed)
        #expect(try parties.refusalOfMessage2(message2 + [0]) == .authenticationFailed)
    }

    @Test("Another point in place of the ephemeral one is refused by the tag", arguments: bothPatterns)
    func otherPoint(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        let message1 = try parties.message1()
        let message2 = try parties.message2(answering: message1)
        let other = try P256.PrivateKey.generate().publicKey.uncompressed
        #expect(try parties.refusalOfMessage1(other + message1.dropFirst(65)) == .authenticationFailed)
        #expect(try parties.refusalOfMessage2(other + message2.dropFirst(65)) == .authenticationFailed)
    }

    @Test("The point at infinity and a compressed point are not ephemeral keys", arguments: bothPatterns)
    func formsOfPoint(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        let message1 = try parties.message1()
        let tag = message1.suffix(AES256GCM.tagByteCount)
        let compressed = try parties.ephemeralKey(.initiator).publicKey.compressed
        let filling = [UInt8](repeating: 0, count: Self.pointByteCount)
        for point in [filling, Array((compressed + filling).prefix(Self.pointByteCount))] {
            #expect(try parties.refusalOfMessage1(point + tag) == .invalidPoint)
            #expect(try parties.refusalOfMessage2(point + tag) == .invalidPoint)
        }
    }

    @Test("An initiator refuses its own message 1 in place of message 2", arguments: bothPatterns)
    func reflected(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        #expect(try parties.refusalOfMessage2(parties.message1()) == .authenticationFailed)
    }

    @Test("An answer to another message 1 is refused", arguments: bothPatterns)
    func otherSession(pattern: HandshakePattern) throws {
        let parties = Parties.fixed(pattern)
        var other = parties
        other.initiatorEphemeral[0] ^= 1
        let answerToOther = try parties.message2(answering: other.message1())
        #expect(try parties.refusalOfMessage2(answerToOther) == .authenticationFailed)
    }

    /// An input on which both ends have to agree, different for one of them.
    enum Disagreement: String, CaseIterable, Sendable {
        case presharedKey, staticKey, prologue, protocolName, pattern
    }

    @Test(
        "Ends that disagree on anything beforehand do not get past message 1",
        arguments: bothPatterns, Disagreement.allCases)
    func disagreements(pattern: HandshakePattern, disagreement: Disagreement) throws {
        let parties = Parties.fixed(pattern)
        var other = parties
        switch disagreement {
        case .presharedKey: other.presharedKey[31] ^= 1
        case .staticKey: other.staticScalar[31] ^= 1
        case .prologue: other.pattern = pattern.with(prologue: [7])
        case .protocolName: other.pattern = pattern.with(protocolName: "Noise_KNpsk0_P256_AESGCM_SHA512")
        case .pattern: other.pattern = pattern == .knPSK0 ? .nkPSK0 : .knPSK0
        }
        #expect(try other.refusalOfMessage1(parties.message1()) == .authenticationFailed)
    }

    @Test("A peer without the initiator's static private key gets message 1 through, but cannot read message 2")
    func impersonatedInitiator() throws {
        let parties = Parties.fixed(.knPSK0)
        // The same hash as KNpsk0, but without the token that takes the private key.
        let withoutKey = HandshakePattern(
            protocolName: HandshakePattern.knPSK0.protocolName, prologue: HandshakePattern.knPSK0.prologue,
            initiatorPreMessage: [], responderPreMessage: [.s], messages: [[.psk, .e], [.e, .ee]])
        var impostor = parties
        impostor.pattern = withoutKey
        let message1 = try impostor.message1()
        #expect(try parties.refusalOfMessage1(message1) == nil)
        let message2 = try parties.message2(answering: message1)
        #expect(try impostor.refusalOfMessage2(message2) == .authenticationFailed)
    }

    @Test("A peer without the responder's static private key cannot read message 1")
    func impersonatedResponder() throws {
        let parties = Parties.fixed(.nkPSK0)
        var impostor = parties
        impostor.pattern = HandshakePattern(
            protocolName: HandshakePattern.nkPSK0.protocolName, prologue: HandshakePattern.nkPSK0.prologue,
            initiatorPreMessage: [.s], responderPreMessage: [], messages: [[.psk, .e], [.e, .ee]])
        #expect(try impostor.refusalOfMessage1(parties.message1()) == .authenticationFailed)
    }

    @Test("A pre-shared key of another length is refused", arguments: bothPatterns, [0, 16, 31, 33])
    func presharedKeyLength(pattern: HandshakePattern, byteCount: Int) throws {
        let presharedKey = [UInt8](repeating: 1, count: byteCount)
        let remote = try P256.PrivateKey.generate().publicKey
        let code = refusal { () throws(CryptographyError) in
            try Handshake(
                pattern, role: .initiator, remoteStaticKey: remote,
                presharedKey: SecretBytes(copying: presharedKey.span))
        }
        #expect(code == .wrongLength)
    }

    @Test("A missing static key that the pattern needs is refused at the start", arguments: bothPatterns)
    func missingStaticKey(pattern: HandshakePattern) {
        for role in [HandshakeRole.initiator, .responder] {
            let presharedKey = Parties.fixed(pattern).presharedKey
            let code = refusal { () throws(CryptographyError) in
                try Handshake(pattern, role: role, presharedKey: SecretBytes(copying: presharedKey.span))
            }
            #expect(code == .outOfOrder)
        }
    }
}

extension HandshakePattern {
    fileprivate func with(protocolName: String? = nil, prologue: [UInt8]? = nil) -> Self {
        Self(
            protocolName: protocolName ?? self.protocolName, prologue: prologue ?? self.prologue,
            initiatorPreMessage: initiatorPreMessage, responderPreMessage: responderPreMessage, messages: messages)
    }
}
