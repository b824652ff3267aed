internal import Cryptography
internal import PasskeyAuthenticator
internal import PasskeyExchange
internal import Vault

extension Vault {
    private static let handOverLabel = Array("hybrid passkey hand-over 1 receiver".utf8)

    /// The number by which senders know this vault again: always the same, and no other vault's. It tells nothing of
    /// the key that it comes from.
    ///
    /// - Returns: 16 bytes.
    /// - Throws: `CredentialStoreError`.
    func handOverID() throws -> [UInt8] {
        let key = try sealingKey()
        let id = HKDFSHA256.derive(
            secret: key.span, salt: Span(), info: Self.handOverLabel.span, byteCount: HandOverReceiver.idByteCount)
        return id.span.withUnsafeBufferPointer { Array($0) }
    }
}
