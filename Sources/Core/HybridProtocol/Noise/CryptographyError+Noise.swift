package import Cryptography

extension CryptographyError.Code {
    /// A handshake message at another place than the pattern has it, or a key that the pattern needs and that is
    /// missing.
    package static let outOfOrder = Self(rawValue: "out-of-order")
}

extension CryptographyError {
    static let missingKey = Self(.outOfOrder, reason: "the pattern needs a key that is not there")
}
