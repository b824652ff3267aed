internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// A vault that takes passkeys over.
package struct HandOverReceiver: Sendable, Hashable {
    /// The vault's own key, Ed25519: 32 bytes. It is always the same.
    package let key: [UInt8]
    /// Its name, for people. It is the peer's text.
    package let name: String
    /// The number that the vault stated before receivers had keys: 16 bytes, proven by nothing; nil if it had none.
    package let formerID: [UInt8]?

    /// The length of an ID: 32 bytes.
    package static let idByteCount = SHA256.byteCount
    /// The length of a former ID: 16 bytes.
    package static let formerIDByteCount = 16
    /// The longest name: 64 bytes of UTF-8 (PX-HOV-9).
    package static let maxNameByteCount = 64

    private static let idLabel = HandOverLabel.bytes(" receiver")
    private static let proofLabel = HandOverLabel.bytes(" identity")

    /// Names a receiver. The name is cut.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - name: for people.
    ///   - formerID: 16 bytes.
    package init(key: [UInt8], name: String, formerID: [UInt8]? = nil) {
        self.key = key
        self.name = name.truncated(toByteCount: Self.maxNameByteCount)
        self.formerID = formerID
    }

    /// The vault's own number: the hash of its key, 32 bytes (PX-HOV-24).
    package var id: [UInt8] { SHA256.hash(Self.idLabel.span, key.span) }

    /// The bytes that a receiver signs in a session (PX-HOV-26).
    ///
    /// - Parameter handshakeHash: 32 bytes.
    package static func statement(handshakeHash: [UInt8]) -> [UInt8] { proofLabel + handshakeHash }

    /// Refuses a receiver that has not signed this session's statement.
    ///
    /// - Throws: `badSignature`; `cryptographyFailed`.
    func check(_ proof: [UInt8], handshakeHash: [UInt8]) throws(HybridProtocolError) {
        let statement = Self.statement(handshakeHash: handshakeHash)
        let isGood: Bool
        do throws(CryptographyError) {
            isGood = try Ed25519.PublicKey(key.span).verify(signature: proof.span, of: statement.span)
        } catch { throw HybridProtocolError(.cryptographyFailed, from: error) }
        guard isGood else {
            throw HybridProtocolError(
                .badSignature, reason: "the receiver has not signed this session with the key that it claims to own")
        }
    }
}
