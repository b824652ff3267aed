internal import Cryptography
internal import LinuxSupport
public import PasskeyAuthenticator

/// Passkeys in a file, **unencrypted**: for tests and labs. A reader of the file has the private keys.
///
/// The file is made with the first credential, with mode 0600. A file that others than its owner may use, that belongs
/// to another user, is reached through a symbolic link, is damaged or of a newer version is refused and left as it is.
/// Each change is written to a new file beside it (`FILE.new`), which takes its place when it is safely on the disk, so
/// that a crash leaves the old contents or the new. An advisory lock on `FILE.lock`, which stays behind empty, keeps a
/// second process out for as long as this object lives.
public actor FileCredentialStore: CredentialStore {
    /// The file.
    public nonisolated var path: String { file.path }
    private let file: AtomicFile
    private let lock: FileLock
    private var list: CredentialList

    /// Opens a store, locks it and reads it.
    ///
    /// - Parameter path: the file, which need not exist yet; its directory must, and must be writable.
    /// - Throws: `CredentialStoreError`; any of its codes but `full`.
    public init(path: String) throws(CredentialStoreError) {
        let file = AtomicFile(path: path)
        // A store that cannot be used gets no lock, whose file would stay behind.
        _ = try Self.read(file)
        lock = try AtomicFileError.rethrown(file.lock(), as: CredentialStoreError.init)
        self.file = file
        list = try Self.read(file)
    }

    /// All credentials, the oldest first.
    public func credentials() -> [Credential] { list.credentials }

    /// The credentials of a relying party, the newest first.
    public func credentials(rpID: String) -> [Credential] { list.credentials(rpID: rpID) }

    /// Keeps a new credential; it is on the disk when this returns.
    ///
    /// - Throws: `CredentialStoreError` `full` or `input-output`; the file is then as it was.
    public func add(_ credential: Credential) throws(CredentialStoreError) {
        try write(list.adding(credential))
    }

    /// Keeps a credential as it is now; it is on the disk when this returns.
    ///
    /// - Throws: `CredentialStoreError` `unknown-credential` or `input-output`; the file is then as it was.
    public func update(_ credential: Credential) throws(CredentialStoreError) {
        try write(list.updating(credential))
    }

    /// Removes a credential; it is gone from the file when this returns.
    ///
    /// - Throws: `CredentialStoreError` `unknown-credential` or `input-output`; the file is then as it was.
    public func remove(id: [UInt8]) throws(CredentialStoreError) { try write(list.removing(id: id)) }

    private func write(_ changed: CredentialList) throws(CredentialStoreError) {
        let bytes = try CredentialFile.encode(.init(list: changed))
        try AtomicFileError.rethrown(file.replace(with: bytes.span, lock), as: CredentialStoreError.init)
        list = changed
    }

    private static func read(_ file: AtomicFile) throws(CredentialStoreError) -> CredentialList {
        let contents: SecretArray?
        do throws(AtomicFileError) {
            contents = SecretArray(try file.read(limit: CredentialFile.maxByteCount))
        } catch {
            // As in a vault: another file that was named by mistake keeps its permissions.
            if error.code == .exposed,
                let bytes = SecretArray(file.beginningOfExposed(limit: CredentialFile.maxByteCount))
            {
                _ = try decode(bytes.span, of: file)
            }
            throw CredentialStoreError(error)
        }
        guard let bytes = contents else { return CredentialList() }
        return try decode(bytes.span, of: file)
    }

    private static func decode(_ bytes: Span<UInt8>, of file: AtomicFile) throws(CredentialStoreError) -> CredentialList
    {
        try CredentialStoreError.rethrown(CredentialFile.decode(bytes).list, as: { $0.naming(file.path) })
    }
}

extension CredentialStoreError {
    /// A file's error, as an error of this module.
    fileprivate init(_ error: AtomicFileError) {
        let code: Code =
            switch error.code {
            case .wrongOwner: .wrongOwner
            case .exposed: .exposed
            case .inUse: .inUse
            case .notAFile: .notAFile
            case .tooLarge: .damaged
            default: .inputOutput
            }
        self.init(code, from: error)
    }
}
