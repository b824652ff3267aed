package import Cryptography

extension CryptographyErrorCode {
    /// A handshake message at another place than the pattern has it, or a key that the pattern needs and that is
    /// missing.
    package static let outOfOrder = Self(rawValue: "out-of-order")
}

extension CryptographyError {
    static var missingKey: Self { Self(.outOfOrder, reason: "the pattern needs a key that is not there") }
}
