internal import Glibc
package import HybridProtocol

/// The client's end of the hybrid transport: shows a QR code, and sends requests to the authenticator that reads it.
///
/// Requests and answers are bytes here; the product `WebAuthnClient` has them as types.
///
///     let answer = try await HybridClient().send([0x04]) { url in print(url) }
///
/// Source: CTAP 2.2 section 11.5.1; CTAP 2.3 section 11.5.1.1.1.
public struct HybridClient: Sendable {
    private let makeCeremony: @Sendable (_ observe: @escaping CeremonyObserver) throws -> ClientCeremony
    private let linking: ClientLinking

    /// Makes a client, which may be used any number of times. Nothing is sent or opened yet.
    ///
    /// - Parameters:
    ///   - radio: hears the authenticator's advert.
    ///   - tunnelService: the tunnel service that is used instead of the one that the advert names; nil for that.
    ///   - limits: the time limits.
    /// - Throws: ``HybridTransportError``: `radio` for a radio of which there can be none, `tunnelUnreachable` for
    ///   authorities that cannot be read.
    public init(
        radio: HybridRadio = .bluetooth(), tunnelService: HybridTunnelService? = nil, limits: TimeLimits = .standard
    ) throws(HybridTransportError) {
        let parts = try CeremonyParts(radio, tunnelService, limits, reaching: .advertSeen, as: .client)
        makeCeremony = { observe in try parts.client(observe: observe) }
        linking = .none
    }

    /// Makes a client of a ceremony, which reports to an observer of its own.
    package init(_ ceremony: ClientCeremony, linking: ClientLinking) {
        makeCeremony = { _ in ceremony }
        self.linking = linking
    }

    /// Sends one CTAP command, and returns the answer when the session is over.
    ///
    /// - Parameters:
    ///   - command: the command byte, then CBOR: 1 byte or more, less than 1 MiB. The QR code says of what kind it is.
    ///   - progress: reads the events, in a task of its own; the sequence ends with the session, and `progress` is then
    ///     waited for.
    ///   - show: shows the QR code, which has the present time: a text that begins with `FIDO:/`. It is a secret
    ///     between the screen and the user.
    /// - Returns: the status byte, then CBOR. A refusal by the authenticator is an answer too.
    /// - Throws: ``HybridTransportError``; otherwise the error of `show`.
    public func send(
        _ command: [UInt8], progress: @escaping @Sendable (AsyncStream<CeremonyEvent>) async -> Void = { _ in },
        show: @escaping @Sendable (_ url: String) async throws -> Void
    ) async throws -> [UInt8] {
        try await withSession(for: RequestHint(ofCommand: command.first), progress: progress, show: show) { session in
            try await session.send(command)
        }
    }

    /// Sends one digital-credential request, and returns the answer when the session is over.
    ///
    /// - Parameters:
    ///   - json: the request: 1 byte or more, less than 1 MiB. The QR code says of what kind it is.
    ///   - progress: as for ``send(_:progress:show:)``.
    ///   - show: as for ``send(_:progress:show:)``.
    /// - Returns: the answer, less than 1 MiB. That it is JSON is not checked, only that it is UTF-8.
    /// - Throws: ``HybridTransportError``; otherwise the error of `show`.
    public func send(
        json: String, progress: @escaping @Sendable (AsyncStream<CeremonyEvent>) async -> Void = { _ in },
        show: @escaping @Sendable (_ url: String) async throws -> Void
    ) async throws -> String {
        try await withSession(for: RequestHint(ofJSON: json), progress: progress, show: show) { session in
            try await session.send(json: json)
        }
    }

    /// Opens a session, for a caller that wants to know the authenticator before it asks, or to ask more than once.
    ///
    /// When this returns or throws, the scan is over and all channels are closed, whatever happened; cancelling the
    /// task ends it promptly.
    ///
    /// - Parameters:
    ///   - command: the command byte of the first request, which decides what the QR code says: 0x01, makeCredential,
    ///     or 0x02, getAssertion.
    ///   - progress: as for ``send(_:progress:show:)``.
    ///   - show: as for ``send(_:progress:show:)``.
    ///   - session: sends requests.
    /// - Returns: the value of `session`.
    /// - Throws: ``HybridTransportError``; otherwise the error of `show` or `session`.
    public func withSession<Value: Sendable>(
        command: UInt8 = 0x02, progress: @escaping @Sendable (AsyncStream<CeremonyEvent>) async -> Void = { _ in },
        show: @escaping @Sendable (_ url: String) async throws -> Void,
        session: @escaping @Sendable (HybridSession) async throws -> Value
    ) async throws -> Value {
        try await withSession(
            for: RequestHint(ofCommand: command), progress: progress, show: show, session: session)
    }

