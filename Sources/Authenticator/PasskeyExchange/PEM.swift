internal import Cryptography
internal import Encodings

/// The textual form of a private key in PKCS #8 (RFC 7468 section 10).
enum PEM {
    private static let begin = "-----BEGIN PRIVATE KEY-----"
    private static let end = "-----END PRIVATE KEY-----"
    private static let lineLength = 64

    /// The bytes of a key; nil if the text is none. White space around and between the lines is passed over.
    static func privateKey(_ text: String) -> [UInt8]? {
        let bytes = text.utf8.filter { !isWhiteSpace($0) }
        let (front, back) = (begin.utf8.filter { !isWhiteSpace($0) }, end.utf8.filter { !isWhiteSpace($0) })
        guard bytes.count >= front.count + back.count, bytes.starts(with: front), bytes.suffix(back.count) == back[...]
        else { return nil }
        return Base64.decode(String(decoding: bytes[front.count..<bytes.count - back.count], as: UTF8.self))
    }

    /// The text of a key, in lines of 64 characters.
    static func encode(_ key: borrowing SecretBytes) -> String {
        let body = Array(key.span.withUnsafeBufferPointer { Base64.encode($0) }.utf8)
        let lines = stride(from: 0, to: body.count, by: lineLength).map {
            String(decoding: body[$0..<min($0 + lineLength, body.count)], as: UTF8.self)
        }
        return ([begin] + lines + [end, ""]).joined(separator: "\n")
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
