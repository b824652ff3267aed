internal import Cryptography
internal import Glibc

/// Passkeys in a file, **unencrypted**: for tests and labs. Who can read the file has the private keys.
///
/// The file is made with the first credential, with mode 0600. A file that others than its owner may use, that belongs
/// to somebody else, is reached through a symbolic link, is damaged or of a newer version is refused and left as it is.
/// Each change is written to a new file beside it (`FILE.new`), which takes its place when it is safely on the disk, so
/// that a crash leaves the old contents or the new. An advisory lock on `FILE.lock`, which stays behind empty, keeps a
/// second process out for as long as this object lives.
public actor FileCredentialStore: CredentialStore {
    /// The file.
    public nonisolated let path: String
    private let lock: FileDescriptor
    private var list: CredentialList

    private static let lockSuffix = ".lock"
    private static let newSuffix = ".new"

    /// Opens a store, locks it and reads it.
    ///
    /// - Parameter path: the file, which need not exist yet; its directory must, and must be writable.
    /// - Throws: ``CredentialStoreError``; any of its codes but `full`.
    public init(path: String) throws(CredentialStoreError) {
        self.path = path
        let lockPath = path + Self.lockSuffix
        let lock = try FileDescriptor(opening: lockPath, O_RDWR | O_CREAT)
        try lock.lock(lockPath)
        list = try Self.read(path)
        self.lock = lock
    }

    /// The credentials of a relying party, the newest first.
    public func credentials(rpID: String) -> [Credential] { list.credentials(rpID: rpID) }

    /// Keeps a new credential; it is on the disk when this returns.
    ///
    /// - Throws: ``CredentialStoreError`` `full` or `input-output`; the file is then as it was.
    public func add(_ credential: Credential) throws(CredentialStoreError) {
        let changed = try list.adding(credential)
        var bytes = try CredentialFile.encode(changed)
        defer { wipe(&bytes) }
        try Self.replace(path, with: bytes.span)
        list = changed
    }

    private static func read(_ path: String) throws(CredentialStoreError) -> CredentialList {
        // O_NONBLOCK: opening a pipe must not wait for somebody to write to it.
        guard let file = try FileDescriptor(openingIfPresent: path, O_RDONLY | O_NONBLOCK) else {
            return CredentialList()
        }
        let byteCount = try file.checkPrivate(path)
        guard byteCount <= CredentialFile.maxByteCount else {
            throw CredentialStoreError(.damaged, reason: "\(path) has \(byteCount) bytes, which no store has")
        }
        var bytes = try file.readAll(path, limit: byteCount)
        defer { wipe(&bytes) }
        return try CredentialFile.decode(bytes.span)
    }

    private static func replace(_ path: String, with bytes: Span<UInt8>) throws(CredentialStoreError) {
        let newPath = path + newSuffix
        // The lock is ours, so what is there was left by a crash.
        unlink(newPath)
        do throws(CredentialStoreError) {
            let new = try FileDescriptor(opening: newPath, O_WRONLY | O_CREAT | O_EXCL)
            try new.writeAll(bytes, newPath)
            guard rename(newPath, path) == 0 else { throw FileDescriptor.failure("replace", path) }
        } catch {
            unlink(newPath)
            throw error
        }
        let directory = directory(of: path)
        try FileDescriptor(opening: directory, O_RDONLY | O_DIRECTORY).sync(directory)
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
