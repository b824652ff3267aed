internal import CTAP
internal import Cryptography
internal import Encodings
internal import PasskeyAuthenticator

/// The attestation for programs of this machine: `packed`, by a key and a certificate of this registration alone.
///
/// OpenSSH before 10.0 and pam-u2f's pamu2fcfg verify an attestation, and take none that is missing
/// (`fido_cred_verify_self` without a signature; openssh-portable pull request 542). Phones give none. This one says
/// that this machine saw the passkey come from the phone, and nothing of the phone; programs check its signature and
/// not its issuer. No site gets it.
///
/// libfido2 demands that exactly those extensions are answered that were asked for (`check_extensions`), and phones do
/// not answer credProtect. It is added here: its strongest promise, that the key is used with user verification alone,
/// is true of every phone, and a registration without it is refused.
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
    ) throws(CTAPFailure) -> MakeCredentialResponse {
        do {
            let protection = try CredentialProtection(request.extensions)
            guard protection != .verificationRequired || data.flags.contains(.userVerified) else {
                throw CTAPFailure(.userVerificationInvalid, "the phone has not verified its user")
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
        } catch let error as CTAPFailure {
            throw error
        } catch {
            throw CTAPFailure(.other, "\(error)")
        }
    }

    /// A certificate that its own key has signed, in DER.
    private static func certificate(of key: borrowing P256.PrivateKey) throws -> [UInt8] {
        // Positive, and of one length.
        let serialNumber = [0x40] + (randomBytes(count: 8))
        let point = key.publicKey.uncompressed
        let publicKey = DER.sequence(
            DER.sequence(identifier(DER.Identifier.ecPublicKey), identifier(DER.Identifier.prime256v1)),
            DER.element(.bitString, [0] + point))
        let basicConstraints = DER.sequence(
            identifier(DER.Identifier.basicConstraints), DER.element(.boolean, [0xff]),
            DER.element(.octetString, DER.sequence()))
        let contents = DER.sequence(
            DER.element(.constructed0, DER.element(.integer, [2])), DER.element(.integer, serialNumber),
            algorithm, name,
            // Without an end (RFC 5280 section 4.1.2.5).
            DER.sequence(
                DER.element(.utcTime, Array("260101000000Z".utf8)),
                DER.element(.generalizedTime, Array("99991231235959Z".utf8))),
            name, publicKey, DER.element(.constructed3, DER.sequence(basicConstraints)))
        let signature = try key.sign(contents.span)
        return DER.sequence(contents, algorithm, DER.element(.bitString, [0] + signature))
    }

    private static let algorithm = DER.sequence(identifier(DER.Identifier.ecdsaWithSHA256))

    /// The name that WebAuthn Level 3 section 8.2.1 asks for: country, organization, unit, name.
    private static let name = DER.sequence(
        attribute(DER.Identifier.countryName, .printableString, "ZZ"),
        attribute(DER.Identifier.organizationName, .utf8String, "hybrid"),
        attribute(DER.Identifier.organizationalUnitName, .utf8String, "Authenticator Attestation"),
        attribute(DER.Identifier.commonName, .utf8String, "hybrid key phone"))

    private static func attribute(_ type: [UInt8], _ tag: DER.Tag, _ value: String) -> [UInt8] {
        DER.element(.set, DER.sequence(identifier(type), DER.element(tag, Array(value.utf8))))
    }

    private static func identifier(_ contents: [UInt8]) -> [UInt8] { DER.element(.objectIdentifier, contents) }
}
