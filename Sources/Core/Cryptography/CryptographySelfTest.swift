internal import COpenSSL

/// Trial of the algorithms that a session needs, for the start of a program.
///
/// Hashes, HMAC, HKDF and random bytes do not throw. Where the configuration of OpenSSL forbids one of them, as without
/// its default provider, or with `default_properties = fips=yes` and no FIPS provider, the first use would end the
/// process; after this trial a program can say why it cannot work on this machine.
///
/// Algorithms of single formats are not tried, since their use throws: Ed25519, RSA, scrypt, ChaCha20, AES-128, the
/// group of the Secret Service.
public enum CryptographySelfTest {
    /// Uses each algorithm once.
    ///
    /// - Throws: `forbiddenAlgorithm`, whose reason names the algorithm.
    public static func run() throws(CryptographyError) {
        try permit("SHA-256", digests(Algorithms.sha256))
        try permit("SHA-512", digests(Algorithms.sha512))
        // Its context has the shortest key there is, the empty one.
        try permit("HMAC with SHA-256", Algorithms.hmacSHA256 != nil)
        try permit("its random generator", drawsRandomBytes())
        try permit("AES-256", encryptsBlock())
        try permit("AES-256-GCM", seals())
        try permit("AES-256-CBC", encryptsMessage())
        try permit("P-256", (try? agreesAndSigns()) == true)
    }

    private static func permit(_ name: StaticString, _ isPermitted: Bool) throws(CryptographyError) {
        guard !isPermitted else { return }
        ERR_clear_error()
        throw CryptographyError(.forbiddenAlgorithm, reason: "the OpenSSL of this machine does not permit \(name)")
    }

    private static func digests(_ algorithm: OpaquePointer?) -> Bool {
        var digest = [UInt8](repeating: 0, count: SHA512.byteCount)
        return algorithm != nil && EVP_Digest(nil, 0, &digest, nil, algorithm, nil) == 1
    }

    private static func drawsRandomBytes() -> Bool {
        var byte: UInt8 = 0
        return RAND_bytes_ex(nil, &byte, 1, 0) == 1 && RAND_priv_bytes_ex(nil, &byte, 1, 0) == 1
    }

    private static let key = [UInt8](repeating: 0, count: AES256GCM.keyByteCount)
    private static let block = [UInt8](repeating: 0, count: AES256Block.blockByteCount)

    private static func encryptsBlock() -> Bool {
        guard var cipher = try? AES256Block(key: key.span, .encrypt) else { return false }
        return (try? cipher.transform(block.span)) != nil
    }

    private static func seals() -> Bool {
        guard var sealer = try? AES256GCM.Sealer(key: key.span) else { return false }
        var message = block
        return (try? sealer.seal(&message, nonce: AES256GCM.Nonce(repeating: 0))) != nil
    }

    private static func encryptsMessage() -> Bool {
        (try? AES256CBC.encrypt(block.span, key: key.span, vector: block.span)) != nil
    }

    private static func agreesAndSigns() throws(CryptographyError) -> Bool {
        let key = try P256.PrivateKey.generate()
        let publicKey = key.publicKey
        let secret = try key.sharedSecret(with: publicKey)
        let signature = try key.sign(secret.span)
        return try publicKey.verify(signature: signature.span, of: secret.span)
    }
}
