internal import Cryptography
internal import LinuxSupport

/// Contents of a file of links.
protocol LinkFileContents: Sendable {
    /// The contents of a new file.
    ///
    /// - Throws: ``LinkFileError`` `library-failure`.
    init() throws(LinkFileError)

    /// Reads a file's bytes.
    ///
    /// - Throws: ``LinkFileError`` `damaged`, `newer-version` or `library-failure`.
    init(decoding bytes: Span<UInt8>) throws(LinkFileError)

    /// The file's bytes, which the caller wipes.
    ///
    /// - Throws: ``LinkFileError`` `library-failure`.
    func encoded() throws(LinkFileError) -> [UInt8]
}

/// A file of links, read whole and changed under a lock: what both kinds share.
struct LinkFileStorage<Contents: LinkFileContents>: Sendable, Hashable {
    let file: AtomicFile

    /// Longest wait for another process's change, which takes no longer than the disk.
    private static var lockTimeout: Duration { .seconds(10) }

    /// The contents of the file; nil if there is none.
    ///
    /// - Throws: ``LinkFileError``.
    func read() throws(LinkFileError) -> Contents? {
        let contents: [UInt8]?
        do throws(AtomicFileError) {
            contents = try file.read(limit: FileWithSecrets.maxByteCount)
        } catch {
            throw LinkFileError(error)
        }
        guard var bytes = consume contents else { return nil }
        defer { wipe(&bytes) }
        do throws(LinkFileError) {
            return try Contents(decoding: bytes.span)
        } catch {
            throw LinkFileError(error.code, reason: "\(file.path): \(error.reason)", place: error.place)
        }
    }

    /// Changes the contents, which are on the disk when this returns. The file is made if it is missing.
    ///
    /// - Parameter change: changes the contents, and says whether there is anything to write.
    /// - Throws: ``LinkFileError``; then the file is as it was.
    func change(_ change: (inout Contents) throws(LinkFileError) -> Bool) throws(LinkFileError) {
        let lock: FileLock
        do throws(AtomicFileError) {
            try file.makeDirectory()
            lock = try file.lock(timeout: Self.lockTimeout)
        } catch {
            throw LinkFileError(error)
        }
        var contents = if let contents = try read() { contents } else { try Contents() }
        guard try change(&contents) else { return }
        var bytes = try contents.encoded()
        defer { wipe(&bytes) }
        do throws(AtomicFileError) {
            try file.replace(with: bytes.span, lock)
        } catch {
            throw LinkFileError(error)
        }
    }
}
