internal import Cryptography
internal import HybridProtocol
internal import Synchronization

/// Candidates for the client of a QR code: every peer on one of the authenticator's channels.
///
/// Nothing that an unauthenticated nearby device can do, by sending something other than a handshake message of this
/// session or by sending nothing, costs more than its own connection: the tunnel and the listening channel stay open
/// until a message 1 authenticates its sender.
final class Candidates: Sendable {
    /// The number of candidates over Bluetooth that are listened to at a time.
    static let maxCount = 4

    let channels: AuthenticatorChannels
    private let keys: Keys
    private let context: CeremonyContext
    private let hasWarned = Atomic(false)

    /// A holder of the keys, which cannot be copied.
    private final class Keys: Sendable {
        private let keys: ResponderKeys

        init(_ keys: consuming ResponderKeys) { self.keys = keys }

        /// Makes a responder that is ready for message 1.
        func responder() throws -> Responder {
            var responder = try keys.responder()
            try responder.prepare(ephemeralKey: P256.PrivateKey.generate())
            return responder
        }
    }

    private enum Event: Sendable {
        case connected(any DataChannel)
        case authenticated(AuthenticatedClient)
        /// A candidate over Bluetooth was turned away.
        case turnedAway
        /// The tunnel, or the listening, has ended.
        case failed(any Error)
    }

    init(_ keys: consuming ResponderKeys, on channels: AuthenticatorChannels, _ context: CeremonyContext) {
        self.keys = Keys(keys)
        self.channels = channels
        self.context = context
    }

    private init(_ other: Candidates, on channels: AuthenticatorChannels) {
        keys = other.keys
        context = other.context
        self.channels = channels
    }

    /// The candidates in the tunnel alone.
    var withoutNearby: Candidates { Candidates(self, on: channels.withoutNearby) }

    /// Waits for the first candidate that authenticates itself, and closes all other channels.
    ///
    /// - Throws: ``HybridTransportError`` `timeout`; the error of the channel that failed first, once none is left. The
    ///   channels are for the caller to close then.
    func client(within limit: Duration) async throws -> AuthenticatedClient {
        if channels.nearby == nil, let tunnel = channels.tunnel {
            return try await context.within(limit, on: tunnel.channel) { try await inTunnel(tunnel.channel) }
        }
        return try await context.within(limit) { try await self.first() }
    }

    private func first() async throws -> AuthenticatedClient {
        try await withTaskGroup(of: Event.self) { group -> Result<AuthenticatedClient, any Error> in
            if let tunnel = channels.tunnel {
                group.addTask {
                    do {
                        return .authenticated(try await self.inTunnel(tunnel.channel))
                    } catch {
                        return .failed(error)
                    }
                }
            }
            accept(in: &group)
            var client: AuthenticatedClient?
            var failure: (any Error)?
            var candidateCount = 0
            while let event = await group.next() {
                switch event {
                case .connected(let channel):
                    guard client == nil else {
                        await channel.close()
                        continue
                    }
                    candidateCount += 1
                    group.addTask { await self.nearby(channel) }
                    if candidateCount < Self.maxCount { accept(in: &group) }
                case .turnedAway:
                    if candidateCount == Self.maxCount, client == nil { accept(in: &group) }
                    candidateCount -= 1
                    // One whose time was cut short may be the client.
                    if client == nil, !Task.isCancelled, !hasWarned.exchange(true, ordering: .relaxed) {
                        context.notice(.unauthenticatedDevice)
                    }
                case .failed(let error): failure = failure ?? error
                case .authenticated(let first) where client == nil:
                    client = first
                    // To be closed before its task is cancelled, which would cut it.
                    if first.isNearby { await channels.tunnel?.channel.close() }
                    await channels.nearby?.close()
                    group.cancelAll()
                case .authenticated(let late): await late.close()
                }
            }
            return client.map { .success($0) } ?? .failure(failure ?? CancellationError())
        }.get()
    }

    private func accept(in group: inout TaskGroup<Event>) {
        guard let nearby = channels.nearby else { return }
        group.addTask {
            do throws(DataChannelError) {
                return .connected(try await nearby.accept())
            } catch {
                return .failed(error)
            }
        }
    }

    /// The one who has come into the tunnel: it knows the QR code, or works for the tunnel service.
    private func inTunnel(_ channel: any DataChannel) async throws -> AuthenticatedClient {
        do {
            // Before the client is here, which then need not wait for it.
            let responder = try keys.responder()
            let arrival = try await ClientArrival(on: channel)
            return try AuthenticatedClient(arrival, isNearby: false, responder, context)
        } catch {
            await channel.close()
            throw error
        }
    }

    /// One who has connected over Bluetooth: any device near can.
    private func nearby(_ channel: any DataChannel) async -> Event {
        do {
            let arrival = try await context.within(context.limits.candidate, on: channel) {
                try await ClientArrival(on: channel)
            }
            return .authenticated(try AuthenticatedClient(arrival, isNearby: true, keys.responder(), context))
        } catch {
            await channel.close()
            return .turnedAway
        }
    }
}
