public import Cryptography
internal import LinuxSupport
public import PasskeyAuthenticator

/// Passkeys in an encrypted file.
///
/// The file is opened with a passphrase, or with a key that the desktop's keyring holds; see ``VaultSecrets``. Each
/// change is written to a new file beside it (`FILE.new`, mode 0600), which takes its place when it is safely on the
/// disk: a crash leaves the old contents or the new. A lock on `FILE.lock`, which stays behind empty, keeps a second
/// process from changing it for as long as this one has it open for changes; reading takes no lock. An attacker who can
/// write the file can also replace it by an older one: that is not noticed.
public actor Vault: CredentialStore {
    /// Kind of access to a vault.
    public enum Access: Sendable, Hashable {
        /// To look at it. Another process may change it meanwhile, which is not seen.
        case reading
        /// To change it as well. One process at a time can.
        case changing
    }

    /// The time that a guess at the passphrase is to take, on the machine on which the passphrase is set.
    public static let guessingTime = Duration.milliseconds(500)

    /// Longest wait for another process that is about to end, and holds the lock.
    private static let lockTimeout = Duration.milliseconds(500)

    /// Always true.
    public nonisolated var protectsCredentials: Bool { true }

    private let file: AtomicFile
    private let id: [UInt8]
    private var lock: FileLock?
    private var wrappings: [KeyWrapping]
    /// Nil once the vault is closed.
    private var key: HeldSecret?
    private var list: CredentialList

    private init(
        file: AtomicFile, lock: consuming FileLock?, id: [UInt8], wrappings: [KeyWrapping], key: HeldSecret,
        list: CredentialList
    ) {
        self.file = file
        self.lock = lock
        self.id = id
        self.wrappings = wrappings
        self.key = key
        self.list = list
    }

    /// Makes an empty vault, and opens it for changes.
    ///
    /// - Parameters:
    ///   - path: the file, which must not be there yet. Its directory is made, mode 0700, if it is missing.
    ///   - id: The name of the vault's key in the keyring; see ``newID()``.
    ///   - secrets: The secrets that are to open it; at least one.
    ///   - cost: The cost of deriving the passphrase's key; if nil, the one that takes ``guessingTime`` here.
    /// - Throws: ``VaultError`` `exists`, `no-secret`, `in-use`, `not-a-file`, `no-space`, `read-only`, `input-output`
    ///   or `library-failure`.
    public static func create(
        at path: String, id: [UInt8], _ secrets: VaultSecrets, cost: Scrypt.Cost? = nil
    ) throws(VaultError) -> Vault {
        let file = AtomicFile(path: path)
        let lock = try place(file)
        let key = try HeldSecret.randomKey()
        let wrappings = try Self.wrappings(key, secrets, vaultID: id, cost)
        let bytes = try VaultFile.seal(CredentialList(), id: id, wrappings, key)
        do throws(AtomicFileError) { try file.replace(with: bytes.span, lock) } catch { throw VaultError(error) }
        return Vault(file: file, lock: lock, id: id, wrappings: wrappings, key: key, list: CredentialList())
    }

    /// Opens a vault.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - secrets: The secrets that may open it: the keyring's key is tried first. Deriving the passphrase's key takes
    ///     about as long as it
    ///     took where the passphrase was set, on the calling thread.
    ///   - access: The kind of access.
    /// - Throws: ``VaultError``; any of its codes but `exists`, `full`, `no-space`, `closed` and those of the keyring.
    public static func open(
        at path: String, _ secrets: VaultSecrets, for access: Access = .changing
    ) throws(VaultError) -> Vault {
        let file = AtomicFile(path: path)
        let lock = try lock(file, for: access)
        let sealed = try read(file)
        let key = try unlock(sealed.header, secrets)
        let list = try VaultFile.open(sealed, key)
        return Vault(
            file: file, lock: lock, id: sealed.header.id, wrappings: sealed.header.wrappings, key: key, list: list)
    }

    private static func place(_ file: AtomicFile) throws(VaultError) -> FileLock {
        do throws(AtomicFileError) {
            try file.makeDirectory()
            let lock = try file.lock(timeout: lockTimeout)
            guard try file.read(limit: VaultFile.maxByteCount) == nil else {
                throw AtomicFileError(.exists, reason: "there is a file already at \(file.path)")
            }
            return lock
        } catch {
            throw VaultError(error)
        }
    }

    private static func lock(_ file: AtomicFile, for access: Access) throws(VaultError) -> FileLock? {
        do throws(AtomicFileError) {
            // Without a vault there is nothing to lock, and the lock's file is not to be left behind.
            guard access == .changing, try file.read(limit: VaultFile.maxByteCount) != nil else { return nil }
            return try file.lock(timeout: lockTimeout)
        } catch {
            throw VaultError(error)
        }
    }

    /// All passkeys, the oldest first.
    ///
    /// - Throws: `CredentialStoreError` `closed`.
    public func credentials() throws(CredentialStoreError) -> [Credential] {
        try checkOpen()
        return list.credentials
    }

    /// The passkeys of a relying party, the newest first.
    ///
    /// - Throws: `CredentialStoreError` `closed`.
    public func credentials(rpID: String) throws(CredentialStoreError) -> [Credential] {
        try checkOpen()
        return list.credentials(rpID: rpID)
    }

    /// Keeps a new passkey; it is on the disk when this returns.
    ///
    /// - Throws: `CredentialStoreError` `full`, `no-space`, `read-only`, `input-output`, `library-failure` or `closed`;
    ///   the file is then as it was.
    public func add(_ credential: Credential) throws(CredentialStoreError) { try keep(list.adding(credential)) }

    /// Keeps a passkey as it is now; it is on the disk when this returns.
    ///
    /// - Throws: `CredentialStoreError` as ``add(_:)``; `unknown-credential` rather than `full`.
    public func update(_ credential: Credential) throws(CredentialStoreError) { try keep(list.updating(credential)) }

    /// Removes a passkey; it is gone from the file when this returns. What the disk keeps of the old file is encrypted.
    ///
    /// - Throws: `CredentialStoreError` as ``update(_:)``.
    public func remove(id: [UInt8]) throws(CredentialStoreError) { try keep(list.removing(id: id)) }

    /// Gives the vault other secrets in the place of all that it has, and a new key: the old secrets open only copies
    /// that were made before.
    ///
    /// - Parameters:
    ///   - secrets: The secrets that are to open it; at least one.
    ///   - cost: as in ``create(at:id:_:cost:)``.
    /// - Throws: ``VaultError`` `no-secret`, `no-space`, `read-only`, `input-output`, `library-failure` or `closed`.
    public func change(to secrets: VaultSecrets, cost: Scrypt.Cost? = nil) throws(VaultError) {
        let key = try HeldSecret.randomKey()
        let wrappings = try Self.wrappings(key, secrets, vaultID: id, cost)
        try write(list, wrappings, key)
        self.wrappings = wrappings
        self.key = key
    }

    /// The vault's passkeys as a vault of its own, which opens with a passphrase; there they are said to be backed up.
    ///
    /// ``markBackedUp()`` notes the backup here too, once the copy is safe.
    ///
    /// - Returns: a file's bytes, encrypted.
    /// - Throws: ``VaultError`` `no-secret`, `library-failure` or `closed`.
    public func exported(_ secrets: VaultSecrets, cost: Scrypt.Cost? = nil) throws(VaultError) -> [UInt8] {
        guard key != nil else { throw Self.closed }
        let exportID = try Self.newID()
        let exportKey = try HeldSecret.randomKey()
        let wrappings = try Self.wrappings(exportKey, secrets, vaultID: exportID, cost)
        return try VaultFile.seal(list.backedUp(), id: exportID, wrappings, exportKey)
    }

    /// Notes that the passkeys have a copy elsewhere, which relying parties are told from then on.
    ///
    /// - Throws: `CredentialStoreError`.
    public func markBackedUp() throws(CredentialStoreError) {
        try checkOpen()
        try keep(list.backedUp())
    }

    /// Imports the passkeys of another vault whose ID is not here, and that would not replace another one.
    ///
    /// - Returns: The number of imported passkeys.
    /// - Throws: `CredentialStoreError` as ``add(_:)``; then none was imported.
    public func takeIn(_ credentials: [Credential]) throws(CredentialStoreError) -> Int {
        var changed = list
        for credential in credentials where !changed.credentials.contains(where: { $0.id == credential.id }) {
            let longer = try changed.adding(credential)
            if longer.credentials.count > changed.credentials.count { changed = longer }
        }
        let count = changed.credentials.count - list.credentials.count
        if count > 0 { try keep(changed) }
        return count
    }

    /// Wipes the key and the passkeys, and gives up the lock. A `Credential` that is still referenced keeps its key.
    public func close() {
        key = nil
        list = CredentialList()
        lock = nil
    }

    private func checkOpen() throws(CredentialStoreError) {
        guard key != nil else { throw CredentialStoreError(Self.closed) }
    }

    private func keep(_ changed: CredentialList) throws(CredentialStoreError) {
        do throws(VaultError) { try write(changed, wrappings, key) } catch { throw CredentialStoreError(error) }
        list = changed
    }

    private func write(_ list: CredentialList, _ wrappings: [KeyWrapping], _ key: HeldSecret?) throws(VaultError) {
        guard self.key != nil, let key else { throw Self.closed }
        let bytes = try VaultFile.seal(list, id: id, wrappings, key)
        switch lock {
        case .none: throw VaultError(.readOnly, reason: "the vault was opened for reading only")
        case .some(let lock):
            do throws(AtomicFileError) { try file.replace(with: bytes.span, lock) } catch { throw VaultError(error) }
        }
    }

    private static let closed = VaultError(.closed, reason: "the vault has been closed")
}
