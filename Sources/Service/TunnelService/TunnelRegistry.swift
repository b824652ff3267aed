import NIOConcurrencyHelpers
import TunnelProtocol

/// The right to free a tunnel ID, and the tunnel's number in the log.
struct TunnelReservation: Sendable {
    fileprivate let id: TunnelID
    /// The number of tunnels since the start.
    let number: UInt64
}

/// The tunnels that are open, by their ID: waiting for the second end, or with both.
///
/// An ID is taken from the request that opens the tunnel until that end closes, and that end alone frees it.
final class TunnelRegistry: Sendable {
    /// The second end's half of a pairing.
    struct Pairing: Sendable {
        /// The end that opened the tunnel.
        let opener: TunnelEnd
        /// The tunnel's number in the log.
        let number: UInt64
    }

    private struct Entry {
        let number: UInt64
        let opener: TunnelEnd
        var paired = false
    }

    private struct State {
        var entries: [TunnelID: Entry] = [:]
        var pending = 0
        var lastNumber: UInt64 = 0
        var isDraining = false
    }

    private let state = NIOLockedValueBox(State())
    private let pendingLimit: Int

    /// A registry in which at most `pendingLimit` tunnels wait for their second end.
    init(pendingLimit: Int) { self.pendingLimit = pendingLimit }

    /// The number of tunnels that wait for their second end.
    var pendingCount: Int { state.withLockedValue { $0.pending } }
    /// The number of tunnels that have both ends.
    var pairedCount: Int { state.withLockedValue { $0.entries.count - $0.pending } }

    /// Takes an ID.
    ///
    /// - Throws: ``Refusal`` with status 409 if it is taken, 503 if too many tunnels wait or the service ends.
    func open(_ id: TunnelID, opener: TunnelEnd) throws(Refusal) -> TunnelReservation {
        try state.withLockedValue { state -> Result<TunnelReservation, Refusal> in
            if state.isDraining { return .failure(.draining) }
            if state.entries[id] != nil { return .failure(.tunnelInUse) }
            if state.pending >= pendingLimit { return .failure(.full) }
            state.lastNumber += 1
            state.pending += 1
            state.entries[id] = Entry(number: state.lastNumber, opener: opener)
            return .success(TunnelReservation(id: id, number: state.lastNumber))
        }.get()
    }

    /// Gives the second end the tunnel of this ID.
    ///
    /// - Throws: ``Refusal`` with status 404 if none is open, 409 if it has both ends, 503 if the service ends.
    func join(_ id: TunnelID) throws(Refusal) -> Pairing {
        try state.withLockedValue { state -> Result<Pairing, Refusal> in
            if state.isDraining { return .failure(.draining) }
            guard let entry = state.entries[id] else { return .failure(.unknownTunnel) }
            if entry.paired { return .failure(.tunnelInUse) }
            state.entries[id]?.paired = true
            state.pending -= 1
            return .success(Pairing(opener: entry.opener, number: entry.number))
        }.get()
    }

    /// The end that waits in the tunnel of this ID.
    func waiting(_ id: TunnelID) -> TunnelEnd? {
        state.withLockedValue { state in
            state.entries[id].flatMap { $0.paired ? nil : $0.opener }
        }
    }

    /// Frees a reserved ID. Only the first call has an effect.
    ///
    /// - Returns: true if the second end had come.
    @discardableResult
    func close(_ reservation: TunnelReservation) -> Bool {
        state.withLockedValue { state in
            guard let entry = state.entries[reservation.id], entry.number == reservation.number else { return false }
            if !entry.paired { state.pending -= 1 }
            state.entries[reservation.id] = nil
            return entry.paired
        }
    }

    /// Lets no tunnel open or be joined from now on.
    func drain() { state.withLockedValue { $0.isDraining = true } }

    /// True if no tunnel opens any more.
    var isDraining: Bool { state.withLockedValue { $0.isDraining } }
}
