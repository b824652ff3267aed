internal import Cryptography

// The codes by which the nodes of a service, which share its contact secret, know each other (TS-CON-54).
extension ContactTokenIssuer {
    /// The length of a code: 32 bytes.
    package static let nodeCodeByteCount = HMACSHA256.byteCount

    private static let nodeKeyByteCount = 32
    private static let nodeKeyInfo = Array("hybrid contact nodes 2".utf8)

    /// The key of the codes: HKDF-SHA-256 of a contact secret, without a salt.
    static func nodeKey(from secret: borrowing SecretBytes) -> SecretBytes {
        HKDFSHA256.derive(
            secret: secret.span, salt: Span(), info: nodeKeyInfo.span, byteCount: nodeKeyByteCount)
    }

    /// The code of a node's message to others: HMAC-SHA-256 under a key that is derived from the contact secret.
    ///
    /// - Returns: 32 bytes.
    package func nodeCode(of message: [UInt8]) -> [UInt8] {
        var function = nodeCodeFunction()
        return function.authenticationCode(for: message.span)
    }

    /// True if a code was made with this contact secret or the previous one; compared in constant time.
    ///
    /// - Parameters:
    ///   - code: any bytes; only 32 can be a code.
    ///   - message: any bytes.
    package func isNodeCode(_ code: [UInt8], of message: [UInt8]) -> Bool {
        guard code.count == Self.nodeCodeByteCount else { return false }
        var function = nodeCodeFunction()
        return function.isValid(code.span, for: message.span) || previous?.isNodeCode(code, of: message) == true
    }

    private func nodeCodeFunction() -> HMACSHA256 {
        let key = nodeKey.clone()
        return HMACSHA256(key: key.span)
    }
}
