internal import Cryptography
internal import Encodings
internal import LinuxSupport

/// The passkeys that were made or used by this security key: a silent probe is answered by this list.
///
/// The file, mode 0600, has a SHA-256 of relying party and credential ID each, and neither of them itself; the newest
/// ``maxCount``, 32 KiB.
package struct PhoneCredentialList: Sendable {
    /// The most passkeys that are remembered: 1024. Of more, those that were not used for longest are forgotten.
    package static let maxCount = 1024

    private static let format = "hybrid phone credentials 1"
    private static let maxByteCount = 64 + maxCount * SHA256.byteCount
    private static let placeInStateDirectory = "/hybrid/phone-credentials"
    /// Longest wait for another process's change.
    private static let lockTimeout = Duration.seconds(2)

    /// The file.
    package var path: String { file.path }
    private let file: AtomicFile

    private enum Key {
        static let format = 1
        static let hashes = 2
    }

    /// Names the file; nothing is touched. It is made with the first passkey.
    package init(path: String) { file = AtomicFile(path: path) }

    /// `$XDG_STATE_HOME/hybrid/phone-credentials`, with `~/.local/state` for a variable that is not set; nil without
    /// HOME too.
    ///
    /// - Parameter environment: the environment variables; the process's own if nil.
    package static func defaultPath(environment: [String: String]? = nil) -> String? {
        UserDirectory.state.path(environment: environment).map { $0 + placeInStateDirectory }
    }

    /// Those of some credential IDs that the list has.
    ///
    /// - Throws: `AtomicFileError`.
    func known(_ ids: [[UInt8]], of rpID: String) throws(AtomicFileError) -> [[UInt8]] {
        let hashes = Set(try read())
        var known: [[UInt8]] = []
        for id in ids {
            let hash = Self.hash(id, rpID)
            if hashes.contains(hash) { known.append(id) }
        }
        return known
    }

    /// Remembers a passkey as the newest.
    ///
    /// - Throws: `AtomicFileError`; then the file is as it was.
    func add(_ id: [UInt8], of rpID: String) throws(AtomicFileError) {
        let hash = Self.hash(id, rpID)
        guard try read().last != hash else { return }
        let lock = try file.lock(timeout: Self.lockTimeout, makingDirectory: true)
        var hashes = try read()
        hashes.removeAll { $0 == hash }
        hashes.append(hash)
        var map = CBORMap()
        map[Key.format] = .text(Self.format)
        map[Key.hashes] = .bytes(Array(hashes.suffix(Self.maxCount).joined()))
        let contents = map.encoded()
        try file.replace(with: contents.span, lock)
    }

    private func read() throws(AtomicFileError) -> [[UInt8]] { try parse(file.read(limit: Self.maxByteCount)) }

    /// The hashes, the newest last; none if there is no file.
    private func parse(_ contents: [UInt8]?) throws(AtomicFileError) -> [[UInt8]] {
        guard let contents else { return [] }
        guard let map = try? CBORValue.decode(contents.span).mapValue, map[Key.format]?.textValue == Self.format,
            let hashes = map[Key.hashes]?.bytesValue, hashes.count.isMultiple(of: SHA256.byteCount)
        else {
            throw AtomicFileError(.notAFile, reason: "\(path) is damaged, or another kind of file: move it away")
        }
        return stride(from: 0, to: hashes.count, by: SHA256.byteCount).map {
            Array(hashes[$0..<$0 + SHA256.byteCount])
        }
    }

    /// SHA-256 of the SHA-256 of the relying party's identifier and the credential ID.
    private static func hash(_ id: [UInt8], _ rpID: String) -> [UInt8] {
        let rpIDHash = SHA256.hash(rpID.utf8.span)
        return SHA256.hash(rpIDHash.span, id.span)
    }
}
