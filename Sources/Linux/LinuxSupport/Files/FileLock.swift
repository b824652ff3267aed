internal import Glibc
internal import SystemPackage

/// The lock on a file, which one process can have at a time, among all that ask for it.
///
/// It is an advisory lock on `FILE.lock`, which stays behind empty: the file itself is replaced and cannot carry it.
/// It is given up with this value, and by the system when the process ends.
package struct FileLock: ~Copyable, Sendable {
    private let file: OpenFile

    private static let suffix = ".lock"
    private static let pollMicroseconds: UInt32 = 10_000

    init(of path: String, timeout: Duration) throws(AtomicFileError) {
        let lockPath = path + Self.suffix
        let file = try OpenFile(lockPath, .readWrite, [.create, .nonBlocking])
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while try !file.takeLock() {
            guard ContinuousClock.now < deadline else {
                throw AtomicFileError(.inUse, reason: "another process is using \(path); wait for it to end")
            }
            usleep(Self.pollMicroseconds)
        }
        self.file = file
    }

    deinit { file.giveUpLock() }
}
