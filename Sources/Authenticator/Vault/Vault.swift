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

    /// The time that a guess at the passphrase should take, on the machine on which the passphrase is set.
    public static let guessingTime = Duration.milliseconds(500)

    /// The length of a vault's ``sealingKey()``: 32 bytes.
    public static let sealingKeyByteCount = AES256GCM.keyByteCount

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
    private(set) var contents: CredentialFile.Contents
    let now: @Sendable () -> Int64

    private init(
        file: AtomicFile, lock: consuming FileLock?, id: [UInt8], wrappings: [KeyWrapping], key: HeldSecret,
        contents: CredentialFile.Contents, now: @escaping @Sendable () -> Int64
    ) {
        self.file = file
        self.lock = lock
        self.id = id
        self.wrappings = wrappings
        self.key = key
        self.contents = contents
        self.now = now
    }

    /// Makes an empty vault, and opens it for changes.
    ///
    /// - Parameters:
    ///   - path: the file, which must not exist yet. Its directory is made, mode 0700, if it is missing.
    ///   - id: the name of the vault's key in the keyring; see ``newID()``.
    ///   - secrets: the secrets that open it; at least one.
    ///   - cost: the cost of deriving the passphrase's key; if nil, the one that takes ``guessingTime`` here.
    ///   - now: the time in seconds since 1970; the system's unless said otherwise.
    /// - Throws: ``VaultError`` `exists`, `no-secret`, `in-use`, `not-a-file`, `no-space`, `read-only`, `input-output`
    ///   or `library-failure`.
    public static func create(
        at path: String, id: [UInt8], _ secrets: VaultSecrets, cost: Scrypt.Cost? = nil,
        now: @escaping @Sendable () -> Int64 = PasskeyAuthenticator.systemTime
    ) throws(VaultError) -> Vault {
        let file = AtomicFile(path: path)
        let lock = try place(file)
        let key = HeldSecret.randomKey()
        let wrappings = try Self.wrappings(key, secrets, vaultID: id, cost)
        let contents = CredentialFile.Contents()
        let bytes = try VaultFile.seal(contents, id: id, wrappings, key)
        try AtomicFileError.rethrown(file.replace(with: bytes.span, lock), as: VaultError.init)
        return Vault(file: file, lock: lock, id: id, wrappings: wrappings, key: key, contents: contents, now: now)
    }

    /// Opens a vault.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - secrets: the secrets that may open it: the keyring's key is tried first. Deriving the passphrase's key takes
    ///     about as long as it
    ///     took where the passphrase was set, on the calling thread.
    ///   - access: the kind of access.
    ///   - now: as in ``create(at:id:_:cost:now:)``.
    /// - Throws: ``VaultError``; any of its codes but `exists`, `full`, `no-space`, `closed` and those of the keyring.
    public static func open(
        at path: String, _ secrets: VaultSecrets, for access: Access = .changing,
        now: @escaping @Sendable () -> Int64 = PasskeyAuthenticator.systemTime
    ) throws(VaultError) -> Vault {
        let file = AtomicFile(path: path)
        let lock = try lock(file, for: access)
        let sealed = try read(file)
        let key = try unlock(sealed.header, secrets)
        let contents = try VaultError.rethrown(VaultFile.open(sealed, key), as: { $0.naming(file.path) })
        return Vault(
            file: file, lock: lock, id: sealed.header.id, wrappings: sealed.header.wrappings, key: key,
            contents: contents, now: now)
    }

    private static func place(_ file: AtomicFile) throws(VaultError) -> FileLock {
        do throws(AtomicFileError) {
            let lock = try file.lock(timeout: lockTimeout, makingDirectory: true)
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

    /// The passkeys that newer ones have taken the place of, the longest replaced first. They answer no request.
    ///
    /// Each is kept for 30 days, and is gone with the first change after that.
    ///
    /// - Throws: `CredentialStoreError` `closed`.
    public func replaced() throws(CredentialStoreError) -> [ReplacedCredential] {
        try checkOpen()
        return list.replaced
    }

    /// Keeps a new passkey; it is on the disk when this returns. The one that it takes the place of is still kept, as
    /// ``replaced()`` says.
    ///
    /// - Throws: `CredentialStoreError` `full`, `no-space`, `read-only`, `input-output`, `library-failure` or `closed`;
    ///   the file is then as it was.
    public func add(_ credential: Credential) throws(CredentialStoreError) {
        try keep(list.adding(credential, keepingReplacedAt: now()))
    }

    /// Brings a passkey back that was replaced, or handed over to a vault that does not have it in truth. The one that
    /// is in its place now, if any, is a replaced one then.
    ///
    /// - Parameter id: the ID of one of ``replaced()`` or ``handedOver()``.
    /// - Throws: `CredentialStoreError` as ``add(_:)``; `unknown-credential`.
    public func restore(id: [UInt8]) throws(CredentialStoreError) { try keep(list.restoring(id: id, at: now())) }

    /// Keeps a passkey as it is now; it is on the disk when this returns.
    ///
    /// - Throws: `CredentialStoreError` as ``add(_:)``; `unknown-credential` rather than `full`.
    public func update(_ credential: Credential) throws(CredentialStoreError) { try keep(list.updating(credential)) }

    /// Removes a passkey, a replaced one too; it is gone from the file when this returns. Remains of the old file on
    /// the disk are encrypted.
    ///
    /// - Throws: `CredentialStoreError` as ``update(_:)``.
    public func remove(id: [UInt8]) throws(CredentialStoreError) { try keep(list.removing(id: id)) }

    /// A key for data that belongs with the passkeys but lies in a file of its own: that file alone is of no use.
    /// It is drawn at the first use, is on the disk when this returns, and stays the same; an export does not have it.
    ///
    /// - Returns: ``sealingKeyByteCount`` bytes.
    /// - Throws: `CredentialStoreError` as ``add(_:)``, but `full`.
    public func sealingKey() throws(CredentialStoreError) -> SecretBytes {
        try checkOpen()
        if let key = contents.sealingKey { return key.clone() }
        var changed = contents
        let new = HeldSecret.randomKey()
        changed.sealingKey = new
        try keep(changed)
        return new.clone()
    }

    /// Gives the vault other secrets in the place of all that it has, and a new key: the old secrets open only copies
    /// that were made before.
    ///
    /// - Parameters:
    ///   - secrets: the secrets that open it; at least one.
    ///   - cost: as in ``create(at:id:_:cost:now:)``.
    /// - Throws: ``VaultError`` `no-secret`, `no-space`, `read-only`, `input-output`, `library-failure` or `closed`.
    public func change(to secrets: VaultSecrets, cost: Scrypt.Cost? = nil) throws(VaultError) {
        let key = HeldSecret.randomKey()
        let wrappings = try Self.wrappings(key, secrets, vaultID: id, cost)
        contents = try write(contents, wrappings, key)
        self.wrappings = wrappings
        self.key = key
    }

    /// The vault's passkeys as a vault of its own, which opens with a passphrase; there they are said to be backed up.
    /// Replaced ones and those that were handed over are left out: who wants one elsewhere restores it first.
    ///
    /// ``markBackedUp(_:)`` notes the backup here too, once the copy is safe.
    ///
    /// - Returns: a file's bytes, encrypted.
    /// - Throws: ``VaultError`` `no-secret`, `library-failure` or `closed`.
    public func exported(_ secrets: VaultSecrets, cost: Scrypt.Cost? = nil) throws(VaultError) -> [UInt8] {
        guard key != nil else { throw Self.closed }
        let exportID = Self.newID()
        let exportKey = HeldSecret.randomKey()
        let wrappings = try Self.wrappings(exportKey, secrets, vaultID: exportID, cost)
        return try VaultFile.seal(
            .init(list: CredentialList(contents.list.backedUp().credentials)), id: exportID, wrappings, exportKey)
    }

    /// Notes that passkeys have a copy elsewhere, which relying parties are told from then on.
    ///
    /// - Parameter ids: their IDs; nil for all passkeys.
    /// - Throws: `CredentialStoreError`.
    public func markBackedUp(_ ids: Set<[UInt8]>? = nil) throws(CredentialStoreError) {
        try checkOpen()
        try keep(list.backedUp(ids))
    }

    /// Imports the passkeys of another vault whose ID is not here, in use or in transit, and that would not replace
    /// another one.
    ///
    /// - Returns: the number of imported passkeys.
    /// - Throws: `CredentialStoreError` as ``add(_:)``; then none was imported.
    public func importCredentials(_ credentials: [Credential]) throws(CredentialStoreError) -> Int {
        var changed = list
        let inTransit = Set(list.inTransit.lazy.map(\.credential.id))
        for credential in credentials
        where !inTransit.contains(credential.id) && !changed.credentials.contains(where: { $0.id == credential.id }) {
            let longer = try changed.adding(credential)
            if longer.credentials.count > changed.credentials.count { changed = longer }
        }
        let count = changed.credentials.count - list.credentials.count
        if count > 0 { try keep(changed) }
        return count
    }

    /// Secrets that open the vault again, at once and as it is then, until it gets other secrets. They are for code
    /// that holds a vault open for some time, and lets other processes change it meanwhile.
    ///
    /// - Throws: ``VaultError`` `closed`.
    package func secretsToReopen() throws(VaultError) -> VaultSecrets {
        guard let key else { throw Self.closed }
        return VaultSecrets(
            passphrase: nil, keyringKey: nil, vaultKey: VaultKey(key: key, id: id, wrappings: wrappings))
    }

    /// Wipes the key and the passkeys, and gives up the lock. A `Credential` that is still referenced keeps its key.
    public func close() {
        key = nil
        contents = CredentialFile.Contents()
        lock = nil
    }

    func checkOpen() throws(CredentialStoreError) {
        guard key != nil else { throw CredentialStoreError(Self.closed) }
    }

    func keep(_ changed: CredentialList) throws(CredentialStoreError) {
        var contents = contents
        contents.list = changed
        try keep(contents)
    }

    func keep(_ changed: CredentialFile.Contents) throws(CredentialStoreError) {
        contents = try VaultError.rethrown(write(changed, wrappings, key), as: CredentialStoreError.init)
    }

    /// Writes the file.
    ///
    /// - Returns: the contents as written: without the passkeys that were kept aside and whose time is over.
    private func write(
        _ contents: CredentialFile.Contents, _ wrappings: [KeyWrapping], _ key: HeldSecret?
    ) throws(VaultError) -> CredentialFile.Contents {
        guard self.key != nil, let key else { throw Self.closed }
        var contents = contents
        contents.list = contents.list.pruned(at: now())
        let bytes = try VaultFile.seal(contents, id: id, wrappings, key)
        switch lock {
        case .none: throw VaultError(.readOnly, reason: "the vault was opened for reading only")
        case .some(let lock):
            try AtomicFileError.rethrown(file.replace(with: bytes.span, lock), as: VaultError.init)
        }
        return contents
    }

    var list: CredentialList { contents.list }

    private static let closed = VaultError(.closed, reason: "the vault has been closed")
}
