import AtomicFile
import ContactProtocol
import Cryptography

/// The file of the one secret that the contact side of a tunnel service keeps: 32 bytes, mode 0600.
struct ContactSecretFile {
    let path: String

    /// What knows the contact IDs that were issued with this file, and whether the file was made just now.
    ///
    /// - Throws: ``Failure`` for a file that is no contact secret, `AtomicFileError`, `CryptographyError`.
    func issuer() throws -> (issuer: ContactTicketIssuer, isNew: Bool) {
        let file = AtomicFile(path: path)
        guard var bytes = try file.read(limit: ContactTicketIssuer.secretByteCount) else {
            let secret = try SecretBytes.random(count: ContactTicketIssuer.secretByteCount)
            try file.create(with: secret.span)
            return (try ContactTicketIssuer(secret: secret), true)
        }
        defer { wipe(&bytes) }
        guard bytes.count == ContactTicketIssuer.secretByteCount else {
            throw Failure(
                .file, code: "no-contact-secret",
                cause: "\(path) has \(bytes.count) bytes; a contact secret has \(ContactTicketIssuer.secretByteCount)",
                hint: "put a copy back; with a new one every link of this service is lost")
        }
        let secret = SecretBytes(copying: bytes.span)
        return (try ContactTicketIssuer(secret: secret), false)
    }
}
