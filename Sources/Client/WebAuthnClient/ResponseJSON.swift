internal import CTAP
internal import Encodings

/// A registration's answer in WebAuthn's JSON serialisation, as any relying party's library takes it.
///
/// Source: WebAuthn Level 3 section 5.1, `RegistrationResponseJSON`.
public struct RegistrationResponseJSON: Sendable, Hashable, CustomStringConvertible {
    /// The JSON: one line, ASCII.
    public let description: String

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - id: the credential ID.
    ///   - clientDataJSON: the client data; nil if its maker keeps it.
    ///   - object: the attestation object, as it is passed on.
    ///   - transports: the authenticator's.
    ///   - subjectPublicKeyInfo: the public key, DER; nil for an algorithm that is not known.
    ///   - algorithm: the algorithm.
    ///   - extensions: the results of extensions.
    init(
        id: [UInt8], clientDataJSON: [UInt8]?, _ object: AttestationObject, transports: [String],
        subjectPublicKeyInfo: [UInt8]?, _ algorithm: COSEAlgorithm, extensions: [JSONValue.Member]
    ) {
        var response: [JSONValue.Member] = []
        if let clientDataJSON { response.append(.init("clientDataJSON", .base64URL(clientDataJSON))) }
        response += [
            .init("authenticatorData", .base64URL(object.authenticatorData)),
            .init("transports", .array(transports.map(JSONValue.string))),
        ]
        if let subjectPublicKeyInfo { response.append(.init("publicKey", .base64URL(subjectPublicKeyInfo))) }
        response += [
            .init("publicKeyAlgorithm", .integer(algorithm.rawValue)),
            .init("attestationObject", .base64URL(object.encoded())),
        ]
        description = JSONValue.publicKeyCredential(id: id, response: .object(response), extensions).text
    }
}

/// A sign-in's answer in WebAuthn's JSON serialisation, as any relying party's library takes it.
///
/// Source: WebAuthn Level 3 section 5.1, `AuthenticationResponseJSON`.
public struct AuthenticationResponseJSON: Sendable, Hashable, CustomStringConvertible {
    /// The JSON: one line, ASCII.
    public let description: String

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - id: the credential ID.
    ///   - clientDataJSON: the client data; nil if its maker keeps it.
    ///   - answer: the authenticator's answer.
    ///   - extensions: the results of extensions.
    init(
        id: [UInt8], clientDataJSON: [UInt8]?, _ answer: GetAssertionResponse, extensions: [JSONValue.Member]
    ) {
        var response: [JSONValue.Member] = []
        if let clientDataJSON { response.append(.init("clientDataJSON", .base64URL(clientDataJSON))) }
        response += [
            .init("authenticatorData", .base64URL(answer.authenticatorData)),
            .init("signature", .base64URL(answer.signature)),
        ]
        if let user = answer.user { response.append(.init("userHandle", .base64URL(user.id))) }
        description = JSONValue.publicKeyCredential(id: id, response: .object(response), extensions).text
    }
}

extension JSONValue {
    /// The members that both responses have in common.
    fileprivate static func publicKeyCredential(
        id: [UInt8], response: JSONValue, _ extensions: [Member]
    ) -> JSONValue {
        [
            "id": .base64URL(id), "rawId": .base64URL(id), "response": response,
            "authenticatorAttachment": "cross-platform",
            "clientExtensionResults": .object(extensions),
            "type": .string(PublicKeyCredentialDescriptor.publicKey),
        ]
    }

    /// The result of prf. Source: WebAuthn Level 3 section 10.1.4, `AuthenticationExtensionsPRFOutputsJSON`.
    static func result(_ prf: PRFExtensionOutput) -> JSONValue {
        var members: [Member] = []
        if let enabled = prf.enabled { members.append(.init("enabled", .bool(enabled))) }
        if let results = prf.results {
            var values: [Member] = [.init("first", .base64URL(results.first))]
            if let second = results.second { values.append(.init("second", .base64URL(second))) }
            members.append(.init("results", .object(values)))
        }
        return .object(members)
    }
}

extension [JSONValue.Member] {
    /// The result of the only extension that a relying party asks for here.
    static func prf(_ output: PRFExtensionOutput?) -> Self {
        output.map { [.init(ExtensionIdentifier.prf, .result($0))] } ?? []
    }
}

extension JSONValue {
    /// Bytes as a text in base64url (WebAuthn Level 3 section 3).
    static func base64URL(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
}

/// The transports of an authenticator, as in its getInfo and in a page's `getTransports()`. Source: WebAuthn Level 3
/// sections 5.2.1 and 5.8.4.
public enum Transports {
    /// The transports of an authenticator that was reached over the hybrid transport and gives none.
    public static let standard = ["hybrid", "internal"]

    private static let hybrid = "hybrid"
    /// The earlier name of `hybrid` (HT-CTAP-21).
    private static let cable = "cable"

    private static let maxCount = 16
    private static let maxByteCount = 32

    /// Each once, sorted, under their present names; those without the form of a name are left out.
    static func normalized(_ transports: [String]) -> [String] {
        let names = transports.prefix(maxCount).filter { (1...maxByteCount).contains($0.utf8.count) }
            .filter { $0.utf8.allSatisfy { $0.isLowerCaseLetter || $0.isDigit || $0 == UInt8(ascii: "-") } }
        return Set(names.map { $0 == cable ? hybrid : $0 }).sorted()
    }
}
