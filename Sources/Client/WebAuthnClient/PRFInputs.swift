internal import CTAP
internal import Cryptography

/// A page's inputs for the extension prf: one or two, of any length. Source: WebAuthn Level 3 section 10.1.4.
public struct PRFInputs: Sendable, Hashable {
    /// The first input.
    public let first: [UInt8]
    /// The second input, if there is one.
    public let second: [UInt8]?

    /// The prefix of an input that is hashed, with a zero byte, so that a page can reach no other salts
    /// (HT-CTAP-29).
    private static let context: [UInt8] = Array("WebAuthn PRF".utf8) + [0]

    /// Takes inputs.
    public init(first: [UInt8], second: [UInt8]? = nil) {
        self.first = first
        self.second = second
    }

    /// The salts that a browser makes of a page's inputs.
    ///
    /// - Throws: `CTAPError`, never: they have their length.
    func salts() throws(CTAPError) -> PRFValues {
        try PRFValues(first: Self.salt(first), second: second.map(Self.salt))
    }

    private static func salt(_ input: [UInt8]) -> [UInt8] {
        let bytes = context + input
        return SHA256.hash(bytes.span)
    }
}
