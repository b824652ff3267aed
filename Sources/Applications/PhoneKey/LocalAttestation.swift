internal import CBOR
internal import CTAP
internal import Cryptography

/// The attestation for programs of this machine: `packed`, by a key and a certificate of this registration alone.
///
/// OpenSSH before 10.0 and pam-u2f's pamu2fcfg verify an attestation, and take none that is missing
/// (`fido_cred_verify_self` without a signature; openssh-portable pull request 542). Phones give none. This one says
/// that this machine saw the passkey come from the phone, and nothing of the phone; programs check its signature and
/// not its issuer. No site gets it.
///
/// libfido2 demands that exactly those extensions are answered that were asked for (`check_extensions`), and phones do
/// not answer credProtect. It is added here: what it promises at most, that the key is used with user verification
/// alone, is what phones always do, and a registration without it is refused.
///
/// Source: WebAuthn Level 3 section 8.2; RFC 5280; RFC 5480.
enum LocalAttestation {
    private enum Key {
        static let algorithm: CBORValue = "alg"
        static let signature: CBORValue = "sig"
        static let certificates: CBORValue = "x5c"
    }

    /// The answer for a new passkey.
    static func make(
        for data: AuthenticatorData, _ request: MakeCredentialRequest
    ) throws(PhoneKeyError) -> MakeCredentialResponse {
        do {
            let protection = try CredentialProtection(request.extensions)
            guard protection != .verificationRequired || data.flags.contains(.userVerified) else {
                throw PhoneKeyError(.userVerificationInvalid, "the phone has not verified its user")
            }
            let signed = try AuthenticatorData(
                rpIDHash: data.rpIDHash, flags: data.flags, signCount: data.signCount,
                attestedCredential: data.attestedCredential,
                extensions: protection.map { [.text(ExtensionIdentifier.credProtect): $0.value] }
            ).encoded()
            let key = try P256.PrivateKey.generate()
            return MakeCredentialResponse(
                format: AttestationObject.packedFormat, authenticatorData: signed,
                attestationStatement: [
                    Key.algorithm: CBORValue(COSEAlgorithm.es256.rawValue),
                    Key.signature: .bytes(try key.sign((signed + request.clientDataHash).span)),
                    Key.certificates: [.bytes(try certificate(of: key))],
                ])
        } catch let error as PhoneKeyError {
            throw error
        } catch {
            throw PhoneKeyError(.other, "\(error)")
        }
    }

    /// A certificate that its own key has signed, in DER.
    private static func certificate(of key: borrowing P256.PrivateKey) throws -> [UInt8] {
        // Positive, and of one length.
        let serialNumber = [0x40] + (try randomBytes(count: 8))
        let point = key.publicKey.uncompressed
        let publicKey = DER.sequence(
            DER.sequence(DER.ecPublicKey, DER.prime256v1) + DER.item(.bitString, [0] + point))
        let basicConstraints = DER.sequence(
            DER.basicConstraints, DER.item(.boolean, [0xff]), DER.item(.octetString, DER.sequence()))
        let contents = DER.sequence(
            DER.item(.version, DER.item(.integer, [2])), DER.item(.integer, serialNumber),
            DER.sequence(DER.ecdsaWithSHA256), name,
            // Without an end (RFC 5280 section 4.1.2.5).
            DER.sequence(
                DER.item(.utcTime, Array("260101000000Z".utf8)),
                DER.item(.generalizedTime, Array("99991231235959Z".utf8))),
            name, publicKey, DER.item(.extensions, DER.sequence(basicConstraints)))
        let signature = try key.sign(contents.span)
        return DER.sequence(contents, DER.sequence(DER.ecdsaWithSHA256), DER.item(.bitString, [0] + signature))
    }

    /// The name that WebAuthn Level 3 section 8.2.1 asks for: country, organization, unit, name.
    private static let name = DER.sequence(
        DER.attribute(6, .printableString, "ZZ"), DER.attribute(10, .utf8String, "hybrid"),
        DER.attribute(11, .utf8String, "Authenticator Attestation"),
        DER.attribute(3, .utf8String, "hybrid key phone"))
}
