internal import Glibc

/// The lock on a file, which one holder can have at a time, among all processes that ask for it.
///
/// It is an advisory lock on `FILE.lock`, which stays behind empty: the file itself is replaced and cannot carry it.
/// It is given up when this value dies, and by the system when the process does.
public struct FileLock: ~Copyable, Sendable {
    private let file: FileDescriptor

    private static let suffix = ".lock"
    private static let pollMicroseconds: UInt32 = 10_000

    init(of path: String, patience: Duration) throws(AtomicFileError) {
        let lockPath = path + Self.suffix
        let file = try FileDescriptor(opening: lockPath, O_RDWR | O_CREAT | O_NONBLOCK)
        let deadline = ContinuousClock.now.advanced(by: patience)
        while try !file.takeLock() {
            guard ContinuousClock.now < deadline else {
                throw AtomicFileError(.inUse, reason: "another process is using \(path); wait for it to end")
            }
            usleep(Self.pollMicroseconds)
        }
        self.file = file
    }
}
