internal import Encodings

/// An algorithm by its COSE number. Source: IANA "COSE Algorithms".
public struct COSEAlgorithm: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int64

    /// Makes an algorithm from its number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// ECDSA on P-256 with SHA-256: −7.
    public static let es256 = Self(rawValue: -7)
    /// RSASSA-PKCS1-v1_5 with SHA-256: −257.
    public static let rs256 = Self(rawValue: -257)
    /// Key agreement on P-256, as CTAP marks it: −25.
    public static let ecdhESHKDF256 = Self(rawValue: -25)
    /// EdDSA, in WebAuthn with Ed25519: −8.
    public static let edDSA = Self(rawValue: -8)
}

/// A kind of credential that a relying party takes. Source: WebAuthn Level 3 section 5.3.
public struct PublicKeyCredentialParameters: Sendable, Hashable {
    /// The algorithm.
    public var algorithm: COSEAlgorithm
    /// The type; other types than ``PublicKeyCredentialDescriptor/publicKey`` must be ignored.
    public var type: String

    /// Makes parameters.
    public init(algorithm: COSEAlgorithm, type: String = PublicKeyCredentialDescriptor.publicKey) {
        self.algorithm = algorithm
        self.type = type
    }

    /// Reads parameters; nil if the algorithm's number is beyond 64 bits, where no algorithm is.
    init?(_ value: CBORValue, _ reading: Parameters.Reading) throws(CTAPError) {
        let members = try Parameters(value, "a public key parameter", reading)
        type = try members.required("type", "a public key parameter's type", \.textValue)
        let number = try members.required("alg", "a public key parameter's alg") { $0.isInteger ? $0 : nil }
        guard let number = number.integerValue else { return nil }
        algorithm = COSEAlgorithm(rawValue: number)
    }

    var value: CBORValue { ["alg": CBORValue(algorithm.rawValue), "type": .text(type)] }
}
