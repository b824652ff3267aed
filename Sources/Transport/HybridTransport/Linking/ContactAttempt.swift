internal import Cryptography
package import HybridProtocol
internal import Synchronization

/// The links of a client in one ceremony, and its offer to be linked.
///
/// Source: HT-LNK-38, HT-STA-8, HT-STA-9, HT-STA-11.
package struct ClientLinking: Sendable {
    /// Gets each event of a link as it happens. It must return soon; a kept link should be on the disk by
    /// then.
    package typealias Observer = @Sendable (Event) -> Void

    /// An event of a link.
    package enum Event: Sendable {
        /// The authenticator of this session proved a link, which the client should keep, in the place of an older one
        /// with the same `SharedLink/id`.
        case linked(SharedLink)
        /// The authenticator sent linking data that must not be kept. Once for each code of error in a session.
        case refused(HybridProtocolError)
        /// The tunnel service says that the link is gone for good: the client should forget it. Nothing else is a
        /// reason to (HT-STA-8).
        case gone(SharedLink)
        /// The authenticator of a link cannot be reached now, or has declined. The link stays valid.
        case unreachable(SharedLink, HybridTransportError)
    }

    /// No links, and none wanted.
    package static let none = ClientLinking()

    let links: [SharedLink]
    let isOffered: Bool
    let observe: Observer

    /// Makes one.
    ///
    /// - Parameters:
    ///   - links: the authenticators that are tried without a QR code. Each of them is woken, so there should be few.
    ///   - isOffered: true if the QR code says that an authenticator may send a link, and the session's end waits for
    ///     it.
    ///   - observe: gets the events of links.
    package init(links: [SharedLink] = [], isOffered: Bool = false, observe: @escaping Observer = { _ in }) {
        self.links = links
        self.isOffered = isOffered
        self.observe = observe
    }
}

/// One attempt to reach a linked authenticator: the contact request, its tunnel, and the keys of its advert and
/// handshake.
///
/// Several run beside each other and beside a QR code; the winner takes ``channel()`` and ``initiator(_:)``, and the
/// others are abandoned. The upgrade, the service's signal and the advert may come in any order (HT-TUN-79,
/// HT-STA-34).
final class ContactAttempt: Sendable {
    let link: SharedLink
    private let request: ContactRequest
    private let attempt: Mutex<LinkedAttempt?>
    private let running = Mutex<Running?>(nil)
    private let isAbandoned = Atomic(false)

    /// The tasks of an attempt that was started. They are tasks of their own, because a task that is cancelled while it
    /// reads cuts its channel, and these end with the attempt and not with one of those that wait for them.
    private struct Running: Sendable {
        let opening: Task<OpenedTunnel, any Error>
        let signal: Task<Void, any Error>
    }

    /// Draws the nonce of an attempt; nothing is sent.
    ///
    /// - Throws: ``HybridProtocolError``, `unsupportedHint` for digital credentials; ``CryptographyError``.
    init(_ link: SharedLink, hint: RequestHint) throws {
        self.link = link
        let nonce = try ClientNonce(randomBytes(count: ClientNonce.byteCount))
        let attempt = try LinkedAttempt(link.link.clone(), nonce: nonce, hint: hint)
        request = attempt.request
        self.attempt = Mutex(attempt)
    }

    /// The key of this attempt's advert.
    ///
    /// - Throws: ``HybridProtocolError``.
    func advertKey() throws -> AdvertKey {
        try attempt.withLock { (attempt) throws(HybridProtocolError) in
            switch attempt {
            case nil: throw HybridProtocolError(.sessionEnded, reason: "the attempt is over")
            case .some(let attempt): return try attempt.advertKey()
            }
        }
    }

    /// Sends the contact request, and waits for the tunnel and the signal from now on (HT-STA-51).
    ///
    /// - Parameter fail: gets the error of an attempt that fails, unless it was abandoned.
    func start(
        _ channels: ClientChannels, _ context: CeremonyContext, fail: @escaping @Sendable (any Error) -> Void
    ) {
        let opening = Task { [link, request] in
            try await context.within(context.limits.tunnel, reaching: .tunnelJoined) {
                try await channels.contact(link.link.contactID, request, of: link.link.domain)
            }
        }
        let signal = Task { [self] in
            do {
                let tunnel = try await opening.value
                if tunnel.signalsConnection { try await Self.receiveSignal(tunnel.channel) }
            } catch {
                if !isAbandoned.load(ordering: .relaxed) { fail(error) }
                throw error
            }
        }
        running.withLock { $0 = Running(opening: opening, signal: signal) }
    }

    /// The tunnel, once it is open.
    ///
    /// - Throws: ``HybridTransportError``, ``DataChannelError``; `CancellationError`.
    func channel() async throws -> any DataChannel {
        guard let running = running.withLock({ $0 }) else { throw CancellationError() }
        return try await withTaskCancellationHandler {
            try await running.opening.value.channel
        } onCancel: {
            running.opening.cancel()
        }
    }

    /// Waits until the service has said that the authenticator has joined, where it says so. Only then may the channel
    /// be read.
    ///
    /// - Throws: ``HybridTransportError``; `CancellationError`.
    func signal() async throws {
        guard let running = running.withLock({ $0 }) else { throw CancellationError() }
        try await withTaskCancellationHandler {
            try await running.signal.value
        } onCancel: {
            running.signal.cancel()
        }
    }

    /// Begins the handshake with the authenticator that has advertised. Once only.
    ///
    /// - Throws: ``HybridProtocolError``, ``CryptographyError``.
    func initiator(_ advert: LinkedAdvertPlaintext) throws -> Initiator {
        guard let attempt = attempt.withLock({ $0.take() }) else {
            throw HybridProtocolError(.sessionEnded, reason: "the attempt is over")
        }
        let ephemeralKey = try P256.PrivateKey.generate()
        return try Initiator(attempt, advert: advert, ephemeralKey: ephemeralKey)
    }

    /// Ends the attempt: its connection is closed, or never opened. Ending it twice is harmless.
    func abandon() async {
        isAbandoned.store(true, ordering: .relaxed)
        guard let running = running.withLock({ $0.take() }) else { return }
        running.opening.cancel()
        // In this order: to cancel the reader first would cut the channel rather than close it.
        if let tunnel = try? await running.opening.value { await Task { await tunnel.channel.close() }.value }
        running.signal.cancel()
        _ = await running.signal.result
    }

    /// The one message that the service itself sends; a close in its place means that the authenticator will not come
    /// (HT-TUN-80).
    private static func receiveSignal(_ channel: any DataChannel) async throws {
        let message: [UInt8]
        do throws(DataChannelError) {
            message = try await channel.receive()
        } catch {
            // A link is dead only if the answer to the request says so, whatever error an opener gives a closed
            // channel.
            guard error.code == .closed else { throw HybridTransportError(error, reaching: .tunnelJoined, as: .client) }
            throw HybridTransportError(
                .peerClosed, stage: .advertOpened, cause: error.description, advice: .askAgainOrUseCode)
        }
        guard message == TunnelWebSocket.signalMessage else {
            throw DataChannelError(.framingViolation, reason: "the tunnel service sent something other than its signal")
        }
    }
}

extension [ContactAttempt] {
    /// Ends all attempts but one.
    func abandon(but winner: ContactAttempt? = nil) async {
        await withTaskGroup(of: Void.self) { group in
            for attempt in self where attempt !== winner { group.addTask { await attempt.abandon() } }
        }
    }
}
