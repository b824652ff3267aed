internal import Cryptography

/// The certificate of an authenticator's make, as far as a packed statement's verifier has to read it. Its issuer
/// is not verified.
///
/// Source: WebAuthn Level 3 section 8.2.1; RFC 5280 section 4.1.
struct AttestationCertificate {
    /// A part of the subject's name.
    private struct Attribute {
        let type: [UInt8]
        let value: ArraySlice<UInt8>
    }

    /// A certificate extension.
    private struct Extension {
        let identifier: [UInt8]
        let isCritical: Bool
        let value: ArraySlice<UInt8>
    }

    private let subject: [Attribute]
    private let keyInfo: ArraySlice<UInt8>
    private let extensions: [Extension]

    /// The largest certificate that is read: 64 KiB.
    private static let maxByteCount = 1 << 16
    /// The INTEGER contents for version 3.
    private static let version3: [UInt8] = [2]
    /// The organisational unit of every attestation certificate.
    private static let unit = "Authenticator Attestation".utf8

    /// The contents of OBJECT IDENTIFIER elements.
    private enum Identifier {
        /// 1.2.840.10045.2.1, id-ecPublicKey (RFC 5480).
        static let ecPublicKey: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
        /// 1.2.840.10045.3.1.7, secp256r1 (RFC 5480).
        static let p256: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        /// 2.5.4.11, organizationalUnitName (X.520).
        static let organizationalUnit: [UInt8] = [0x55, 0x04, 0x0b]
        /// 2.5.4.6, 10 and 3: countryName, organizationName, commonName (X.520).
        static let requiredNames: [[UInt8]] = [[0x55, 0x04, 0x06], [0x55, 0x04, 0x0a], [0x55, 0x04, 0x03]]
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

    /// Checks the certificate's requirements of WebAuthn.
    ///
    /// - Throws: ``RelyingPartyError`` `bad-attestation`.
    func check(aaguid: [UInt8]) throws(RelyingPartyError) {
        guard Identifier.requiredNames.allSatisfy({ name in subject.contains { $0.type == name } }) else {
            throw AttestationStatement.bad("its certificate does not name country, organisation and product")
        }
        guard subject.contains(where: { $0.type == Identifier.organizationalUnit && $0.value.elementsEqual(Self.unit) })
        else { throw AttestationStatement.bad("its certificate is not for attestation") }
        guard let constraints = self[Identifier.basicConstraints]?.value, Self.isEndEntity(constraints) else {
            throw AttestationStatement.bad("its certificate is an authority's")
        }
        guard let extended = self[Identifier.aaguid] else { return }
        var contents = DERReader(extended.value)
        guard !extended.isCritical, contents.next(DERReader.Tag.octetString).map([UInt8].init) == aaguid,
            contents.isAtEnd
        else { throw AttestationStatement.bad("its certificate is of another make of authenticator") }
    }

    private subscript(_ identifier: [UInt8]) -> Extension? { extensions.first { $0.identifier == identifier } }

    /// True if basic constraints say that this is not an authority, by leaving out or denying it.
    private static func isEndEntity(_ constraints: ArraySlice<UInt8>) -> Bool {
        var input = DERReader(constraints)
        guard var sequence = input.enter(DERReader.Tag.sequence), input.isAtEnd else { return false }
        return !isTrue(sequence.next(DERReader.Tag.boolean))
    }

    /// True if a BOOLEAN that may be left out is there and true.
    private static func isTrue(_ boolean: ArraySlice<UInt8>?) -> Bool { boolean?.contains { $0 != 0 } == true }
}

// Reading.
extension AttestationCertificate {
    private typealias Parts = (subject: [Attribute], keyInfo: ArraySlice<UInt8>, extensions: [Extension])

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
            let names = signed.enter(DERReader.Tag.sequence), let subject = attributes(names),
            let keyInfo = signed.next(DERReader.Tag.sequence)
        else { return nil }
        guard var wrapped = signed.enter(DERReader.Tag.extensions), let list = wrapped.enter(DERReader.Tag.sequence)
        else { return (subject, keyInfo, []) }
        return extensions(list).map { (subject, keyInfo, $0) }
    }

    private static func attributes(_ names: DERReader) -> [Attribute]? {
        var names = names
        var attributes: [Attribute] = []
        while !names.isAtEnd {
            guard var set = names.enter(DERReader.Tag.set) else { return nil }
            while !set.isAtEnd {
                guard var attribute = set.enter(DERReader.Tag.sequence),
                    let type = attribute.next(DERReader.Tag.objectIdentifier), let value = attribute.next()
                else { return nil }
                attributes.append(Attribute(type: [UInt8](type), value: value.contents))
            }
        }
        return attributes
    }

    private static func extensions(_ list: DERReader) -> [Extension]? {
        var list = list
        var extensions: [Extension] = []
        while !list.isAtEnd {
            guard var entry = list.enter(DERReader.Tag.sequence),
                let identifier = entry.next(DERReader.Tag.objectIdentifier)
            else { return nil }
            let isCritical = isTrue(entry.next(DERReader.Tag.boolean))
            guard let value = entry.next(DERReader.Tag.octetString), entry.isAtEnd else { return nil }
            extensions.append(Extension(identifier: [UInt8](identifier), isCritical: isCritical, value: value))
        }
        return extensions
    }
}
