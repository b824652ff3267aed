import Synchronization

/// The bytes of unfinished and unsent messages that all connections together hold, against their limit.
final class BufferBudget: Sendable {
    private let limit: Int
    private let held = Atomic<Int>(0)

    /// A budget of `limit` bytes.
    init(limit: Int) { self.limit = limit }

    /// The bytes held now.
    var heldBytes: Int { held.load(ordering: .relaxed) }

    /// Adds to what is held, or takes from it where `change` is negative.
    ///
    /// - Returns: true if the bytes held are within the limit afterwards. The change is kept in any case.
    func adjust(by change: Int) -> Bool {
        held.wrappingAdd(change, ordering: .relaxed).newValue <= limit
    }
}
