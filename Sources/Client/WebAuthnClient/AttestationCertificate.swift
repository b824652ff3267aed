internal import Cryptography

/// The certificate of an authenticator's make, as far as a packed statement's verifier has to read it. Its issuer
/// is not verified.
///
/// Source: WebAuthn Level 3 section 8.2.1; RFC 5280 section 4.1.
struct AttestationCertificate {
    /// A part of the subject's name.
    private struct Attribute {
        let type: [UInt8]
        let value: Range<Int>
    }

    /// A certificate extension.
    private struct Extension {
        let identifier: [UInt8]
        let isCritical: Bool
        let value: Range<Int>
    }

    private let bytes: [UInt8]
    private let subject: [Attribute]
    private let keyInfo: Range<Int>
    private let extensions: [Extension]

    /// The largest certificate that is read: 64 KiB.
    private static let maxByteCount = 1 << 16
    /// The INTEGER contents for version 3.
    private static let version3: [UInt8] = [2]
    /// The organisational unit of every attestation certificate.
    private static let unit = "Authenticator Attestation".utf8

    /// The parts of the subject's name that have to be there, beside its unit.
    private static let requiredNames = [
        DER.Identifier.countryName, DER.Identifier.organizationName, DER.Identifier.commonName,
    ]

    /// The contents of OBJECT IDENTIFIER elements.
    private enum Identifier {
        /// 1.3.6.1.4.1.45724.1.1.4, id-fido-gen-ce-aaguid (WebAuthn Level 3 section 8.2.1).
        static let aaguid: [UInt8] = [0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0xe5, 0x1c, 0x01, 0x01, 0x04]
    }

    /// Reads a DER certificate of version 3.
    ///
    /// - Throws: ``RelyingPartyError`` `bad-attestation`.
    init(_ der: [UInt8]) throws(RelyingPartyError) {
        guard der.count <= Self.maxByteCount, let parts = Self.parts(der.span) else {
            throw AttestationStatement.bad("its first certificate is not an X.509 certificate of version 3")
        }
        bytes = der
        (subject, keyInfo, extensions) = parts
    }

    /// The certificate's key if it is one on P-256; nil if it is of another kind.
    func publicKey() throws(RelyingPartyError) -> PublicKey? {
        let der = bytes.span
        var info = DERReader(keyInfo)
        guard var algorithm = info.enter(.sequence, der), let key = info.take(.bitString, der), info.isAtEnd else {
            throw AttestationStatement.bad("its certificate has no public key")
        }
        guard let kind = algorithm.take(.objectIdentifier, der), der.has(DER.Identifier.ecPublicKey, at: kind),
            let curve = algorithm.take(.objectIdentifier, der), der.has(DER.Identifier.prime256v1, at: curve)
        else { return nil }
        let noUnusedBits: UInt8 = 0
        guard let unusedBits = key.first, der[unusedBits] == noUnusedBits else {
            throw AttestationStatement.bad("its certificate's key is malformed")
        }
        do throws(RelyingPartyError) {
            return try PublicKey(point: [UInt8](bytes[key.dropFirst()]))
        } catch {
            throw AttestationStatement.bad("its certificate's key is not a point on P-256")
        }
    }

    /// Checks the certificate's requirements of WebAuthn.
    ///
    /// - Throws: ``RelyingPartyError`` `bad-attestation`.
    func check(aaguid: [UInt8]) throws(RelyingPartyError) {
        guard Self.requiredNames.allSatisfy({ name in subject.contains { $0.type == name } }) else {
            throw AttestationStatement.bad("its certificate does not name country, organisation and product")
        }
        let units = subject.filter { $0.type == DER.Identifier.organizationalUnitName }
        guard units.contains(where: { bytes[$0.value].elementsEqual(Self.unit) }) else {
            throw AttestationStatement.bad("its certificate is not for attestation")
        }
        guard let constraints = self[DER.Identifier.basicConstraints]?.value, isEndEntity(constraints) else {
            throw AttestationStatement.bad("its certificate is an authority's")
        }
        guard let extended = self[Identifier.aaguid] else { return }
        var contents = DERReader(extended.value)
        guard !extended.isCritical, let value = contents.take(.octetString, bytes.span), contents.isAtEnd,
            bytes.span.has(aaguid, at: value)
        else { throw AttestationStatement.bad("its certificate is of another make of authenticator") }
    }

    private subscript(_ identifier: [UInt8]) -> Extension? { extensions.first { $0.identifier == identifier } }

    /// True if basic constraints say that this is not an authority, by leaving out or denying it.
    private func isEndEntity(_ constraints: Range<Int>) -> Bool {
        var input = DERReader(constraints)
        guard var sequence = input.enter(.sequence, bytes.span), input.isAtEnd else { return false }
        return !Self.isTrue(sequence.take(.boolean, bytes.span), bytes.span)
    }

    /// True if a BOOLEAN that may be left out is there and true.
    private static func isTrue(_ boolean: Range<Int>?, _ der: Span<UInt8>) -> Bool {
        boolean?.contains { der[$0] != 0 } == true
    }
}

// Reading.
extension AttestationCertificate {
    private typealias Parts = (subject: [Attribute], keyInfo: Range<Int>, extensions: [Extension])

    private static func parts(_ der: Span<UInt8>) -> Parts? {
        var input = DERReader(der.indices)
        guard var certificate = input.enter(.sequence, der), input.isAtEnd,
            var signed = certificate.enter(.sequence, der),
            var wrappedVersion = signed.enter(.constructed0, der),
            let version = wrappedVersion.take(.integer, der), der.has(version3, at: version),
            signed.take(.integer, der) != nil,  // serial number
            signed.take(.sequence, der) != nil,  // signature algorithm
            signed.take(.sequence, der) != nil,  // issuer
            signed.take(.sequence, der) != nil,  // validity
            let names = signed.enter(.sequence, der), let subject = attributes(names, der),
            let keyInfo = signed.take(.sequence, der)
        else { return nil }
        guard var wrapped = signed.enter(.constructed3, der), let list = wrapped.enter(.sequence, der)
        else { return (subject, keyInfo, []) }
        return extensions(list, der).map { (subject, keyInfo, $0) }
    }

    private static func attributes(_ names: DERReader, _ der: Span<UInt8>) -> [Attribute]? {
        var names = names
        var attributes: [Attribute] = []
        while !names.isAtEnd {
            guard var set = names.enter(.set, der) else { return nil }
            while !set.isAtEnd {
                guard var attribute = set.enter(.sequence, der),
                    let type = attribute.take(.objectIdentifier, der), let value = attribute.takeAny(der)
                else { return nil }
                attributes.append(Attribute(type: der.bytes(at: type), value: value))
            }
        }
        return attributes
    }

    private static func extensions(_ list: DERReader, _ der: Span<UInt8>) -> [Extension]? {
        var list = list
        var extensions: [Extension] = []
        while !list.isAtEnd {
            guard var entry = list.enter(.sequence, der), let identifier = entry.take(.objectIdentifier, der) else {
                return nil
            }
            let isCritical = isTrue(entry.take(.boolean, der), der)
            guard let value = entry.take(.octetString, der), entry.isAtEnd else { return nil }
            extensions.append(Extension(identifier: der.bytes(at: identifier), isCritical: isCritical, value: value))
        }
        return extensions
    }
}

extension Span<UInt8> {
    fileprivate func bytes(at range: Range<Int>) -> [UInt8] { range.map { self[$0] } }
}
