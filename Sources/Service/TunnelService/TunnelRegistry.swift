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
/// An ID is taken from the request that opens the tunnel until that end closes, and that end alone frees it. Which one
/// ends when too many wait is for ``EvictionOrder`` to say.
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
        var pendingCount = 0
        var pendingPerAddress: [AddressKey: Int] = [:]
        var lastNumber: UInt64 = 0
        var isDraining = false
        /// To be told when no tunnel waits any more, once it drains.
        var whenNoneWaits: [EventLoopPromise<Void>] = []
    }

    private let state = NIOLockedValueBox(State())
    private let pendingLimitPerAddress: Int

    /// A registry in which at most `pendingLimitPerAddress` tunnels wait for their second end that one address has
    /// opened.
    init(pendingLimitPerAddress: Int) { self.pendingLimitPerAddress = pendingLimitPerAddress }

    /// The number of tunnels that wait for their second end.
    var pendingCount: Int { state.withLockedValue { $0.pendingCount } }
    /// The number of tunnels that have both ends.
    var pairedCount: Int { state.withLockedValue { $0.entries.count - $0.pendingCount } }

    /// Takes an ID.
    ///
    /// - Throws: ``HTTPRefusal`` with status 409 if it is taken, 429 if too many tunnels of this address wait, 503 if
    ///   the service ends.
    func open(_ id: TunnelID, opener: TunnelEnd, from address: AddressKey) throws(HTTPRefusal) -> TunnelReservation {
        try state.withLockedValue { state -> Result<TunnelReservation, HTTPRefusal> in
            if state.isDraining { return .failure(.draining) }
            if state.entries[id] != nil { return .failure(.tunnelInUse) }
            if state.pendingPerAddress[address, default: 0] >= pendingLimitPerAddress {
                return .failure(.tooManyTunnels)
            }
            state.lastNumber += 1
            let reservation = TunnelReservation(id: id, number: state.lastNumber)
            state.entries[id] = Entry(number: state.lastNumber, opener: opener, address: address)
            state.pendingCount += 1
            state.pendingPerAddress[address, default: 0] += 1
            return .success(reservation)
        }.get()
    }

    /// Gives the second end the tunnel of this ID.
    ///
    /// - Throws: ``HTTPRefusal`` with status 404 if none is open, 409 if it has both ends.
    func join(_ id: TunnelID) throws(HTTPRefusal) -> Pairing {
        try state.withLockedValue { state -> Result<Pairing, HTTPRefusal> in
            guard let entry = state.entries[id] else { return .failure(.unknownTunnel) }
            if entry.paired { return .failure(.tunnelInUse) }
            state.entries[id]?.paired = true
            Self.endWait(entry, &state)
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
            if !entry.paired { Self.endWait(entry, &state) }
            state.entries[reservation.id] = nil
            return entry.paired
        }
    }

    private static func endWait(_ entry: Entry, _ state: inout State) {
        state.pendingCount -= 1
        let left = state.pendingPerAddress[entry.address, default: 1] - 1
        state.pendingPerAddress[entry.address] = left > 0 ? left : nil
        if state.isDraining { tellIfNoneWaits(&state) }
    }

    private static func tellIfNoneWaits(_ state: inout State) {
        guard state.pendingCount == 0 else { return }
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
