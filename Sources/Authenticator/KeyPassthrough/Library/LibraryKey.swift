internal import COptionalLibraries
internal import CTAP
internal import Glibc
internal import LinuxSupport
internal import SystemPackage

/// A security key by libfido2, at a node of the kernel's or behind a socket.
///
/// Each request opens the key, on a thread of its own, since the library blocks. The library has the node to itself
/// meanwhile (flock), so that no two users of it mix their requests.
///
/// Source: libfido2's manual pages, 1.12.
package final class LibraryKey: AttachedKey {
    /// The node or socket.
    package let path: String
    private let isSocket: Bool
    /// The longest time for one request, touch included.
    private let limit: Duration

    /// Takes a key that is at a path. It is not opened yet.
    ///
    /// - Parameters:
    ///   - path: a node such as `/dev/hidraw3`. For labs also a socket of whole messages (SOCK_SEQPACKET), of which
    ///     each is a report of 64 bytes: each connection is a program that uses the key.
    ///   - limit: the longest time for one request, touch included.
    package init(at path: String, within limit: Duration) {
        self.path = path
        self.limit = limit
        isSocket = KeyList.isSocket(path)
    }

    package var isPluggedIn: Bool { access(path, F_OK) == 0 }

    package func information() async throws(KeyFailure) -> KeyInformation {
        try await perform { (device) throws(KeyFailure) in try device.information() }
    }

    /// Runs `body` with the key open, on a thread of its own.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing OpenKey) throws(KeyFailure) -> Value
    ) async throws(KeyFailure) -> Value {
        let cancellation = KeyCancellation()
        let result: Result<Value, KeyFailure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(Errno) {
                    try PollThread.start { [self] in
                        let result: Result<Value, KeyFailure>
                        do throws(KeyFailure) {
                            result = .success(try run(body, cancellation))
                        } catch {
                            result = .failure(error)
                        }
                        continuation.resume(returning: result)
                    }
                } catch {
                    continuation.resume(returning: .failure(.fault("no thread can be started: \(error)")))
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        guard !Task.isCancelled else { throw .cancelled }
        return try result.get()
    }

    private func run<Value>(
        _ body: (borrowing OpenKey) throws(KeyFailure) -> Value, _ cancellation: KeyCancellation
    ) throws(KeyFailure) -> Value {
        try FIDO2Library.load()
        if !isSocket { try checkNode() }
        let key = try OpenKey.open(path, isSocket: isSocket, limit: limit)
        try cancellation.begin(key.device)
        defer { cancellation.end() }
        return try body(key)
    }

    /// Finds out why a node cannot be opened, which the library does not tell.
    private func checkNode() throws(KeyFailure) {
        let file = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else {
            switch errno {
            case EACCES, EPERM: throw .notPermitted
            default: throw .removed
            }
        }
        defer { close(file) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { throw .inUse }
    }
}
