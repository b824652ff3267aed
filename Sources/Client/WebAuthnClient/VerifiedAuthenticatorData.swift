internal import CTAP
internal import Cryptography

/// The authenticator data of a response, with the checks that both ceremonies have in common.
///
/// Source: WebAuthn Level 3 section 7.1 steps 14–18, section 7.2 steps 15–18.
struct VerifiedAuthenticatorData {
    /// The authenticator data, read.
    let data: AuthenticatorData
    /// The signed bytes: the authenticator data as it came, then the SHA-256 of the client data.
    let signedBytes: [UInt8]

    /// The most bytes that authenticator data may have: 64 KiB, some hundred times the length of a phone's. It bounds
    /// the extensions, which are not read here.
    private static let maxByteCount = 1 << 16

    /// Reads and checks.
    init(
        authenticatorData: [UInt8], clientDataJSON: [UInt8], _ site: RelyingParty,
        _ userVerification: RelyingParty.UserVerification
    ) throws(RelyingPartyError) {
        guard authenticatorData.count <= Self.maxByteCount else {
            throw RelyingPartyError(
                .malformedResponse, reason: "authenticator data of \(authenticatorData.count) bytes")
        }
        do throws(CTAPError) {
            data = try AuthenticatorData(decoding: authenticatorData.span)
        } catch {
            throw .malformed("the authenticator data", error)
        }
        signedBytes = authenticatorData + SHA256.hash(clientDataJSON.span)
        guard data.rpIDHash == site.idHash else {
            throw RelyingPartyError(
                .relyingPartyIDMismatch, reason: "the answer is for another relying party than \(site.id)")
        }
        guard data.flags.contains(.userPresent) else {
            throw RelyingPartyError(.userNotPresent, reason: "the authenticator did not detect a user")
        }
        guard userVerification != .required || data.flags.contains(.userVerified) else {
            throw RelyingPartyError(
                .userNotVerified, reason: "the authenticator did not verify the user, which was required")
        }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backupState) else {
            throw RelyingPartyError(
                .backupStateInconsistent, reason: "the credential is backed up and not eligible for backup at once")
        }
    }
}
