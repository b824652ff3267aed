internal import CTAP
internal import Encodings

/// A registration's answer in WebAuthn's JSON serialisation, as any relying party's library takes it.
///
/// Source: WebAuthn Level 3 section 5.1, `RegistrationResponseJSON`.
public struct RegistrationResponseJSON: Sendable, Hashable, CustomStringConvertible {
    /// The JSON: one line, ASCII.
    public let description: String

    init(
        _ credential: RegisteredCredential, clientDataJSON: [UInt8], attestationObject: AttestationObject,
        prf: PRFExtensionOutput?
    ) {
        let response: JSONValue = [
            "clientDataJSON": .base64URL(clientDataJSON),
            "authenticatorData": .base64URL(attestationObject.authenticatorData),
            "transports": .array(credential.transports.map(JSONValue.string)),
            "publicKey": .base64URL(credential.publicKey.subjectPublicKeyInfo),
            "publicKeyAlgorithm": .integer(credential.publicKey.algorithm.rawValue),
            "attestationObject": .base64URL(attestationObject.encoded()),
        ]
        description = JSONValue.publicKeyCredential(id: credential.id, response: response, prf: prf).text
    }
}

/// A sign-in's answer in WebAuthn's JSON serialisation, as any relying party's library takes it.
///
/// Source: WebAuthn Level 3 section 5.1, `AuthenticationResponseJSON`.
public struct AuthenticationResponseJSON: Sendable, Hashable, CustomStringConvertible {
    /// The JSON: one line, ASCII.
    public let description: String

    init(id: [UInt8], clientDataJSON: [UInt8], _ answer: GetAssertionResponse, prf: PRFExtensionOutput?) {
        var response: [JSONValue.Member] = [
            .init("clientDataJSON", .base64URL(clientDataJSON)),
            .init("authenticatorData", .base64URL(answer.authenticatorData)),
            .init("signature", .base64URL(answer.signature)),
        ]
        if let user = answer.user { response.append(.init("userHandle", .base64URL(user.id))) }
        description = JSONValue.publicKeyCredential(id: id, response: .object(response), prf: prf).text
    }
}

extension JSONValue {
    /// The members that both responses have in common, with the result of the only extension that is asked for.
    fileprivate static func publicKeyCredential(
        id: [UInt8], response: JSONValue, prf: PRFExtensionOutput?
    ) -> JSONValue {
        [
            "id": .base64URL(id), "rawId": .base64URL(id), "response": response,
            "authenticatorAttachment": "cross-platform",
            "clientExtensionResults": .object(prf.map { [.init(ExtensionIdentifier.prf, result($0))] } ?? []),
            "type": .string(PublicKeyCredentialDescriptor.publicKey),
        ]
    }

    /// Source: WebAuthn Level 3 section 10.1.4, `AuthenticationExtensionsPRFOutputsJSON`.
    private static func result(_ prf: PRFExtensionOutput) -> JSONValue {
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
