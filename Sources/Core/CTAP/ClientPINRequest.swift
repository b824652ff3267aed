public import Encodings

/// The parameters of authenticatorClientPIN that an authenticator without PIN has a use for. Source: CTAP 2.2 section
/// 6.5.5.
public struct ClientPINRequest: Sendable, Hashable {
    /// The subcommand that asks for the authenticator's public key: 2.
    public static let getKeyAgreement: UInt64 = 0x02

    /// The subcommand.
    public var subcommand: UInt64
    /// The PIN/UV auth protocol.
    public var pinUvAuthProtocol: UInt64?

    private enum Key {
        static let pinUvAuthProtocol: CBORValue = 0x01
        static let subcommand: CBORValue = 0x02
    }

    /// Makes a request.
    public init(subcommand: UInt64, pinUvAuthProtocol: UInt64?) {
        self.subcommand = subcommand
        self.pinUvAuthProtocol = pinUvAuthProtocol
    }

    init(decoding input: Span<UInt8>, limits: CBORLimits) throws(CTAPError) {
        let parameters = try Parameters(request: input, keys: 0x01...0x0a, limits: limits)
        pinUvAuthProtocol = try parameters.optional(Key.pinUvAuthProtocol, "pinUvAuthProtocol", \.unsignedValue)
        subcommand = try parameters.required(Key.subcommand, "subCommand", \.unsignedValue)
    }

    var map: CBORMap {
        var map: CBORMap = [Key.subcommand: .unsigned(subcommand)]
        map.set(Key.pinUvAuthProtocol, pinUvAuthProtocol.map(CBORValue.unsigned))
        return map
    }
}

/// The response to the subcommand getKeyAgreement of authenticatorClientPIN. Source: CTAP 2.2 section 6.5.5.4.
public struct KeyAgreementResponse: Sendable, Hashable {
    private static let keyAgreement: CBORValue = 0x01

    /// The authenticator's public key.
    public var keyAgreement: COSEKey

    /// Makes a response.
    public init(keyAgreement: COSEKey) { self.keyAgreement = keyAgreement }

    /// Reads a response in any CBOR.
    ///
    /// - Throws: ``CTAPError`` `invalid-cbor`, `unexpected-type` or `missing-parameter`.
    public init(decoding payload: Span<UInt8>, limits: CBORLimits = .standard) throws(CTAPError) {
        let fields = try Parameters(response: payload, limits: limits)
        keyAgreement = try COSEKey(fields.required(Self.keyAgreement, "keyAgreement", \.mapValue))
    }

    /// The response in canonical CBOR.
    public func encoded() -> [UInt8] { ([Self.keyAgreement: .map(keyAgreement.parameters)] as CBORMap).encoded() }
}
