internal import COpenSSL

/// A certificate and its private key for a TLS server on this machine: made in memory, for a demonstration or a test.
///
/// A client has to trust the certificate itself. The key leaves libcrypto as PEM, since that is what TLS servers
/// take; it is wiped with this value, but not in the places to which it was copied.
public struct SelfSignedCertificate: ~Copyable, Sendable {
    /// The certificate (X.509 v3, ECDSA P-256 with SHA-256), PEM.
    public let certificatePEM: [UInt8]
    /// The private key (PKCS #8), PEM.
    public let privateKeyPEM: SecretBytes

    /// The names and addresses that a local server is reached by.
    public static let localNames = "DNS:localhost,IP:127.0.0.1,IP:::1"

    private static let version3 = 2
    private static let secondsInADay = 86_400

    /// Makes a certificate that is valid from an hour ago until tomorrow.
    ///
    /// - Parameter names: the subject alternative names in OpenSSL's notation: `DNS:localhost,IP:127.0.0.1`.
    /// - Throws: `libraryFailure`, also for names that OpenSSL cannot read.
    public init(names: String = localNames) throws(CryptographyError) {
        let key = try KeyReference.generateP256()
        guard let certificate = X509_new() else { throw .library("X509_new") }
        defer { X509_free(certificate) }
        let serialNumber = Int(try randomBytes(count: 4).reduce(into: UInt32(1)) { $0 = $0 << 7 ^ UInt32($1) })
        let name = X509_get_subject_name(certificate)
        let commonName = Array("localhost".utf8)
        guard X509_set_version(certificate, Self.version3) == 1,
            ASN1_INTEGER_set(X509_get_serialNumber(certificate), serialNumber) == 1,
            X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != nil,
            X509_gmtime_adj(X509_getm_notAfter(certificate), Self.secondsInADay) != nil,
            X509_set_pubkey(certificate, key.pointer) == 1,
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, commonName, Int32(commonName.count), -1, 0) == 1,
            X509_set_issuer_name(certificate, name) == 1,
            Self.add(NID_basic_constraints, "critical,CA:TRUE", to: certificate),
            Self.add(NID_subject_alt_name, names, to: certificate),
            X509_sign(certificate, key.pointer, EVP_sha256()) > 0
        else { throw .library("X509_sign") }
        let certificatePEM = try Self.pem { PEM_write_bio_X509($0, certificate) }
        var privateKey = try Self.pem { PEM_write_bio_PrivateKey($0, key.pointer, nil, nil, 0, nil, nil) }
        self.certificatePEM = certificatePEM
        privateKeyPEM = SecretBytes(copying: privateKey.span)
        wipe(&privateKey)
    }

    private static func add(_ identifier: Int32, _ value: String, to certificate: OpaquePointer) -> Bool {
        guard let extensionValue = X509V3_EXT_conf_nid(nil, nil, identifier, value) else { return false }
        defer { X509_EXTENSION_free(extensionValue) }
        return X509_add_ext(certificate, extensionValue, -1) == 1
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
