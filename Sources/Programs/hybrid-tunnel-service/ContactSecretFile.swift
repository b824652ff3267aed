import CommandLine
import Cryptography
import HybridProtocol
import LinuxSupport

/// The file of a secret of a tunnel service's contact side: 32 bytes, mode 0600.
struct ContactSecretFile {
    let path: String

    /// The issuer of contact IDs of this file.
    ///
    /// - Parameter previous: the issuer of a secret that was used before, whose contact IDs are still to be recognised.
    /// - Returns: nil if the file is missing.
    /// - Throws: ``Failure`` for a file that is not a contact secret, `AtomicFileError`, `CryptographyError`.
    func issuer(previous: ContactTokenIssuer? = nil) throws -> ContactTokenIssuer? {
        let file = AtomicFile(path: path)
        guard let bytes = SecretArray(try file.read(limit: ContactTokenIssuer.secretByteCount)) else { return nil }
        guard bytes.count == ContactTokenIssuer.secretByteCount else {
            throw Failure(
                .file, code: "no-contact-secret",
                cause: "\(path) has \(bytes.count) bytes; a contact secret has \(ContactTokenIssuer.secretByteCount)",
                hint: "restore a copy; a new secret would invalidate every link of this service")
        }
        let secret = SecretBytes(copying: bytes.span)
        return try ContactTokenIssuer(secret: secret, previous: previous)
    }

    /// Makes the file, with a new secret.
    func make() throws {
        let secret = SecretBytes.random(count: ContactTokenIssuer.secretByteCount)
        try AtomicFile(path: path).create(with: secret.span)
    }
}

/// The files of the contact secrets that a service uses.
struct ContactSecretFiles {
    let current: ContactSecretFile
    let previous: ContactSecretFile?

    /// The issuer of contact IDs of these files.
    ///
    /// - Throws: ``Failure`` if one of them is missing or no contact secret, `AtomicFileError`, `CryptographyError`.
    func issuer() throws -> ContactTokenIssuer {
        let before = try previous.map { try Self.issuer(of: $0) }
        return try Self.issuer(of: current, previous: before)
    }

    /// The same, but makes the current secret if it is missing.
    ///
    /// - Returns: the issuer, and true if the secret was made just now.
    func issuerMakingSecret() throws -> (issuer: ContactTokenIssuer, isNew: Bool) {
        let isNew = try current.issuer() == nil
        if isNew { try current.make() }
        return (try issuer(), isNew)
    }

    private static func issuer(
        of file: ContactSecretFile, previous: ContactTokenIssuer? = nil
    ) throws -> ContactTokenIssuer {
        guard let issuer = try file.issuer(previous: previous) else {
            throw Failure(
                .file, code: "no-contact-secret", cause: "\(file.path) is missing",
                hint: "restore a copy; without it, every link that was made with it is lost")
        }
        return issuer
    }
}
