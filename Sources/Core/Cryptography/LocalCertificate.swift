internal import COpenSSL

/// A reason for which a certificate of a TLS server is not to be trusted, but for which it is right.
public enum CertificateFault: Sendable, CaseIterable {
    /// It is for `other.example` (RFC 9525 section 6).
    case otherName
    /// Another authority has signed it; its own key has; one has that the authority signed and that is not there
    /// (RFC 5280 section 6.1).
    case unknownAuthority, selfSigned, incompleteChain
    /// It was valid until yesterday; it is valid from tomorrow (RFC 5280 section 4.1.2.5).
    case expired, notYetValid
    /// It is for TLS clients alone; for signing code alone (RFC 5280 section 4.2.1.12).
    case clientPurpose, otherPurpose
}

/// A certificate and its private key for a TLS server on this machine: made in memory, for a demonstration or a test.
///
/// A client has to trust the authority that signed it, which was made for this certificate alone: its private key is
/// gone. The server shows no more than its own certificate. That is not the authority's, which TLS clients of rustls
/// refuse (`CaUsedAsEndEntity`).
///
/// The server's key leaves libcrypto as PEM, since TLS servers take that form; it is wiped with this value, but not in
/// the places to which it was copied.
public struct LocalCertificate: ~Copyable, Sendable {
    /// The server's certificate (X.509 v3, ECDSA P-256 with SHA-256), PEM.
    public let certificatePEM: [UInt8]
    /// The server's private key (PKCS #8), PEM.
    public let privateKeyPEM: SecretBytes
    /// The certificate of the authority that signed it, PEM; a client must trust it.
    public let authorityPEM: [UInt8]
    /// Certificates of the same private key that are not to be trusted, PEM.
    public let faultyPEM: [CertificateFault: [UInt8]]

    /// The names and addresses that a local server is reached by.
    public static let localNames = "DNS:localhost,IP:127.0.0.1,IP:::1"

    /// Makes a certificate that is valid from an hour ago until tomorrow.
    ///
    /// - Parameters:
    ///   - names: the subject alternative names in OpenSSL's notation: `DNS:localhost,IP:127.0.0.1`.
    ///   - faults: the faults of further certificates.
    /// - Throws: `libraryFailure`, also for names that OpenSSL cannot read.
    public init(names: String = localNames, faults: [CertificateFault] = []) throws(CryptographyError) {
        let authorityKey = try KeyReference.generateP256()
        let key = try KeyReference.generateP256()
        // Extensions for webpki and strict OpenSSL (RFC 5280 sections 4.2.1.1 to 4.2.1.3, 4.2.1.6, 4.2.1.9, 4.2.1.12).
        let authority = try CertificateReference(authority: "local certificate authority", authorityKey, authorityKey)
        let certificate = try CertificateReference(server: names, key, signedBy: authority, authorityKey)
        var faultyPEM: [CertificateFault: [UInt8]] = [:]
        for fault in faults {
            let faulty = try CertificateReference(fault, names: names, key, signedBy: authority, authorityKey)
            faultyPEM[fault] = try Self.pem { PEM_write_bio_X509($0, faulty.pointer) }
        }
        let authorityPEM = try Self.pem { PEM_write_bio_X509($0, authority.pointer) }
        let certificatePEM = try Self.pem { PEM_write_bio_X509($0, certificate.pointer) }
        let privateKey = SecretArray(try Self.pem { PEM_write_bio_PrivateKey($0, key.pointer, nil, nil, 0, nil, nil) })
        self.authorityPEM = authorityPEM
        self.faultyPEM = faultyPEM
        self.certificatePEM = certificatePEM
        privateKeyPEM = SecretBytes(copying: privateKey.span)
    }

    private static func pem(_ write: (OpaquePointer) -> Int32) throws(CryptographyError) -> [UInt8] {
        guard let buffer = BIO_new(BIO_s_secmem()) else { throw .library("BIO_new") }
        defer { BIO_free(buffer) }
        guard write(buffer) == 1 else { throw .library("PEM_write_bio") }
        let byteCount = BIO_ctrl_pending(buffer)
        var status: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { target, initialized in
            status = BIO_read(buffer, target.baseAddress, Int32(clamping: byteCount))
            initialized = max(0, Int(status))
        }
        guard bytes.count == byteCount, byteCount > 0 else { throw .library("BIO_read") }
        return bytes
    }
}

/// A certificate in libcrypto.
private final class CertificateReference {
    let pointer: OpaquePointer

    private static let version3 = 2
    static let secondsInADay = 86_400
    private static let secondsInAnHour = 3_600
    /// The bits of a random serial number: less than 20 bytes, and positive (RFC 5280 section 4.1.2.2).
    private static let serialNumberBits: Int32 = 127