    /// Opens a session likewise.
    ///
    /// - Parameters:
    ///   - hint: the kind of the coming request.
    ///   - progress: reads the events.
    ///   - show: shows the QR code; nil for links only.
    ///   - session: sends requests.
    /// - Returns: the value of `session`.
    /// - Throws: ``HybridTransportError``; otherwise the error of `show` or `session`.
    package func withSession<Value: Sendable>(
        for hint: RequestHint, progress: @escaping @Sendable (AsyncStream<CeremonyEvent>) async -> Void = { _ in },
        show: (@Sendable (_ url: String) async throws -> Void)?,
        session: @escaping @Sendable (HybridSession) async throws -> Value
    ) async throws -> Value {
        try await AsyncStream.withEvents(to: progress) { observe in
            let ceremony: ClientCeremony
            do { ceremony = try makeCeremony(observe) } catch {
                throw HybridTransportError(error, reaching: .qrShown, as: .client)
            }
            let now = UInt64(max(0, time(nil)))
            return try await ceremony.run(hint: hint, timestamp: now, linking: linking, show: show) { connection in
                try await session(HybridSession(connection))
            }
        }
    }
}

/// The client's end of a session that is ready for requests.
public struct HybridSession: Sendable {
    private let connection: ClientConnection

    init(_ connection: ClientConnection) { self.connection = connection }

    /// The encoded getInfo response map of the authenticator, without a status byte; nil if it offers no CTAP.
    public var getInfo: [UInt8]? { connection.firstMessage.getInfo }
    /// True if the authenticator takes digital-credential requests.
    public var takesDigitalCredentials: Bool { connection.firstMessage.features.contains(.digitalCredentials) }
    /// The handshake hash: 32 bytes that both ends share and that name this session. Not secret. Data that must hold
    /// for this session alone can be bound to it (Noise section 11.2).
    public var handshakeHash: [UInt8] { connection.handshakeHash }

    /// Sends a CTAP command and waits for its answer. Most authenticators take one command a session.
    ///
    /// - Parameter command: the command byte, then CBOR: 1 byte or more, less than 1 MiB.
    /// - Returns: the status byte, then CBOR. A refusal by the authenticator is an answer too.
    /// - Throws: ``HybridTransportError``: `noCTAP`; `invalidRequest` for a command of wrong length, or while another
    ///   request waits for its answer; after any other the session is over.
    public func send(_ command: [UInt8]) async throws -> [UInt8] { try await connection.send(command) }

    /// Sends a digital-credential request and waits for its answer.
    ///
    /// - Parameter json: the request: 1 byte or more, less than 1 MiB. It is sent as it is.
    /// - Returns: the answer, less than 1 MiB. That it is JSON is not checked, only that it is UTF-8.
    /// - Throws: ``HybridTransportError``: `noDigitalCredentials`, otherwise as ``send(_:)``.
    public func send(json: String) async throws -> String { try await connection.send(json: json) }
}

extension RequestHint {
    /// The hint for a command; that of a sign-in for one that has none, as for getInfo (HT-QR-39).
    fileprivate init(ofCommand byte: UInt8?) { self = byte == 0x01 ? .makeCredential : .getAssertion }

    /// The hint for a digital-credential request; that of a presentation for a text that does not read as one.
    fileprivate init(ofJSON json: String) {
        let kind = (try? DigitalCredentialRequest(parsing: json))?.kind
        self = kind == .issuance ? .digitalCredentialIssuance : .digitalCredentialPresentation
    }
}

extension AsyncStream<CeremonyEvent> {
    /// The most events that wait for a reader that is too slow, which then loses the oldest: other devices make some.
    private static var capacity: Int { 256 }

    /// Has the events of a ceremony read while it runs: in a task of the reader's own, so that one that is slow, or
    /// blocks, holds up nothing.
    ///
    /// - Parameters:
    ///   - reader: reads the events; it is waited for.
    ///   - body: runs the ceremony.
    /// - Returns: the value of `body`.
    static func withEvents<Value: Sendable>(
        to reader: @escaping @Sendable (Self) async -> Void,
        _ body: (@escaping CeremonyObserver) async throws -> Value
    ) async throws -> Value {
        let (events, feed) = makeStream(bufferingPolicy: .bufferingNewest(capacity))
        let reading = Task { await reader(events) }
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body { feed.yield($0) }) } catch { outcome = .failure(error) }
        feed.finish()
        await reading.value
        return try outcome.get()
    }
}
