import Synchronization

/// A value that one of those who share it may use up.
final class Once<Value: ~Copyable & Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: consuming sending Value) { self.value = Mutex(value) }

    /// The value; nil if it was taken before.
    func take() -> sending Value? { value.withLock { $0.take() } }
}
