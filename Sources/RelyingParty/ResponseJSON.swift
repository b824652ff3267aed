internal import CTAP

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
        let response = JSONText.object([
            ("clientDataJSON", .base64URL(clientDataJSON)),
            ("authenticatorData", .base64URL(attestationObject.authenticatorData)),
            ("transports", .array(credential.transports.map(JSONText.string))),
            ("publicKey", .base64URL(credential.publicKey.subjectPublicKeyInfo)),
            ("publicKeyAlgorithm", .integer(credential.publicKey.algorithm.rawValue)),
            ("attestationObject", .base64URL(attestationObject.encoded())),
        ])
        description = JSONText.publicKeyCredential(id: credential.id, response: response, prf: prf).text
    }
}

/// A sign-in's answer in WebAuthn's JSON serialisation, as any relying party's library takes it.
///
/// Source: WebAuthn Level 3 section 5.1, `AuthenticationResponseJSON`.
public struct AuthenticationResponseJSON: Sendable, Hashable, CustomStringConvertible {
    /// The JSON: one line, ASCII.
    public let description: String

    init(id: [UInt8], clientDataJSON: [UInt8], _ answer: GetAssertionResponse, prf: PRFExtensionOutput?) {
        var response: [(name: String, value: JSONText)] = [
            ("clientDataJSON", .base64URL(clientDataJSON)),
            ("authenticatorData", .base64URL(answer.authenticatorData)),
            ("signature", .base64URL(answer.signature)),
        ]
        if let user = answer.user { response.append(("userHandle", .base64URL(user.id))) }
        description = JSONText.publicKeyCredential(id: id, response: .object(response), prf: prf).text
    }
}

extension JSONText {
    /// What both answers have around them, with the result of the only extension that is asked for.
    fileprivate static func publicKeyCredential(
        id: [UInt8], response: JSONText, prf: PRFExtensionOutput?
    ) -> JSONText {
        .object([
            ("id", .base64URL(id)), ("rawId", .base64URL(id)), ("response", response),
            ("authenticatorAttachment", .string("cross-platform")),
            ("clientExtensionResults", .object(prf.map { [(ExtensionIdentifier.prf, result($0))] } ?? [])),
            ("type", .string(PublicKeyCredentialDescriptor.publicKey)),
        ])
    }

    /// Source: WebAuthn Level 3 section 10.1.4, `AuthenticationExtensionsPRFOutputsJSON`.
    private static func result(_ prf: PRFExtensionOutput) -> JSONText {
        var members: [(name: String, value: JSONText)] = []
        if let enabled = prf.enabled { members.append(("enabled", .bool(enabled))) }
        if let results = prf.results {
            var values: [(name: String, value: JSONText)] = [("first", .base64URL(results.first))]
            if let second = results.second { values.append(("second", .base64URL(second))) }
            members.append(("results", .object(values)))
        }
        return .object(members)
    }
}
