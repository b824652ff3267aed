internal import Conformance
internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// A linking map that an honest authenticator makes (HT-LNK-2), with everything that goes into it.
struct SignedLinkingMap {
    /// The keys of the map.
    enum Key: Int, CaseIterable {
        case contactID = 1
        case linkID = 2
        case linkSecret = 3
        case publicKey = 4
        case name = 5
        case signature = 6
    }

    /// The length of the contact ID: any up to 4096 bytes would do.
    static let contactIDByteCount = 41

    /// The private half of the client's QR key: 32 bytes.
    let clientPrivate: [UInt8]
    /// The session that the map is signed for: 32 bytes.
    let handshakeHash: [UInt8]
    /// The input from which the authenticator makes the map.
    let input: CaseFields
    /// The map as it travels.
    let map: CBORMap

    /// Makes a map of a label's keys.
    ///
    /// - Parameters:
    ///   - contactID: nil for the label's.
    ///   - name: the authenticator's.
    init(_ seed: VectorSeed, _ label: String = "0", contactID: [UInt8]? = nil, name: String = "Phone") throws {
        clientPrivate = seed.privateKey("linking/\(label)/client")
        handshakeHash = seed.bytes("linking/\(label)/hash", SHA256.byteCount)
        input = [
            "contact_id": .hex(contactID ?? seed.bytes("linking/\(label)/contact", Self.contactIDByteCount)),
            "link_id": .hex(seed.bytes("linking/\(label)/id", LinkID.byteCount)),
            "link_secret": .hex(seed.bytes("linking/\(label)/secret", LinkSecret.byteCount)),
            "identity_private": .hex(seed.privateKey("linking/\(label)/identity")), "name": .string(name),
            "client_public": .hex(try CraftedPoint.publicKey(of: clientPrivate)), "handshake_hash": .hex(handshakeHash),
        ]
        let encoded = try LayerCases.outcome(of: "linking.encode", in: "linking", input).bytes("map")
        map = try CBORValue.decode(encoded.span).mapValue ?? [:]
    }

    /// The bytes of a field; none for the name.
    subscript(key: Key) -> [UInt8] { map[key.rawValue]?.bytesValue ?? [] }

    /// The map with another value for a field; nil takes it out.
    func with(_ key: Key, _ value: CBORValue?) -> CBORMap { map.with(CBORValue(Int64(key.rawValue)), value) }

    /// The map and its session, for damage.
    var data: HonestLinkingData {
        get throws {
            HonestLinkingData(
                map: map, sharedSecret: try CraftedPoint.sharedSecret(clientPrivate, self[.publicKey]),
                handshakeHash: handshakeHash)
        }
    }

    /// The input of the client's verification.
    ///
    /// - Parameter map: nil for the honest one.
    func verifying(_ map: CBORMap? = nil) -> CaseFields {
        [
            "map": .hex((map ?? self.map).encoded()), "static_private": .hex(clientPrivate),
            "handshake_hash": .hex(handshakeHash),
        ]
    }
}
