import Cryptography
import LinuxSupport
import TunnelProtocol

/// The file of the one secret that the contact side of a tunnel service keeps: 32 bytes, mode 0600.
struct ContactSecretFile {
    let path: String

    /// The issuer of contact IDs of this file, and true if the file was made just now.
    ///
    /// - Throws: ``Failure`` for a file that is no contact secret, `AtomicFileError`, `CryptographyError`.
    func issuer() throws -> (issuer: ContactTokenIssuer, isNew: Bool) {
        let file = AtomicFile(path: path)
        guard var bytes = try file.read(limit: ContactTokenIssuer.secretByteCount) else {
            let secret = try SecretBytes.random(count: ContactTokenIssuer.secretByteCount)
            try file.create(with: secret.span)
            return (try ContactTokenIssuer(secret: secret), true)
        }
        defer { wipe(&bytes) }
        guard bytes.count == ContactTokenIssuer.secretByteCount else {
            throw Failure(
                .file, code: "no-contact-secret",
                cause: "\(path) has \(bytes.count) bytes; a contact secret has \(ContactTokenIssuer.secretByteCount)",
                hint: "put a copy back; with a new one every link of this service is lost")
        }
        let secret = SecretBytes(copying: bytes.span)
        return (try ContactTokenIssuer(secret: secret), false)
    }
}
