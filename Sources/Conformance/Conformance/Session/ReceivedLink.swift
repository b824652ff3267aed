internal import Cryptography
internal import Encodings

/// A link that an authenticator has offered to the runner's client.
struct ReceivedLink: Sendable {
    /// The linking map, as it came.
    let map: CBORMap
    /// The update that it came in.
    let update: TunnelSession.Update
    /// The number of updates in the session.
    let updateCount: Int
    /// The private key of the client, and the session's handshake hash.
    let client: [UInt8]
    let handshakeHash: [UInt8]
    /// The contact IDs given in the session, by label; empty if the authenticator did not register.
    let registered: [[UInt8]: [UInt8]]

    /// The bytes of a field.
    ///
    /// - Throws: ``Deviation`` if they are missing.
    func bytes(_ key: Int) throws -> [UInt8] {
        guard let bytes = map[key]?.bytesValue else { throw Deviation("key \(key) of its linking data is not bytes") }
        return bytes
    }

    var contactID: [UInt8] { get throws { try bytes(LinkingKey.contactID) } }
    var linkID: [UInt8] { get throws { try bytes(LinkingKey.linkID) } }
    var secret: SharedSecret { get throws { SharedSecret(bytes: try bytes(LinkingKey.secret)) } }

    /// The authenticator's static key.
    var publicKey: P256.PublicKey {
        get throws {
            let point = try bytes(LinkingKey.publicKey)
            guard let key = try? P256.PublicKey(x963: point.span) else {
                throw Deviation("the public key in its linking data is not a point of the curve")
            }
            return key
        }
    }
}
