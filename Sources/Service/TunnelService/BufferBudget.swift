import Synchronization

/// The bytes of unfinished and unsent messages that all connections together hold, against their limit.
///
/// A prefix may hold as much as is free, and so may an allocation: so some is left for others, however many of them
/// take all that they get.
final class BufferBudget: Sendable {
    private struct Held {
        var total = 0
        var perNetwork: [AddressKey.Prefix: Int] = [:]
    }

    private let limit: Int
    private let hasShares: Bool
    private let held = Mutex(Held())

    /// A budget of `limit` bytes; without shares if connections cannot be told apart by addresses.
    init(limit: Int, hasShares: Bool) { (self.limit, self.hasShares) = (limit, hasShares) }

    /// The bytes held now.
    var heldBytes: Int { held.withLock { $0.total } }

    /// Adds to the bytes that connections from an address hold, or takes from them where `change` is negative.
    ///
    /// - Returns: true if the bytes held are within the limit afterwards, and its networks' within their shares. The
    ///   change is kept in any case.
    func adjust(by change: Int, of address: AddressKey) -> Bool {
        held.withLock { held in
            held.total += change
            var share = 0
            for network in [address.prefix, address.allocation] {
                share = held.perNetwork[network, default: 0] + change
                held.perNetwork[network] = share == 0 ? nil : share
            }
            // An allocation's is never less than that of a prefix in it.
            return held.total <= limit && (!hasShares || share <= limit - held.total)
        }
    }
}