    /// Makes a certificate that is valid from an hour ago until tomorrow.
    ///
    /// - Parameters:
    ///   - commonName: the subject's common name.
    ///   - key: the subject's key.
    ///   - issuer: the certificate of the authority; nil for a self-signed one.
    ///   - issuerKey: the authority's private key.
    ///   - validity: from when until when it is valid, in seconds from now.
    ///   - extensions: the extensions by their numbers in libcrypto, in OpenSSL's notation.
    init(
        _ commonName: String, _ key: KeyReference, signedBy issuer: CertificateReference?, _ issuerKey: KeyReference,
        validity: Range<Int> = -secondsInAnHour..<secondsInADay, _ extensions: [(identifier: Int32, value: String)]
    ) throws(CryptographyError) {
        guard let pointer = X509_new() else { throw .library("X509_new") }
        self.pointer = pointer
        let name = X509_get_subject_name(pointer)
        let commonName = Array(commonName.utf8)
        guard X509_set_version(pointer, Self.version3) == 1,
            Self.setSerialNumber(of: pointer),
            X509_gmtime_adj(X509_getm_notBefore(pointer), validity.lowerBound) != nil,
            X509_gmtime_adj(X509_getm_notAfter(pointer), validity.upperBound) != nil,
            X509_set_pubkey(pointer, key.pointer) == 1,
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, commonName, Int32(commonName.count), -1, 0) == 1,
            X509_set_issuer_name(pointer, issuer.map { X509_get_subject_name($0.pointer) } ?? name) == 1,
            extensions.allSatisfy({ Self.add($0.identifier, $0.value, to: pointer, issuer?.pointer ?? pointer) }),
            X509_sign(pointer, issuerKey.pointer, EVP_sha256()) > 0
        else { throw .library("X509_sign") }
    }

    /// Makes an authority's certificate; one that signs itself if there is no issuer.
    convenience init(
        authority name: String, _ key: KeyReference, signedBy issuer: CertificateReference? = nil,
        _ issuerKey: KeyReference
    ) throws(CryptographyError) {
        try self.init(
            name, key, signedBy: issuer, issuerKey,
            [
                (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_subject_key_identifier, "hash"),
            ])
    }

    /// Makes a server's certificate.
    convenience init(
        server names: String, _ key: KeyReference, signedBy issuer: CertificateReference?, _ issuerKey: KeyReference,
        validity: Range<Int> = -secondsInAnHour..<secondsInADay, purpose: String = "serverAuth"
    ) throws(CryptographyError) {
        try self.init(
            "localhost", key, signedBy: issuer, issuerKey, validity: validity,
            [
                (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                (NID_ext_key_usage, purpose), (NID_subject_alt_name, names), (NID_subject_key_identifier, "hash"),
                (NID_authority_key_identifier, "keyid:always"),
            ])
    }

    /// Makes a server's certificate that is not to be trusted.
    convenience init(
        _ fault: CertificateFault, names: String, _ key: KeyReference, signedBy authority: CertificateReference,
        _ authorityKey: KeyReference
    ) throws(CryptographyError) {
        let day = Self.secondsInADay
        switch fault {
        case .otherName: try self.init(server: "DNS:other.example", key, signedBy: authority, authorityKey)
        case .unknownAuthority:
            let otherKey = try KeyReference.generateP256()
            let other = try CertificateReference(authority: "other certificate authority", otherKey, otherKey)
            try self.init(server: names, key, signedBy: other, otherKey)
        case .selfSigned: try self.init(server: names, key, signedBy: nil, key)
        case .incompleteChain:
            let otherKey = try KeyReference.generateP256()
            let other = try CertificateReference(
                authority: "intermediate certificate authority", otherKey, signedBy: authority, authorityKey)
            try self.init(server: names, key, signedBy: other, otherKey)
        case .expired:
            try self.init(server: names, key, signedBy: authority, authorityKey, validity: -2 * day..<(-day))
        case .notYetValid:
            try self.init(server: names, key, signedBy: authority, authorityKey, validity: day..<(2 * day))
        case .clientPurpose:
            try self.init(server: names, key, signedBy: authority, authorityKey, purpose: "clientAuth")
        case .otherPurpose:
            try self.init(server: names, key, signedBy: authority, authorityKey, purpose: "codeSigning")
        }
    }

    deinit { X509_free(pointer) }

    private static func setSerialNumber(of certificate: OpaquePointer) -> Bool {
        guard let number = BN_new() else { return false }
        defer { BN_free(number) }
        return BN_rand(number, serialNumberBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1
            && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
    }

    private static func add(
        _ identifier: Int32, _ value: String, to certificate: OpaquePointer, _ issuer: OpaquePointer
    ) -> Bool {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        guard let extensionValue = X509V3_EXT_conf_nid(nil, &context, identifier, value) else { return false }
        defer { X509_EXTENSION_free(extensionValue) }
        return X509_add_ext(certificate, extensionValue, -1) == 1
    }
}
