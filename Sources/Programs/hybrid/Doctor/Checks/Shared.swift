import Synchronization

/// Something that several checks need, and that is made once, when it is first asked for.
final class Shared<Value: Sendable>: Sendable {
    private let make: @Sendable () async -> Value
    private let making = Mutex<Task<Value, Never>?>(nil)

    init(_ make: @escaping @Sendable () async -> Value) { self.make = make }

    /// The value. Cancelling any task that waits for it cancels its making.
    var value: Value {
        get async {
            let task = making.withLock { making in
                let task = making ?? Task { [make] in await make() }
                making = task
                return task
            }
            return await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }
}
