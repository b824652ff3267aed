internal import Synchronization

/// Moment at which the user typed the vault's passphrase in this run, if it has not counted for an approval yet.
///
/// It is for a passphrase that the user typed, at a terminal or in a window, or had made for a new vault there: one
/// from a file or a key of the keyring proves nothing about who is there. Of a new vault, its maker is the user: nobody
/// else's passkeys are in it.
package final class TypedPassphrase: Sendable {
    /// Longest time for which it counts: a minute.
    static let lifetime = Duration.seconds(60)

    private let instant = Mutex<ContinuousClock.Instant?>(nil)

    /// Makes one for a run in which nothing was typed yet.
    package init() {}

    /// Notes that the passphrase that was typed has opened the vault.
    package func note(at instant: ContinuousClock.Instant = .now) { self.instant.withLock { $0 = instant } }

    /// Takes the moment. It counts once.
    ///
    /// - Returns: nil if nothing was typed, if it was too long ago, or if it has counted before.
    func take(at now: ContinuousClock.Instant = .now) -> ContinuousClock.Instant? {
        let instant = instant.withLock { instant in
            defer { instant = nil }
            return instant
        }
        return instant.flatMap { now - $0 <= Self.lifetime ? $0 : nil }
    }
}
