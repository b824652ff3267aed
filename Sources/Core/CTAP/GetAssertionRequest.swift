public import Encodings

/// The parameters of authenticatorGetAssertion. Source: CTAP 2.2 section 6.2.
public struct GetAssertionRequest: Sendable, Hashable {
    /// The relying party's identifier, a domain.
    public var rpID: String
    /// The SHA-256 of the client data, 32 bytes.
    public var clientDataHash: [UInt8]
    /// The credentials to sign in with; empty for any discoverable one.
    public var allowList: [PublicKeyCredentialDescriptor]
    /// The extensions' inputs by name, as they stand.
    public var extensions: CBORMap
    /// The options.
    public var options: RequestOptions
    /// Proof of a PIN or user verification; hybrid clients never send it (HT-CTAP-10).
    public var pinUvAuthParam: [UInt8]?
    /// The protocol of ``pinUvAuthParam``.
    public var pinUvAuthProtocol: UInt64?

    private enum Key {
        static let rpID: CBORValue = 0x01
        static let clientDataHash: CBORValue = 0x02
        static let allowList: CBORValue = 0x03
        static let extensions: CBORValue = 0x04
        static let options: CBORValue = 0x05
        static let pinUvAuthParam: CBORValue = 0x06
        static let pinUvAuthProtocol: CBORValue = 0x07
    }

    /// Makes a request without the parameters that hybrid has no use for.
    public init(
        rpID: String, clientDataHash: [UInt8], allowList: [PublicKeyCredentialDescriptor] = [],
        extensions: CBORMap = [:], options: RequestOptions = RequestOptions()
    ) {
        self.rpID = rpID
        self.clientDataHash = clientDataHash
        self.allowList = allowList
        self.extensions = extensions
        self.options = options
    }

    init(decoding input: Span<UInt8>, limits: CBORLimits) throws(CTAPError) {
        let parameters = try Parameters(request: input, keys: 0x01...0x07, limits: limits)
        rpID = try parameters.required(Key.rpID, "rpId", \.textValue)
        clientDataHash = try parameters.clientDataHash(Key.clientDataHash)
        allowList = try parameters.descriptors(Key.allowList, "allowList")
        extensions = try parameters.extensions(Key.extensions)
        options = try RequestOptions(parameters.map[Key.options] ?? [:], .strict)
        pinUvAuthParam = try parameters.optional(Key.pinUvAuthParam, "pinUvAuthParam", \.bytesValue)
        pinUvAuthProtocol = try parameters.optional(Key.pinUvAuthProtocol, "pinUvAuthProtocol", \.unsignedValue)
    }

    var map: CBORMap {
        var map: CBORMap = [Key.rpID: .text(rpID), Key.clientDataHash: .bytes(clientDataHash)]
        map.set(Key.allowList, .array(allowList.map(\.value)))
        map.set(Key.extensions, .map(extensions))
        map.set(Key.options, .map(options.map))
        map.set(Key.pinUvAuthParam, pinUvAuthParam.map(CBORValue.bytes))
        map.set(Key.pinUvAuthProtocol, pinUvAuthProtocol.map(CBORValue.unsigned))
        return map
    }
}
