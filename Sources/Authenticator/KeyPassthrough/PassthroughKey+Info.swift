internal import CTAP

extension PassthroughKey {
    /// The extensions that pass: what the key signs as it is, and prf, whose values are made of hmac-secret here. That
    /// one itself does not pass, since its salts would be encrypted for the key.
    private nonisolated var extensions: [String] {
        var names: [String] = []
        if information.extensions.contains(ExtensionIdentifier.credProtect) {
            names.append(ExtensionIdentifier.credProtect)
        }
        if canEvaluate { names.append(ExtensionIdentifier.prf) }
        return names
    }

    /// True if the key has functions for prf, and verifies the user before it gives their values.
    nonisolated var canEvaluate: Bool {
        information.canVerify && information.extensions.contains(ExtensionIdentifier.hmacSecret)
    }

    /// The answer to authenticatorGetInfo, as canonical CBOR without a status.
    ///
    /// The key's own answer less what does not pass: its PIN is used here and not by the client, so `uv` stands for
    /// both ways of verifying; and to FIDO_2_1 belongs a token that clients could ask for, so that is listed only where
    /// nobody is verified (as for passkeys of this machine).
    package nonisolated func getInfo() -> [UInt8] {
        var options = ["up": true, "rk": information.isDiscoverable]
        if information.canVerify {
            options["uv"] = true
            options["alwaysUv"] = true
            options["makeCredUvNotRqd"] = false
        }
        let own = information.transports.filter { $0 != Self.hybrid }
        return GetInfoResponse(
            versions: information.canVerify ? ["FIDO_2_0"] : ["FIDO_2_0", "FIDO_2_1"], extensions: extensions,
            aaguid: information.aaguid, options: options, maxMessageSize: UInt64(Self.maxMessageByteCount),
            maxCredentialCountInList: UInt64(Self.maxCredentialCountInList),
            maxCredentialIDLength: UInt64(
                information.maxCredentialIDByteCount ?? AttestedCredential.maxCredentialIDByteCount),
            transports: [Self.hybrid] + (own.isEmpty ? ["usb"] : own),
            algorithms: information.algorithms.map { .init(algorithm: $0) }
        ).encoded()
    }

    private static let hybrid = "hybrid"
}
