internal import Cryptography

/// The certificate of an authenticator's make, as far as a packed statement's verifier has to look at it. Who issued it
/// is not looked at.
///
/// Source: WebAuthn Level 3 section 8.2.1; RFC 5280 section 4.1.
struct AttestationCertificate {
    private let subject: ArraySlice<UInt8>
    private let keyInfo: ArraySlice<UInt8>
    private let extensions: [(identifier: [UInt8], value: ArraySlice<UInt8>)]

    /// The largest certificate that is read: 64 KiB.
    private static let maxByteCount = 1 << 16
    /// The INTEGER contents for version 3.
    private static let version3: [UInt8] = [2]

    /// The contents of OBJECT IDENTIFIER elements.
    private enum Identifier {
        /// 1.2.840.10045.2.1, id-ecPublicKey (RFC 5480).
        static let ecPublicKey: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
        /// 1.2.840.10045.3.1.7, secp256r1 (RFC 5480).
        static let p256: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        /// 2.5.4.11, organizationalUnitName (X.520).
        static let organizationalUnit: [UInt8] = [0x55, 0x04, 0x0b]
        /// 2.5.29.19, basicConstraints (RFC 5280).
        static let basicConstraints: [UInt8] = [0x55, 0x1d, 0x13]
        /// 1.3.6.1.4.1.45724.1.1.4, id-fido-gen-ce-aaguid (WebAuthn Level 3 section 8.2.1).
        static let aaguid: [UInt8] = [0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0xe5, 0x1c, 0x01, 0x01, 0x04]
    }

    /// Reads a DER certificate of version 3.
    ///
    /// - Throws: ``RelyingPartyError`` `bad-attestation`.
    init(_ der: [UInt8]) throws(RelyingPartyError) {
        guard der.count <= Self.maxByteCount, let parts = Self.parts(der) else {
            throw AttestationStatement.bad("its first certificate is no X.509 certificate of version 3")
        }
        (subject, keyInfo, extensions) = parts
    }

    /// The certificate's key if it is one on P-256; nil if it is of another kind.
    func publicKey() throws(RelyingPartyError) -> PublicKey? {
        var info = DERReader(keyInfo)
        guard var algorithm = info.enter(DERReader.Tag.sequence), let key = info.next(DERReader.Tag.bitString),
            info.isAtEnd
        else { throw AttestationStatement.bad("its certificate has no public key") }
        guard algorithm.next(DERReader.Tag.objectIdentifier).map([UInt8].init) == Identifier.ecPublicKey,
            algorithm.next(DERReader.Tag.objectIdentifier).map([UInt8].init) == Identifier.p256
        else { return nil }
        let noUnusedBits: UInt8 = 0
        guard key.first == noUnusedBits else { throw AttestationStatement.bad("its certificate's key is malformed") }
        do throws(RelyingPartyError) {
            return try PublicKey(point: [UInt8](key.dropFirst()))
        } catch {
            throw AttestationStatement.bad("its certificate's key is no point on P-256")
        }
    }

    /// Checks what WebAuthn demands of the certificate.
    ///
    /// - Throws: ``RelyingPartyError`` `bad-attestation`.
    func check(aaguid: [UInt8]) throws(RelyingPartyError) {
        guard hasUnit("Authenticator Attestation") else {
            throw AttestationStatement.bad("its certificate is not for attestation")
        }
        guard let constraints = value(of: Identifier.basicConstraints), Self.isEndEntity(constraints) else {
            throw AttestationStatement.bad("its certificate is an authority's")
        }
        guard let extended = value(of: Identifier.aaguid) else { return }
        var contents = DERReader(extended)
        guard contents.next(DERReader.Tag.octetString).map([UInt8].init) == aaguid, contents.isAtEnd else {
            throw AttestationStatement.bad("its certificate is of another make of authenticator")
        }
    }

    private typealias Parts = (ArraySlice<UInt8>, ArraySlice<UInt8>, [(identifier: [UInt8], value: ArraySlice<UInt8>)])

    private static func parts(_ der: [UInt8]) -> Parts? {
        var input = DERReader(der[...])
        guard var certificate = input.enter(DERReader.Tag.sequence), input.isAtEnd,
            var signed = certificate.enter(DERReader.Tag.sequence),
            var version = signed.enter(DERReader.Tag.version),
            version.next(DERReader.Tag.integer).map([UInt8].init) == version3,
            signed.next(DERReader.Tag.integer) != nil,  // serial number
            signed.next(DERReader.Tag.sequence) != nil,  // signature algorithm
            signed.next(DERReader.Tag.sequence) != nil,  // issuer
            signed.next(DERReader.Tag.sequence) != nil,  // validity
            let subject = signed.next(DERReader.Tag.sequence),
            let keyInfo = signed.next(DERReader.Tag.sequence)
        else { return nil }
        guard var wrapped = signed.enter(DERReader.Tag.extensions), var list = wrapped.enter(DERReader.Tag.sequence)
        else { return (subject, keyInfo, []) }
        var extensions: [(identifier: [UInt8], value: ArraySlice<UInt8>)] = []
        while !list.isAtEnd {
            guard var entry = list.enter(DERReader.Tag.sequence),
                let identifier = entry.next(DERReader.Tag.objectIdentifier)
            else { return nil }
            _ = entry.next(DERReader.Tag.boolean)  // whether it is critical
            guard let value = entry.next(DERReader.Tag.octetString), entry.isAtEnd else { return nil }
            extensions.append(([UInt8](identifier), value))
        }
        return (subject, keyInfo, extensions)
    }

    private func value(of identifier: [UInt8]) -> ArraySlice<UInt8>? {
        extensions.first { $0.identifier == identifier }?.value
    }

    private func hasUnit(_ name: String) -> Bool {
        var sets = DERReader(subject)
        while var set = sets.enter(DERReader.Tag.set) {
            while var attribute = set.enter(DERReader.Tag.sequence) {
                let type = attribute.next(DERReader.Tag.objectIdentifier)
                if type.map([UInt8].init) == Identifier.organizationalUnit, let text = attribute.next(),
                    text.contents.elementsEqual(name.utf8)
                {
                    return true
                }
            }
        }
        return false
    }

    /// Whether basic constraints say that this is no authority, by leaving out or denying it.
    private static func isEndEntity(_ constraints: ArraySlice<UInt8>) -> Bool {
        var input = DERReader(constraints)
        guard var sequence = input.enter(DERReader.Tag.sequence), input.isAtEnd else { return false }
        let isAuthority = sequence.next(DERReader.Tag.boolean)
        return isAuthority?.contains { $0 != 0 } != true
    }
}
