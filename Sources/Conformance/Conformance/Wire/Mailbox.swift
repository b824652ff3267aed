internal import Synchronization

/// A queue with one reader, whose wait can be cancelled without harm to later elements.
///
/// An `AsyncStream` ends when a reader of it is cancelled, so that nothing could be awaited for a limited time.
final class Mailbox<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var isFinished = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Puts an element in.
    func put(_ element: Element) {
        change { $0.elements.append(element) }
    }

    /// Ends the queue: nothing more will come.
    func finish() {
        change { $0.isFinished = true }
    }

    /// True if nothing more will come, though something may still be inside.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// True if there are elements inside.
    var hasElements: Bool { state.withLock { !$0.elements.isEmpty } }

    /// Takes the elements inside, waiting for nothing.
    func takeAll() -> [Element] {
        state.withLock { state in
            defer { state.elements = [] }
            return state.elements
        }
    }

    /// Waits for the next element.
    ///
    /// - Returns: nil if nothing more will come.
    /// - Throws: `CancellationError`.
    func next() async throws -> Element? {
        while true {
            try Task.checkCancellation()
            let found: Element?? = state.withLock { state in
                if !state.elements.isEmpty { return state.elements.removeFirst() }
                return state.isFinished ? .some(nil) : nil
            }
            if let found { return found }
            await change()
        }
    }

    private func change() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isIdle = state.withLock { state in
                    guard state.elements.isEmpty, !state.isFinished, !Task.isCancelled else { return false }
                    state.waiter = continuation
                    return true
                }
                if !isIdle { continuation.resume() }
            }
        } onCancel: {
            change { _ in }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            body(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
