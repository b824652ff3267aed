import HybridProtocol
import NIOConcurrencyHelpers
import NIOCore

/// The right to free a tunnel ID, and the tunnel's number in the log.
struct TunnelReservation: Sendable, Hashable {
    fileprivate let id: TunnelID
    /// The number of tunnels since the start.
    let number: UInt64
}

/// The tunnels that are open, by their ID: waiting for the second end, or with both.
///
/// An ID is taken from the request that opens the tunnel until that end closes, and that end alone frees it. When too
/// many wait, the oldest of the network that has most of them is ended, rather than the newcomer refused: it costs
/// nothing to have a tunnel wait, and many that wait from one network are no ceremonies.
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
        let address: AddressKey
        var paired = false
    }

    private struct State {
        var entries: [TunnelID: Entry] = [:]
        var pending = FairQueue<AddressKey.Prefix, TunnelReservation>()
        var pendingPerAddress: [AddressKey: Int] = [:]
        var lastNumber: UInt64 = 0
        var isDraining = false
        /// To be told when no tunnel waits any more, once it drains.
        var whenNoneWaits: [EventLoopPromise<Void>] = []
    }

    private let state = NIOLockedValueBox(State())
    private let pendingLimit: Int
    private let pendingLimitPerAddress: Int

    /// A registry in which at most `pendingLimit` tunnels wait for their second end, and `pendingLimitPerAddress` of
    /// those that one address has opened.
    init(pendingLimit: Int, pendingLimitPerAddress: Int) {
        self.pendingLimit = pendingLimit
        self.pendingLimitPerAddress = pendingLimitPerAddress
    }

    /// The number of tunnels that wait for their second end.
    var pendingCount: Int { state.withLockedValue { $0.pending.count } }
    /// The number of tunnels that have both ends.
    var pairedCount: Int { state.withLockedValue { $0.entries.count - $0.pending.count } }

    /// Takes an ID. If too many tunnels wait, another one is ended.
    ///
    /// - Throws: ``HTTPRefusal`` with status 409 if it is taken, 429 if too many tunnels of this address wait, 503 if
    ///   the service ends.
    func open(_ id: TunnelID, opener: TunnelEnd, from address: AddressKey) throws(HTTPRefusal) -> TunnelReservation {
        let (result, evicted) = state.withLockedValue { state -> (Result<TunnelReservation, HTTPRefusal>, TunnelEnd?) in
            if state.isDraining { return (.failure(.draining), nil) }
            if state.entries[id] != nil { return (.failure(.tunnelInUse), nil) }
            if state.pendingPerAddress[address, default: 0] >= pendingLimitPerAddress {
                return (.failure(.tooManyTunnels), nil)
            }
            let evicted = state.pending.count >= pendingLimit ? Self.evict(&state) : nil
            state.lastNumber += 1
            let reservation = TunnelReservation(id: id, number: state.lastNumber)
            state.entries[id] = Entry(number: state.lastNumber, opener: opener, address: address)
            state.pending.append(reservation, of: address.prefix)
            state.pendingPerAddress[address, default: 0] += 1
            return (.success(reservation), evicted)
        }
        evicted?.evict()
        return try result.get()
    }

    /// Gives the second end the tunnel of this ID.
    ///
    /// - Throws: ``HTTPRefusal`` with status 404 if none is open, 409 if it has both ends.
    func join(_ id: TunnelID) throws(HTTPRefusal) -> Pairing {
        try state.withLockedValue { state -> Result<Pairing, HTTPRefusal> in
            guard let entry = state.entries[id] else { return .failure(.unknownTunnel) }
            if entry.paired { return .failure(.tunnelInUse) }
            state.entries[id]?.paired = true
            Self.endWait(TunnelReservation(id: id, number: entry.number), entry, &state)
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
            if !entry.paired { Self.endWait(reservation, entry, &state) }
            state.entries[reservation.id] = nil
            return entry.paired
        }
    }

    private static func endWait(_ reservation: TunnelReservation, _ entry: Entry, _ state: inout State) {
        state.pending.remove(reservation)
        let left = state.pendingPerAddress[entry.address, default: 1] - 1
        state.pendingPerAddress[entry.address] = left > 0 ? left : nil
        if state.isDraining { tellIfNoneWaits(&state) }
    }

    /// Takes the oldest waiting tunnel of the network that has most of them out of the registry.
    private static func evict(_ state: inout State) -> TunnelEnd? {
        guard let reservation = state.pending.removeOldestOfLargestGroup(),
            let entry = state.entries.removeValue(forKey: reservation.id)
        else { return nil }
        endWait(reservation, entry, &state)
        return entry.opener
    }

    private static func tellIfNoneWaits(_ state: inout State) {
        guard state.pending.count == 0 else { return }
        for promise in state.whenNoneWaits { promise.succeed(()) }
        state.whenNoneWaits = []
    }

    /// Lets no tunnel open from now on. Those that wait can be joined.
    ///
    /// - Parameter noneWaits: succeeds when none waits any more.
    func drain(_ noneWaits: EventLoopPromise<Void>) {
        state.withLockedValue { state in
            state.isDraining = true
            state.whenNoneWaits.append(noneWaits)
            Self.tellIfNoneWaits(&state)
        }
    }

    /// True if no tunnel opens any more.
    var isDraining: Bool { state.withLockedValue { $0.isDraining } }
}
