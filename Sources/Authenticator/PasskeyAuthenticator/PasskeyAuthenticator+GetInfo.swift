internal import CTAP
internal import UserVerification

// authenticatorGetInfo. Source: CTAP 2.2 section 6.4.

extension PasskeyAuthenticator {
    /// The extensions that there are here.
    static let extensions = [
        ExtensionIdentifier.credProtect, ExtensionIdentifier.hmacSecret, ExtensionIdentifier.largeBlob,
        ExtensionIdentifier.prf,
    ]

    /// The answer to authenticatorGetInfo, as canonical CBOR without a status: for the first message of a hybrid
    /// session (HT-CTAP-18, HT-MSG-3).
    public nonisolated func getInfo() -> [UInt8] {
        GetInfoResponse(
            versions: versions,
            extensions: Self.extensions.filter { approval.canVerify || $0 != ExtensionIdentifier.hmacSecret },
            aaguid: Self.aaguid, options: options, maxMessageSize: transport.maxMessageByteCount,
            pinUvAuthProtocols: approval.canVerify ? [KeyAgreement.pinUvAuthProtocol] : [],
            maxCredentialCountInList: transport.maxCredentialCountInList,
            maxCredentialIDLength: transport.maxCredentialIDByteCount,
            transports: transport.names,
            algorithms: CredentialKey.algorithms.map { .init(algorithm: $0) }, attestationFormats: Attestation.formats
        ).encoded()
    }

    /// CTAP 2.1 makes pinUvAuthToken mandatory where users can be verified, so there `FIDO_2_0` stands alone, though
    /// `alwaysUv` and protocol two are newer: clients read these where they stand, and not off the version. Where users
    /// cannot be verified, `FIDO_2_1` tells that there is authenticatorSelection, though hmac-secret is missing then
    /// (HT-CTAP-55).
    private nonisolated var versions: [String] { approval.canVerify ? ["FIDO_2_0"] : ["FIDO_2_0", "FIDO_2_1"] }

    /// Every operation is verified where users can be verified, and that is said (CTAP 2.2 section 7.2).
    private nonisolated var options: [String: Bool] {
        let always = ["rk": true, "up": true]
        guard approval.canVerify else { return always }
        return always.merging(["uv": true, "alwaysUv": true, "makeCredUvNotRqd": false]) { _, new in new }
    }
}

// Members of getInfo that depend on the way by which clients reach the authenticator. Longer requests, lists and IDs
// are taken all the same.

extension PasskeyAuthenticator.Transport {
    /// The ways in which the passkeys can be reached, as relying parties keep them.
    var names: [String] {
        switch self {
        case .hybrid: ["hybrid", "internal"]
        case .usb: ["hybrid", "usb"]
        }
    }

    /// The largest request. By USB, one that the kernel's queue for a virtual device holds: 32 reports (HT-HID-3).
    var maxMessageByteCount: UInt64 {
        switch self {
        case .hybrid: UInt64(PasskeyAuthenticator.maxMessageByteCount)
        case .usb: 57 + 31 * 59
        }
    }

    /// The most credentials in a list. Without a number clients ask for each credential by itself, and a hybrid session
    /// bears few requests that find nothing. By USB, as many of the longest IDs as go into a request.
    var maxCredentialCountInList: UInt64 {
        switch self {
        case .hybrid: 1_024
        case .usb: 8
        }
    }

    /// The longest credential ID.
    var maxCredentialIDByteCount: UInt64 {
        switch self {
        case .hybrid: UInt64(AttestedCredential.maxCredentialIDByteCount)
        case .usb: 128
        }
    }
}
