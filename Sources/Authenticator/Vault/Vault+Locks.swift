internal import Cryptography
internal import LinuxSupport

// The ways to open a vault.

extension Vault {
    /// The public properties of a vault's file.
    public struct Summary: Sendable, Hashable {
        /// The name of the vault's key in the keyring, 16 bytes.
        public let id: [UInt8]
        /// True if a passphrase opens it.
        public let hasPassphrase: Bool
        /// True if a key in the desktop's keyring opens it.
        public let hasKeyring: Bool
    }

    /// Draws an ID for a new vault: 16 bytes.
    public static func newID() -> [UInt8] { randomBytes(count: VaultHeader.idByteCount) }

    /// Looks at a vault without opening it; nil if there is none.
    ///
    /// - Throws: ``VaultError`` `damaged`, `costly`, `newer-version`, `exposed`, `wrong-owner`, `not-a-file` or
    ///   `input-output`.
    public static func summary(at path: String) throws(VaultError) -> Summary? {
        do throws(VaultError) {
            let header = try read(AtomicFile(path: path)).header
            return Summary(
                id: header.id, hasPassphrase: header.wrappings.contains { $0.lock != .keyring },
                hasKeyring: header.wrappings.contains { $0.lock == .keyring })
        } catch {
            guard error.code == .noVault else { throw error }
            return nil
        }
    }

    static func read(_ file: AtomicFile) throws(VaultError) -> VaultFile.Sealed {
        let bytes: [UInt8]?
        do throws(AtomicFileError) {
            bytes = try file.read(limit: VaultFile.maxByteCount)
        } catch {
            // Who has named another file by mistake, such as a certificate, is not to change the permissions of that.
            if error.code == .exposed, let front = file.beginningOfExposed(limit: VaultHeader.maxByteCount) {
                do throws(VaultError) { _ = try VaultHeader.map(front.span) } catch { throw error.naming(file.path) }
            }
            throw VaultError(error)
        }
        guard let bytes else { throw VaultError(.noVault, reason: "there is no vault at \(file.path)") }
        return try VaultError.rethrown(VaultFile.parse(bytes), as: { $0.naming(file.path) })
    }

    /// The vault key, opened by the first lock for which there is a secret; the keyring's before the passphrase's,
    /// which takes long.
    static func unlock(_ header: VaultHeader, _ secrets: VaultSecrets) throws(VaultError) -> HeldSecret {
        var refusal: VaultError?
        if let vaultKey = secrets.vaultKey {
            if vaultKey.opens(header) { return vaultKey.key }
            refusal = VaultError(
                .noSecret, reason: "the vault, or its secrets, are not those that were opened")
        }
        if let keyringKey = secrets.keyringKey {
            for wrapping in header.wrappings where wrapping.lock == .keyring {
                do throws(VaultError) {
                    return try wrapping.open(with: keyringKey, vaultID: header.id)
                } catch {
                    refusal = error
                }
            }
        }
        if let passphrase = secrets.passphrase {
            for wrapping in header.wrappings where wrapping.lock != .keyring {
                return try wrapping.open(with: passphrase, vaultID: header.id)
            }
        }
        throw refusal ?? VaultError(.noSecret, reason: "none of the given secrets opens the vault")
    }

    /// A vault key under each of some secrets.
    static func wrappings(
        _ key: HeldSecret, _ secrets: VaultSecrets, vaultID: [UInt8], _ cost: Scrypt.Cost?
    ) throws(VaultError) -> [KeyWrapping] {
        var wrappings: [KeyWrapping] = []
        if let keyringKey = secrets.keyringKey {
            wrappings.append(try KeyWrapping(key, .keyring, secret: keyringKey, vaultID: vaultID))
        }
        if let passphrase = secrets.passphrase {
            let chosen: Scrypt.Cost
            do throws(CryptographyError) {
                chosen = if let cost { cost } else { try .calibrated(to: guessingTime, on: ContinuousClock()) }
            } catch {
                throw VaultError(error)
            }
            let lock = KeyWrapping.Lock.passphrase(salt: randomBytes(count: KeyWrapping.saltByteCount), chosen)
            wrappings.append(try KeyWrapping(key, lock, secret: passphrase, vaultID: vaultID))
        }
        guard !wrappings.isEmpty else { throw VaultError(.noSecret, reason: "no secret was given to open the vault") }
        return wrappings
    }
}
