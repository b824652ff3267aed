internal import Glibc
internal import LinuxSupport

/// The file in which a relying party without a database keeps its credentials: JSON, mode 0600, replaced as a whole.
///
/// It holds public keys and account names, no secrets. Each change is made under a lock, so that several programs may
/// use the file at once; see `AtomicFile`. A file that cannot be read, is damaged or of a newer version is left as it
/// is, by every function here.
public struct CredentialRecordFile: Sendable, Hashable {
    /// A credential, and the times of its registration and last use.
    public struct Entry: Sendable, Hashable {
        /// The credential.
        public internal(set) var credential: RegisteredCredential
        /// The time of its registration, in seconds since 1970.
        public let created: Int64
        /// The time of the last sign-in with it, in seconds since 1970; nil if never.
        public internal(set) var lastUsed: Int64?
    }

    /// The file's path.
    public var path: String { file.path }

    private let file: AtomicFile

    /// The largest file that is read: 16 MiB, some ten thousand credentials.
    static let maxByteCount = 1 << 24
    private static let lockTimeout = Duration.seconds(10)
    private static let pathInStateDirectory = "/hybrid/credentials.json"

    /// Names the file; nothing is touched. It is made with the first credential.
    public init(path: String) { file = AtomicFile(path: path, access: .readableByOthers) }

    /// `$XDG_STATE_HOME/hybrid/credentials.json`, with `~/.local/state` for a variable that is not set or no absolute
    /// path (XDG Base Directory Specification 0.8).
    ///
    /// - Parameter environment: the environment variables; the process's own if nil.
    /// - Throws: ``RelyingPartyError`` `no-state-directory`.
    public static func defaultPath(environment: [String: String]? = nil) throws(RelyingPartyError) -> String {
        guard let state = UserDirectory.state.path(environment: environment) else {
            throw RelyingPartyError(.noStateDirectory, reason: "neither XDG_STATE_HOME nor HOME is set")
        }
        return state + pathInStateDirectory
    }

    /// The credentials of a relying party, in the order of their registration; none if there is no file.
    ///
    /// - Throws: ``RelyingPartyError`` `file-damaged`, `file-newer-version` or `file-inaccessible`.
    public func credentials(of relyingPartyID: String) throws(RelyingPartyError) -> [Entry] {
        try read().entries[relyingPartyID] ?? []
    }

    /// Keeps a new credential.
    ///
    /// - Parameters:
    ///   - credential: the credential.
    ///   - relyingPartyID: the relying party of the credential.
    ///   - time: the time of the registration, in seconds since 1970.
    /// - Throws: ``RelyingPartyError`` `already-registered` if any relying party has a credential of this ID (WebAuthn
    ///   Level 3 section 7.1 step 26); `file-…`.
    public func add(
        _ credential: RegisteredCredential, of relyingPartyID: String, at time: Int64 = now
    ) throws(RelyingPartyError) {
        try change { (contents) throws(RelyingPartyError) in
            guard !contents.entries.values.joined().contains(where: { $0.credential.id == credential.id }) else {
                throw RelyingPartyError(.alreadyRegistered, reason: "\(path) has this credential already")
            }
            contents.entries[relyingPartyID, default: []].append(Entry(credential: credential, created: time))
        }
    }

    /// Keeps the changes by a sign-in: the signature counter, the backup state and the time.
    ///
    /// - Parameters:
    ///   - signIn: the sign-in.
    ///   - relyingPartyID: the relying party of the sign-in.
    ///   - time: the time of the sign-in, in seconds since 1970.
    /// - Throws: ``RelyingPartyError`` `unknown-credential` if the file has it no more; `counter-went-back` if another
    ///   program has meanwhile seen a later signature; `file-…`.
    public func record(
        _ signIn: VerifiedSignIn, of relyingPartyID: String, at time: Int64 = now
    ) throws(RelyingPartyError) {
        let credential = signIn.credential
        try change { (contents) throws(RelyingPartyError) in
            guard var entries = contents.entries[relyingPartyID],
                let place = entries.firstIndex(where: { $0.credential.id == credential.id })
            else { throw RelyingPartyError(.unknownCredential, reason: "\(path) no longer has this credential") }
            try SignIn.check(credential.signCount, after: entries[place].credential.signCount)
            entries[place].credential = credential
            entries[place].lastUsed = time
            contents.entries[relyingPartyID] = entries
        }
    }

    /// Forgets a credential, if it is there.
    ///
    /// - Throws: ``RelyingPartyError`` `file-…`.
    public func remove(_ id: [UInt8], of relyingPartyID: String) throws(RelyingPartyError) {
        try change { (contents) throws(RelyingPartyError) in
            contents.entries[relyingPartyID]?.removeAll { $0.credential.id == id }
        }
    }

    /// The time, in seconds since 1970.
    public static var now: Int64 { Int64(time(nil)) }

    private func read() throws(RelyingPartyError) -> CredentialRecordFileContents {
        let bytes = try AtomicFileError.rethrown(file.read(limit: Self.maxByteCount), as: Self.refusal)
        guard let bytes else { return CredentialRecordFileContents() }
        return try RelyingPartyError.rethrown(CredentialRecordFileContents(decoding: bytes), as: { $0.naming(path) })
    }

    private func change(
        _ change: (inout CredentialRecordFileContents) throws(RelyingPartyError) -> Void
    ) throws(RelyingPartyError) {
        let lock = try AtomicFileError.rethrown(
            file.lock(timeout: Self.lockTimeout, makingDirectory: true), as: Self.refusal)
        var contents = try read()
        try change(&contents)
        let bytes = contents.encoded()
        try AtomicFileError.rethrown(file.replace(with: bytes.span, lock), as: Self.refusal)
    }

    private static func refusal(_ error: AtomicFileError) -> RelyingPartyError {
        switch error.code {
        case .inUse: RelyingPartyError(.fileInUse, from: error)
        case .tooLarge: RelyingPartyError(.fileDamaged, from: error)
        default: RelyingPartyError(.fileInaccessible, from: error)
        }
    }
}
