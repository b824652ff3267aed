internal import Cryptography
internal import PasskeyExchange

/// Identity of a vault as a receiver of hand-overs: an Ed25519 key that comes from the vault's sealing key, and is
/// always the same.
struct HandOverIdentity: ~Copyable {
    private static let keyLabel = Array("hybrid passkey hand-over 1 receiver key".utf8)
    private static let formerLabel = Array("hybrid passkey hand-over 1 receiver".utf8)

    /// The receiver, for senders.
    let receiver: HandOverReceiver
    private let key: Ed25519.PrivateKey

    /// Derives the identity.
    ///
    /// - Parameters:
    ///   - sealingKey: the vault's.
    ///   - name: the name of this machine.
    /// - Throws: `CryptographyError`.
    init(sealingKey: borrowing SecretBytes, name: String) throws(CryptographyError) {
        func derived(_ label: [UInt8], _ byteCount: Int) -> SecretBytes {
            HKDFSHA256.derive(secret: sealingKey.span, salt: Span(), info: label.span, byteCount: byteCount)
        }
        let seed = derived(Self.keyLabel, Ed25519.seedByteCount)
        let former = derived(Self.formerLabel, HandOverReceiver.formerIDByteCount)
        key = try Ed25519.PrivateKey(seed: seed.span)
        receiver = HandOverReceiver(
            key: key.publicKey.bytes, name: name, formerID: former.span.withUnsafeBufferPointer { Array($0) })
    }

    /// The message that says and proves it.
    ///
    /// - Parameter statement: the bytes to sign in this session.
    /// - Throws: `CryptographyError`.
    func message(signing statement: [UInt8]) throws(CryptographyError) -> HandOverMessage {
        .identity(.init(receiver: receiver, proof: try key.sign(statement.span)))
    }
}
