internal import Cryptography
internal import HybridProtocol
internal import HybridTransport
internal import Synchronization

/// A tunnel that was opened and joined, and what went through it.
struct RelayState: Sendable {
    /// Milliseconds until the tunnel was open.
    private(set) var new: Result<Int, DataChannelError> = .failure(timeout)
    /// Milliseconds until a message had gone from the client's end to the authenticator's.
    private(set) var connected: Result<Int, DataChannelError> = .failure(timeout)
    /// The status that the service has for a tunnel that is not there; nil if it has none.
    private(set) var unknownTunnelStatus: Int?

    private static let limit = Duration.seconds(4)
    private static let timeout = DataChannelError(.timeout, reason: "no answer in time")
    /// Bytes of the message that goes through the tunnel; an initiator's handshake message has as many or more.
    private static let messageByteCount = 64

    /// The state when the time is over, or when nothing more comes.
    private final class Progress: Sendable {
        private let state = Mutex(RelayState())

        var value: RelayState { state.withLock { $0 } }

        func note(_ change: (inout RelayState) -> Void) { state.withLock { change(&$0) } }
    }

    static func of(_ target: TunnelTarget) async -> Self {
        let progress = Progress()
        _ = await within(limit) { await examine(target, progress) }
        return progress.value
    }

    private static func examine(_ target: TunnelTarget, _ progress: Progress) async {
        let begin = ContinuousClock.now
        do throws(DataChannelError) {
            let id = TunnelID.random()
            let opened = try await target.opener.open(.new(id, at: target.service))
            progress.note { $0.new = .success(milliseconds(since: begin)) }
            await join(opened, id, target, progress)
            let status = await statusOfUnknown(opened, target)
            progress.note { $0.unknownTunnelStatus = status }
            await opened.channel.close()
        } catch {
            if error.code != .cancelled { progress.note { $0.new = .failure(error) } }
        }
    }

    /// Joins the tunnel as the client does, and sends a message.
    private static func join(
        _ opened: OpenedTunnel, _ id: TunnelID, _ target: TunnelTarget, _ progress: Progress
    ) async {
        let begin = ContinuousClock.now
        var joined: OpenedTunnel?
        do throws(DataChannelError) {
            let tunnel = try await target.opener.open(
                .connect(id, routingID: try routingID(of: opened), at: target.service))
            joined = tunnel
            let message = randomBytes(count: messageByteCount)
            try await tunnel.channel.send(message)
            guard try await opened.channel.receive() == message else {
                throw DataChannelError(.framingViolation, reason: "another message came out")
            }
            progress.note { $0.connected = .success(milliseconds(since: begin)) }
        } catch {
            if error.code != .cancelled { progress.note { $0.connected = .failure(error) } }
        }
        await joined?.channel.close()
    }

    private static func statusOfUnknown(_ opened: OpenedTunnel, _ target: TunnelTarget) async -> Int? {
        do throws(DataChannelError) {
            let request = TunnelRequest.connect(
                .random(), routingID: try routingID(of: opened), at: target.service)
            try await target.opener.open(request).channel.close()
            return nil
        } catch {
            return error.httpStatus
        }
    }

    private static func routingID(of opened: OpenedTunnel) throws(DataChannelError) -> RoutingID {
        guard let header = opened.routingIDHeader, let id = try? RoutingID(hex: header) else {
            throw DataChannelError(.upgradeRefused, reason: "the service names no routing ID")
        }
        return id
    }

    private static func milliseconds(since begin: ContinuousClock.Instant) -> Int {
        let (seconds, attoseconds) = (ContinuousClock.now - begin).components
        return Int(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
