public import Encodings

/// The response to authenticatorGetInfo, which in hybrid is part of the post-handshake message. Source: CTAP 2.2
/// section 6.4 (HT-CTAP-18, HT-MSG-3).
///
/// Reading is lenient: only something other than a CBOR map is refused. A field that is absent or of an unexpected
/// shape reads as its default, since phones add fields in shapes that strict parsers refuse (HT-CTAP-19).
public struct GetInfoResponse: Sendable, Hashable {
    /// All fields as they came, known or not.
    public let fields: CBORMap

    private enum Key {
        static let versions: CBORValue = 0x01
        static let extensions: CBORValue = 0x02
        static let aaguid: CBORValue = 0x03
        static let options: CBORValue = 0x04
        static let maxMessageSize: CBORValue = 0x05
        static let pinUvAuthProtocols: CBORValue = 0x06
        static let transports: CBORValue = 0x09
        static let algorithms: CBORValue = 0x0a
        static let maxCredentialCountInList: CBORValue = 0x07
        static let maxCredentialIDLength: CBORValue = 0x08
        static let attestationFormats: CBORValue = 0x16
    }

    /// The largest message that an authenticator takes if it does not say: 1024 bytes.
    public static let defaultMaxMessageSize: UInt64 = 1024
    /// The transport's name in WebAuthn, and the one that older phones use for it.
    private static let hybrid = "hybrid"
    private static let cable = "cable"

    /// Takes the fields as they are.
    public init(fields: CBORMap) { self.fields = fields }

    /// Reads the fields from any CBOR.
    ///
    /// - Throws: ``CTAPError`` `invalid-cbor`, or `unexpected-type` if it is not a map.
    public init(decoding payload: Span<UInt8>, limits: CBORLimits = .standard) throws(CTAPError) {
        fields = try Parameters(response: payload, limits: limits).map
    }

    /// Describes an authenticator. Empty lists are left out.
    ///
    /// - Parameters:
    ///   - versions: the versions of CTAP that it supports, such as `FIDO_2_1`.
    ///   - extensions: the extensions that it knows, by name.
    ///   - aaguid: 16 bytes.
    ///   - options: its abilities by name, such as `rk` and `uv`.
    ///   - maxMessageSize: the largest request that it takes, in bytes.
    ///   - pinUvAuthProtocols: the PIN/UV auth protocols that it knows.
    ///   - maxCredentialCountInList: the most credentials that a list may have.
    ///   - maxCredentialIDLength: the longest credential ID in a list, in bytes.
    ///   - transports: the ways to reach it, such as `hybrid`.
    ///   - algorithms: those of the passkeys that it makes.
    ///   - attestationFormats: those of the attestations that it makes.
    public init(
        versions: [String], extensions: [String] = [], aaguid: [UInt8], options: [String: Bool],
        maxMessageSize: UInt64? = nil, pinUvAuthProtocols: [UInt64] = [], maxCredentialCountInList: UInt64? = nil,
        maxCredentialIDLength: UInt64? = nil, transports: [String] = [],
        algorithms: [PublicKeyCredentialParameters] = [], attestationFormats: [String] = []
    ) {
        var fields: CBORMap = [
            Key.versions: .array(versions.map(CBORValue.text)), Key.aaguid: .bytes(aaguid),
        ]
        fields.set(Key.extensions, .array(extensions.map(CBORValue.text)))
        fields.set(Key.options, .map(CBORMap(options.map { .init(key: .text($0.key), value: .bool($0.value)) })))
        fields.set(Key.maxMessageSize, maxMessageSize.map(CBORValue.unsigned))
        fields.set(Key.pinUvAuthProtocols, .array(pinUvAuthProtocols.map(CBORValue.unsigned)))
        fields.set(Key.maxCredentialCountInList, maxCredentialCountInList.map(CBORValue.unsigned))
        fields.set(Key.maxCredentialIDLength, maxCredentialIDLength.map(CBORValue.unsigned))
        fields.set(Key.transports, .array(transports.map(CBORValue.text)))
        fields.set(Key.algorithms, .array(algorithms.map(\.value)))
        fields.set(Key.attestationFormats, .array(attestationFormats.map(CBORValue.text)))
        self.fields = fields
    }

    /// The fields in canonical CBOR.
    public func encoded() -> [UInt8] { fields.encoded() }

    /// The CTAP versions, such as `FIDO_2_1`.
    public var versions: [String] { texts(Key.versions) }

    /// The extensions, such as `prf`.
    public var extensions: [String] { texts(Key.extensions) }

    /// The make of the authenticator, 16 bytes; nil if it does not say.
    public var aaguid: [UInt8]? {
        fields[Key.aaguid]?.bytesValue.flatMap { $0.count == AttestedCredential.aaguidByteCount ? $0 : nil }
    }

    /// The options that have a truth value, by name.
    public var options: [String: Bool] {
        let pairs = (fields[Key.options]?.mapValue?.entries ?? []).compactMap { entry in
            entry.key.textValue.flatMap { name in entry.value.boolValue.map { (name, $0) } }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The largest request that the authenticator takes, in bytes.
    public var maxMessageSize: UInt64 { fields[Key.maxMessageSize]?.unsignedValue ?? Self.defaultMaxMessageSize }

    /// The transports, each once, with the older name `cable` read as `hybrid` (HT-CTAP-21).
    public var transports: [String] {
        var transports: [String] = []
        for name in texts(Key.transports).map({ $0 == Self.cable ? Self.hybrid : $0 })
        where !transports.contains(name) { transports.append(name) }
        return transports
    }

    /// The kinds of credential that the authenticator makes, the most wanted first; empty if it does not say.
    public var algorithms: [PublicKeyCredentialParameters] {
        (fields[Key.algorithms]?.arrayValue ?? []).compactMap { try? PublicKeyCredentialParameters($0, .generous) }
    }

    /// The attestation formats that the authenticator makes; empty if it does not say.
    public var attestationFormats: [String] { texts(Key.attestationFormats) }

    /// The PIN/UV auth protocols, the most wanted first; empty if there is none.
    public var pinUvAuthProtocols: [UInt64] {
        (fields[Key.pinUvAuthProtocols]?.arrayValue ?? []).compactMap(\.unsignedValue)
    }

    private func texts(_ key: CBORValue) -> [String] { (fields[key]?.arrayValue ?? []).compactMap(\.textValue) }
}
