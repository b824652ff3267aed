package import CTAP

/// A security key that is plugged in here, for one request after another.
///
/// It is opened for each: meanwhile other programs can use it. Cancelling the task cancels the request on the key,
/// which stops blinking, and then `KeyFailure.cancelled` is thrown.
package protocol AttachedKey: Sendable {
    /// Reads the key's own description. The key does not blink.
    func information() async throws(KeyFailure) -> KeyInformation

    /// Makes a credential. The key blinks.
    func makeCredential(_ registration: KeyRegistration) async throws(KeyFailure) -> MakeCredentialResponse

    /// Signs for each credential of the key that fits. The key blinks, unless presence is not asked for.
    ///
    /// - Returns: at least one; several only without an allow list.
    func assertions(_ signIn: KeySignIn) async throws(KeyFailure) -> [KeyAssertion]

    /// True while the key is plugged in, as far as can be seen without asking it. It does not wait.
    var isPluggedIn: Bool { get }
}

/// The proof of verification that the key demands.
package enum KeyVerification: Sendable {
    /// None.
    case none
    /// The key verifies the user itself, by a finger say.
    case builtIn
    /// The key's PIN, which was typed here.
    case pin(KeyPIN)

    /// True if the user is verified by it.
    var isVerification: Bool {
        if case .none = self { false } else { true }
    }
}

/// The parameters of a registration that reach the key.
package struct KeyRegistration: Sendable {
    /// The client's own, as it is: 32 bytes.
    package let clientDataHash: [UInt8]
    /// The relying party, of whose texts none has a zero character.
    package let rp: PublicKeyCredentialRpEntity
    /// The account, of whose texts none has a zero character.
    package let user: PublicKeyCredentialUserEntity
    /// The algorithm; one of the key's.
    package let algorithm: COSEAlgorithm
    /// The credential IDs of which the key must have none; no more than the key takes.
    package let excluded: [[UInt8]]
    /// True for a discoverable credential.
    package let isDiscoverable: Bool
    /// The extension credProtect's level; nil to leave it out.
    package let protection: CredentialProtection?
    /// True to ask for the extension hmac-secret.
    package let hmacSecret: Bool
    package let verification: KeyVerification
}

/// The parameters of a sign-in that reach the key.
package struct KeySignIn: Sendable {
    /// The client's own, as it is: 32 bytes.
    package let clientDataHash: [UInt8]
    /// The relying party's identifier, which has no zero character.
    package let rpID: String
    /// The credential IDs, one of which is used; empty for any that is discoverable. No more than the key takes.
    package let allowed: [[UInt8]]
    /// False for a look that needs no touch.
    package var userPresence = true
    /// The salts of the extension hmac-secret; nil to leave it out.
    package var salts: PRFValues?
    package let verification: KeyVerification
}

/// An assertion as the key gave it.
package struct KeyAssertion: Sendable, Equatable {
    /// The credential's ID; empty if the key left it out, as it may after an allow list of one.
    package var credentialID: [UInt8]
    /// The authenticator data exactly as it was signed.
    package var authenticatorData: [UInt8]
    package var signature: [UInt8]
    /// The account; nil if the key does not say.
    package var user: PublicKeyCredentialUserEntity?
    /// The values of hmac-secret, decrypted, for the salts; nil without them.
    package var secrets: PRFValues?

    package init(
        credentialID: [UInt8], authenticatorData: [UInt8], signature: [UInt8],
        user: PublicKeyCredentialUserEntity? = nil, secrets: PRFValues? = nil
    ) {
        self.credentialID = credentialID
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.user = user
        self.secrets = secrets
    }
}
