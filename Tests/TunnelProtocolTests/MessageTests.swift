import Cryptography
import Encodings
import HybridProtocol
import Testing

@Suite("A message of the contact protocol")
struct MessageTests {
    private static let tunnelID = [UInt8](repeating: 3, count: 16)
    private static let challenge = [UInt8](repeating: 4, count: 32)
    private static let wake = ServiceMessage.Wake(
        contactID: [1], tunnelID: tunnelID, routingID: [1, 2, 3], clientPayload: [0xA0])

    @Test(
        "of the service comes back as it was",
        arguments: [
            ServiceMessage.hello(challenge: challenge),
            .registered(contactIDs: [], nextChallenge: challenge),
            .registered(
                contactIDs: Array(repeating: [UInt8](repeating: 1, count: 4096), count: 64), nextChallenge: challenge),
            .wake(wake),
            .wake(
                ServiceMessage.Wake(
                    contactID: [UInt8](repeating: 1, count: 4096), tunnelID: tunnelID, routingID: [0, 0, 0],
                    clientPayload: [UInt8](repeating: 2, count: 256))),
        ])
    func service(message: ServiceMessage) throws {
        #expect(try ServiceMessage(decoding: message.encoded()) == message)
    }

    @Test("of an authenticator comes back as it was, and fits its limit")
    func authenticator() throws {
        let labels = try (0..<64).map { try #require(ContactLabel([UInt8](repeating: $0, count: 8))) }
        let registration = try ContactRegistration(
            labels: labels, listens: true, host: "a", challenge: Self.challenge, key: P256.PrivateKey.generate())
        let messages: [AuthenticatorMessage] = [
            .register(registration), .acknowledge(tunnelID: Self.tunnelID), .decline(tunnelID: Self.tunnelID),
        ]
        for message in messages {
            #expect(message.encoded().count <= AuthenticatorMessage.maximumByteCount)
            #expect(try AuthenticatorMessage(decoding: message.encoded()) == message)
        }
    }

    @Test("may have fields that are not known yet")
    func unknownFields() throws {
        var map = try #require(CBORValue.decode(ServiceMessage.wake(Self.wake).encoded().span).mapValue)
        map[9] = .array([.map([1: 2])])
        map["name"] = .text("x")
        #expect(try ServiceMessage(decoding: CBORValue.map(map).encoded()) == .wake(Self.wake))
    }

    @Test("is read by the side that it is for alone")
    func sides() throws {
        let unknown = TunnelProtocolError(.unknownType, reason: "")
        #expect(throws: unknown) {
            try ServiceMessage(decoding: AuthenticatorMessage.decline(tunnelID: Self.tunnelID).encoded())
        }
        #expect(throws: unknown) { try AuthenticatorMessage(decoding: ServiceMessage.wake(Self.wake).encoded()) }
        #expect(throws: unknown) { try ServiceMessage(decoding: CBORValue.map([0: 99]).encoded()) }
    }

    @Test("that is not canonical CBOR, or no map, or too long, is malformed")
    func malformed() {
        let hello = ServiceMessage.hello(challenge: Self.challenge).encoded()
        let wrong: [[UInt8]] = [
            [], [0x80], [0xA0, 0x00], [0xBF, 0xFF], hello + [0], Array(hello.dropLast()), [0xA1, 0x00, 0x18, 0x01],
            Array(repeating: 0x81, count: 100) + [0x80],
        ]
        for bytes in wrong {
            #expect(throws: TunnelProtocolError(.malformed, reason: "")) { try ServiceMessage(decoding: bytes) }
        }
        let long = CBORValue.map([0: 5, 1: .bytes(Self.tunnelID), 9: .bytes([UInt8](repeating: 0, count: 1024))])
        #expect(throws: TunnelProtocolError(.malformed, reason: "")) {
            try AuthenticatorMessage(decoding: long.encoded())
        }
    }

    @Test("with a field missing, of another type or of another length is refused")
    func fields() throws {
        let messages: [(CBORMap, TunnelProtocolError.Code)] = [
            ([:], .missingField), ([0: "1"], .missingField), ([0: 5], .missingField),
            ([0: 5, 1: .text("0123456789abcdef")], .missingField),
            ([0: 5, 1: .bytes([UInt8](repeating: 1, count: 15))], .wrongLength),
            ([0: 6, 1: .bytes([UInt8](repeating: 1, count: 17))], .wrongLength),
            (register([3: .array([.bytes([1])])]), .wrongLength),
            (register([3: .array(Array(repeating: .bytes([UInt8](repeating: 1, count: 8)), count: 65))]), .wrongLength),
            (register([3: .array([1])]), .missingField),
            (register([1: .bytes([UInt8](repeating: 2, count: 65))]), .wrongLength),
            (register([2: .bytes([UInt8](repeating: 2, count: 73))]), .wrongLength),
            (register([4: 1]), .missingField),
        ]
        for (map, code) in messages {
            #expect(throws: TunnelProtocolError(code, reason: ""), "\(map)") {
                try AuthenticatorMessage(decoding: CBORValue.map(map).encoded())
            }
        }
    }

    /// A registration with some fields replaced.
    private func register(_ changes: [Int: CBORValue]) -> CBORMap {
        var map: CBORMap = [
            0: 2, 1: .bytes([UInt8](repeating: 2, count: 33)), 2: .bytes([UInt8](repeating: 2, count: 70)), 3: [],
            4: .bool(true),
        ]
        for (key, value) in changes { map[key] = value }
        return map
    }
}
