internal import CTAP
internal import Encodings

/// An attestation statement that came with a new credential. Source: WebAuthn Level 3 sections 8.2 and 8.7.
struct AttestationStatement {
    private let object: AttestationObject
    private let credential: AttestedCredential
    private let publicKey: PublicKey

    private static let maxFormatByteCount = 32

    private enum Key {
        static let algorithm: CBORValue = "alg"
        static let signature: CBORValue = "sig"
        static let certificates: CBORValue = "x5c"
    }

    init(_ object: AttestationObject, credential: AttestedCredential, _ publicKey: PublicKey) {
        self.object = object
        self.credential = credential
        self.publicKey = publicKey
    }

    /// Verifies the statement.
    ///
    /// A wrong statement is refused even if none was asked for. One that cannot be verified here is refused only if it
    /// was asked for.
    func verify(
        _ signedBytes: [UInt8], asked: RelyingParty.AttestationConveyance
    ) throws(RelyingPartyError) -> AttestationType {
        guard Self.isIdentifier(object.format) else { throw Self.bad("its format does not have the form of a name") }
        switch object.format {
        case AttestationObject.noneFormat:
            guard object.attestationStatement.isEmpty else { throw Self.bad("format none has an empty statement") }
            return .none
        case AttestationObject.packedFormat:
            if let verified = try verifyPacked(signedBytes) { return verified }
        default:
            break
        }
        guard asked == .none else {
            throw RelyingPartyError(
                .unsupportedAttestation, reason: "the attestation is of a kind that cannot be verified here")
        }
        return .unverified(format: object.format)
    }

    /// Nil for algorithms other than ES256 with a certificate.
    private func verifyPacked(_ signedBytes: [UInt8]) throws(RelyingPartyError) -> AttestationType? {
        let statement = object.attestationStatement
        guard let algorithm = statement[Key.algorithm]?.integerValue,
            let signature = statement[Key.signature]?.bytesValue
        else { throw Self.bad("a packed statement has an algorithm and a signature") }
        guard let certificates = statement[Key.certificates] else {
            guard algorithm == credential.publicKey.algorithm.rawValue else {
                throw Self.bad("its algorithm is not the credential's")
            }
            guard try publicKey.verify(signature, of: signedBytes) else {
                throw Self.bad("its signature is not of the credential's key over this answer")
            }
            return .selfSigned
        }
        guard let leaf = certificates.arrayValue?.first?.bytesValue else {
            throw Self.bad("its certificates are a list of byte strings")
        }
        let certificate = try AttestationCertificate(leaf)
        guard algorithm == COSEAlgorithm.es256.rawValue, let key = try certificate.publicKey() else { return nil }
        guard try key.verify(signature, of: signedBytes) else {
            throw Self.bad("its signature is not of the certificate's key over this answer")
        }
        try certificate.check(aaguid: credential.aaguid)
        return .certificateOfUnverifiedChain
    }

    /// True if a format has the form of an identifier (WebAuthn Level 3 section 8.1), so that it can be shown.
    private static func isIdentifier(_ format: String) -> Bool {
        let forbidden: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "\\")]
        let printable = UInt8(ascii: "!")...UInt8(ascii: "~")
        return (1...maxFormatByteCount).contains(format.utf8.count)
            && format.utf8.allSatisfy { printable.contains($0) && !forbidden.contains($0) }
    }

    /// A wrong statement.
    static func bad(_ what: String) -> RelyingPartyError {
        RelyingPartyError(.badAttestation, reason: "the attestation statement is wrong: \(what)")
    }
}
