internal import Cryptography

/// The number that two people compare before passkeys are handed over: six digits (PX-HOV-12).
///
/// It comes from the handshake hash, which names the session, and from one number of each side. The receiver has
/// committed itself to its number before it learns the sender's, and the sender draws its own before it learns the
/// receiver's: so somebody between the two, who has a session with each, has one attempt in a million, and cannot
/// search for sessions whose codes agree.
package struct ComparisonCode: Sendable, Hashable {
    /// The digits, with zeros at the left.
    package let digits: String

    /// The number of digits.
    package static let digitCount = 6
    /// The length of each side's number: 32 bytes.
    package static let nonceByteCount = 32
    /// The length of a commitment: 32 bytes.
    package static let commitmentByteCount = SHA256.byteCount

    private static let codeInfo = HandOverLabel.bytes(" code")
    private static let commitmentLabel = HandOverLabel.bytes(" commitment")
    private static let modulus: UInt64 = 1_000_000
    private static let derivedByteCount = 8

    /// Computes a code.
    ///
    /// - Parameters:
    ///   - handshakeHash: 32 bytes.
    ///   - receiver: the receiver's number, 32 bytes.
    ///   - sender: the sender's number, 32 bytes.
    package init(handshakeHash: [UInt8], receiver: [UInt8], sender: [UInt8]) {
        let salt = receiver + sender
        let derived = HKDFSHA256.derive(
            secret: handshakeHash.span, salt: salt.span, info: Self.codeInfo.span, byteCount: Self.derivedByteCount)
        let span = derived.span
        var number: UInt64 = 0
        for index in span.indices { number = number << 8 | UInt64(span[index]) }
        let digits = String(number % Self.modulus)
        self.digits = String(repeating: "0", count: Self.digitCount - digits.count) + digits
    }

    /// The digits in two groups, for people: `123 456`.
    package var grouped: String { "\(digits.prefix(Self.digitCount / 2)) \(digits.suffix(Self.digitCount / 2))" }

    /// The receiver's commitment to its number (PX-HOV-11).
    ///
    /// - Parameters:
    ///   - nonce: the number, 32 bytes.
    ///   - handshakeHash: 32 bytes.
    /// - Returns: 32 bytes.
    package static func commitment(to nonce: [UInt8], handshakeHash: [UInt8]) -> [UInt8] {
        let session = commitmentLabel + handshakeHash
        return SHA256.hash(session.span, nonce.span)
    }
}
