internal import Encodings

extension JSONValue {
    /// Bytes as a text in base64url (WebAuthn Level 3 section 3).
    static func base64URL(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
}
