internal import HybridProtocol
internal import Synchronization

/// The authenticator's end of the hybrid transport: takes the text of a QR code, and answers the requests of the client
/// that shows it.
///
/// Requests and answers are bytes here; a `PasskeyAuthenticator` of the product of that name answers them.
///
///     let responder = try HybridResponder(tunnelService: .domain(300))
///     try await responder.answer(code, getInfo: authenticator.getInfo()) { command, _ in
///         await authenticator.respond(to: command)
///     }
///
/// Source: CTAP 2.2 section 11.5.1.
public struct HybridResponder: Sendable {
    private let parts: CeremonyParts

    /// Makes an authenticator's end, which may be used any number of times. Nothing is sent or opened yet.
    ///
    /// - Parameters:
    ///   - radio: sends the advert.
    ///   - tunnelService: the tunnel service at which the tunnels are opened, and that the advert names.
    ///   - limits: the time limits.
    /// - Throws: ``HybridTransportError``: `radio` for a radio of which there can be none, `tunnelUnreachable` for
    ///   authorities that cannot be read.
    public init(
        radio: HybridRadio = .bluetooth(), tunnelService: HybridTunnelService, limits: TimeLimits = .standard
    ) throws(HybridTransportError) {
        parts = try CeremonyParts(radio, tunnelService, limits, reaching: .tunnelOpened, as: .authenticator)
    }

    /// Answers one QR code, and serves its session until the client ends it.
    ///
    /// When this returns or throws, the advert is off the air and the channels are closed, whatever happened; to cancel
    /// the task ends it as promptly as `respond` returns. A session is complete when a passkey was made or used: no
    /// further request is served then.
    ///
    /// The transport proves that the client is near, and no more: ask the user before anything is answered.
    ///
    /// - Parameters:
    ///   - code: the text of the QR code, `FIDO:/` and digits.
    ///   - getInfo: the encoded getInfo response map, without a status byte.
    ///   - progress: reads the events, in a task of its own; the sequence ends with the session, and `progress` is then
    ///     waited for.
    ///   - digitalCredentials: answers a digital-credential request with JSON, both less than 1 MiB; nil if none are
    ///     taken.
    ///   - respond: answers a CTAP command (command byte, then CBOR) with a status byte and CBOR, less than 1 MiB
    ///     together. It is cancelled if the client goes away or the time is over, and should then return at once. It
    ///     also gets the handshake hash: 32 bytes that both ends share and that name the session.
    /// - Returns: the number of requests that were answered.
    /// - Throws: ``HybridTransportError``, with the stage ``Stage/qrScanned`` for a text that is no QR code of this
    ///   transport.
    @discardableResult
    public func answer(
        _ code: String, getInfo: [UInt8],
        progress: @escaping @Sendable (AsyncStream<CeremonyEvent>) async -> Void = { _ in },
        digitalCredentials: (@Sendable (_ request: String) async -> String)? = nil,
        respond: @escaping @Sendable (_ command: [UInt8], _ handshakeHash: [UInt8]) async -> [UInt8]
    ) async throws -> Int {
        let hash = HandshakeHash()
        var offer = SessionOffer(getInfo: getInfo, digitalCredentials: digitalCredentials) { command in
            await respond(command, hash.bytes)
        }
        offer.observeHandshakeHash = { hash.bytes = $0 }
        return try await run(code, offer, progress)
    }

    /// Answers one QR code with digital credentials alone; the client is sent no getInfo.
    ///
    /// - Parameters:
    ///   - code: the text of the QR code, `FIDO:/` and digits.
    ///   - progress: as for ``answer(_:getInfo:progress:digitalCredentials:respond:)``.
    ///   - digitalCredentials: answers a digital-credential request with JSON, both less than 1 MiB.
    /// - Returns: the number of requests that were answered.
    /// - Throws: ``HybridTransportError``.
    @discardableResult
    public func answer(
        _ code: String, progress: @escaping @Sendable (AsyncStream<CeremonyEvent>) async -> Void = { _ in },
        digitalCredentials: @escaping @Sendable (_ request: String) async -> String
    ) async throws -> Int {
        try await run(code, SessionOffer(digitalCredentials: digitalCredentials), progress)
    }

    private func run(
        _ code: String, _ offer: SessionOffer,
        _ progress: @escaping @Sendable (AsyncStream<CeremonyEvent>) async -> Void
    ) async throws -> Int {
        try await AsyncStream.withEvents(to: progress) { observe in
            let invitation: Invitation
            do throws(HybridProtocolError) { invitation = try Invitation(url: code) } catch {
                throw HybridTransportError(error, reaching: .qrScanned)
            }
            CeremonyLog.note(.qrScanned, of: .authenticator)
            observe(.stage(.qrScanned))
            let ceremony: AuthenticatorCeremony
            do { ceremony = try parts.authenticator(observe: observe) } catch {
                throw HybridTransportError(error, reaching: .tunnelOpened, as: .authenticator)
            }
            return try await ceremony.run(invitation, offer: offer)
        }
    }
}

/// The handshake hash of a session, once there is one.
private final class HandshakeHash: Sendable {
    private let value = Mutex<[UInt8]>([])

    var bytes: [UInt8] {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
