internal import COptionalLibraries
internal import Synchronization

/// Cancels the request that a key is at, however often that takes: a word that comes between two of the library's
/// messages is lost.
final class KeyCancellation: Sendable {
    /// The time between two words.
    private static let interval = Duration.milliseconds(250)

    /// The library's pointer. It is used under the lock alone, by which the thread that waits for the key keeps it
    /// from being freed; and the library lets a second thread send a cancellation, which only reads the device's
    /// state.
    private struct State: @unchecked Sendable {
        var device: OpaquePointer?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// The request begins.
    func begin(_ device: OpaquePointer) throws(KeyFailure) {
        let isCancelled = state.withLock { state in
            state.device = device
            return state.isCancelled
        }
        guard !isCancelled else {
            end()
            throw .cancelled
        }
    }

    /// The request is over.
    func end() { state.withLock { $0.device = nil } }

    /// Cancels.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        Task { [self] in
            while send() { try? await Task.sleep(for: Self.interval) }
        }
    }

    /// - Returns: false when there is nothing left to cancel.
    private func send() -> Bool {
        state.withLock { state in
            guard let device = state.device else { return false }
            fido_dev_cancel(device)
            return true
        }
    }
}
