import Cryptography
import Encodings
import HybridProtocol
import Testing

/// Linking data that no authenticator of ours would send (HT-LNK-23 to HT-LNK-30). The session survives each
/// of them (HT-LNK-33).
@Suite("A client's session")
struct LinkingRefusalTests {
    /// A change to an honest linking map, and why the client drops it; nil if it takes it.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: HybridProtocolError.Code?
        let apply: @Sendable (inout CBORMap) -> Void

        init(_ name: String, _ code: HybridProtocolError.Code?, _ apply: @escaping @Sendable (inout CBORMap) -> Void) {
            testDescription = name
            self.code = code
            self.apply = apply
        }
    }

    static let lengths = [1: [0, 4097], 2: [0, 7, 9], 3: [0, 31, 33], 4: [0, 33, 64, 66], 6: [0, 31, 33]]

    static let changes: [Change] =
        (1...6).flatMap { key in
            [
                Change("without key \(key)", .missingField) { $0[key] = nil },
                Change("key \(key) is a number", .wrongType) { $0[key] = .unsigned(1) },
                Change("key \(key) is null", .wrongType) { $0[key] = .null },
            ]
        }
        + lengths.flatMap { key, counts in
            counts.map { count in
                Change("key \(key) of \(count) bytes", .wrongLength) {
                    $0[key] = .bytes([UInt8](repeating: 1, count: count))
                }
            }
        }
        + [
            Change("honest", nil) { _ in },
            Change("with Play Services' mark", nil) { $0[999] = .bool(true) },
            Change("a contact ID of one byte", nil) { $0[1] = .bytes([0]) },
            Change("a contact ID of 4096 bytes", nil) { $0[1] = .bytes([UInt8](repeating: 0, count: 4096)) },
            Change("no name", nil) { $0[5] = .text("") },
            Change("a name of 100 KB", nil) { $0[5] = .text(String(repeating: "x", count: 100_000)) },
            Change("a key off the curve", .invalidPoint) { change(&$0, 4, at: 64) },
            Change("a key in hybrid form", .invalidPoint) { $0[4] = .bytes([6] + [UInt8](repeating: 1, count: 64)) },
            Change("a key at infinity", .invalidPoint) { $0[4] = .bytes([UInt8](repeating: 0, count: 65)) },
            Change("a signature with a wrong first bit", .badSignature) { change(&$0, 6, at: 0) },
            Change("a signature with a wrong last bit", .badSignature) { change(&$0, 6, at: 31) },
            Change("another authenticator's key", .badSignature) {
                $0[4] = .bytes((try? LinkMaker.root(1).identityKey().publicKey.uncompressed) ?? [])
            },
        ]

    private static func change(_ map: inout CBORMap, _ key: Int, at index: Int) {
        var bytes = map[key]?.bytesValue ?? []
        bytes[index] ^= 1
        map[key] = .bytes(bytes)
    }

    @Test("judges linking data in an update, and goes on", arguments: changes)
    func update(change: Change) throws {
        var peer = try LinkableClient()
        let event = try peer.open(linking: .map(peer.map(change)))
        let refused = change.code.map { HybridProtocolError($0, reason: "") }
        #expect(event == .update(refused.map { .refused($0) } ?? .verified))
        #expect((peer.client.takenName() != nil) == (change.code == nil))
        _ = try peer.client.sealRequest(.ctap([4]))
        let answer = try peer.client.open(peer.sealer.seal([1, 0]))
        #expect(answer == .response(.ctap([0])))
    }

    @Test("judges linking data in the first message likewise", arguments: changes)
    func firstMessage(change: Change) throws {
        let alone = try ClientAlone(details: .linkable)
        var map = try LinkMaker.map(clientKey: alone.clientKey, handshakeHash: alone.client.handshakeHash)
        change.apply(&map)
        let first: CBORMap = [1: .bytes(Inputs.getInfo), 2: .map(map)]
        var peer = try alone.begun(first.encoded())
        let refused = change.code.map { HybridProtocolError($0, reason: "") }
        let result = peer.client.firstMessageLinking
        #expect(result == (refused.map { .refused($0) } ?? .verified))
        #expect((peer.client.takenName() != nil) == (change.code == nil))
    }

    @Test("drops linking data that is not a map, and goes on")
    func noMap() throws {
        var peer = try LinkableClient()
        let event = try peer.open(linking: .bytes([1]))
        #expect(event == .update(.refused(HybridProtocolError(.wrongType, reason: ""))))
        let again = try peer.open(linking: .map(peer.map()))
        #expect(again == .update(.verified))
    }

    @Test("drops good linking data after the first good one, and keeps the first")
    func twice() throws {
        var peer = try LinkableClient()
        let refused = try peer.open(linking: .map([:]))
        #expect(refused == .update(.refused(HybridProtocolError(.missingField, reason: ""))))
        let first = try peer.open(linking: .map(peer.map()))
        #expect(first == .update(.verified))
        let other = Change("another name", nil) { $0[5] = .text("other") }
        let second = try peer.open(linking: .map(peer.map(other)))
        #expect(second == .update(.refused(HybridProtocolError(.alreadyLinked, reason: ""))))
        #expect(peer.client.takenName() == "Küche")
    }

    @Test("drops linking data if its QR code did not offer linking", arguments: [false, nil])
    func notOffered(supportsLinking: Bool?) throws {
        var peer = try LinkableClient(.init(timestamp: nil, supportsLinking: supportsLinking, hint: .getAssertion))
        let event = try peer.open(linking: .map(peer.map()))
        #expect(event == .update(.refused(HybridProtocolError(.linkingNotOffered, reason: ""))))
        #expect(peer.client.takenName() == nil)
    }

    @Test("drops linking data that was signed for another session")
    func otherSession() throws {
        let other = try LinkableClient()
        var peer = try LinkableClient()
        let event = try peer.open(linking: .map(other.map()))
        #expect(event == .update(.refused(HybridProtocolError(.badSignature, reason: ""))))
    }

    @Test("does not show the linking data of its first message")
    func hidden() throws {
        let alone = try ClientAlone(details: .linkable)
        let map = try LinkMaker.map(clientKey: alone.clientKey, handshakeHash: alone.client.handshakeHash)
        let first: CBORMap = [1: .bytes(Inputs.getInfo), 2: .map(map)]
        let peer = try alone.begun(first.encoded())
        let firstMessage = peer.client.firstMessage
        #expect(!"\(firstMessage)".contains("3, 3, 3"))
    }
}

/// A client that may be linked, and the other side of its session as bare keys.
private struct LinkableClient: ~Copyable {
    var client: ClientSession
    var sealer: FrameSealer
    let clientKey: P256.PublicKey
    let handshakeHash: [UInt8]

    init(_ details: Invitation.Details = .linkable) throws {
        let alone = try ClientAlone(details: details)
        let clientKey = alone.clientKey
        let handshakeHash = alone.client.handshakeHash
        let begun = try alone.begun()
        client = begun.client
        sealer = begun.sealer
        self.clientKey = clientKey
        self.handshakeHash = handshakeHash
    }

    func map(_ change: LinkingRefusalTests.Change? = nil) throws -> CBORMap {
        var map = try LinkMaker.map(clientKey: clientKey, handshakeHash: handshakeHash)
        change?.apply(&map)
        return map
    }

    mutating func open(linking: CBORValue) throws -> ClientSession.Event {
        let update: CBORMap = [1: linking]
        return try client.open(sealer.seal([2] + update.encoded()))
    }
}
