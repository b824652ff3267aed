public import CTAP
public import HybridProtocol
public import HybridTransport
internal import LinuxSupport

/// An authenticator that a ``WebAuthnClient`` can ask: how to reach one.
public protocol WebAuthnAuthenticator: Sendable {
    /// Reaches the authenticator, and ends the session after `body`, whatever becomes of it.
    ///
    /// - Parameters:
    ///   - hint: the kind of the coming request.
    ///   - body: asks.
    /// - Returns: the value of `body`.
    func withSession<Value: Sendable>(
        for hint: RequestHint, _ body: @escaping @Sendable (any WebAuthnSession) async throws -> Value
    ) async throws -> Value
}

/// A session with an authenticator.
public protocol WebAuthnSession: Sendable {
    /// The encoded getInfo response map, without a status byte; nil without CTAP.
    var getInfo: [UInt8]? { get }
    /// Sends a CTAP command, and waits for its answer: the status byte, then CBOR.
    func send(_ command: [UInt8]) async throws -> [UInt8]
    /// Sends a digital-credential request, JSON, and waits for its answer.
    func send(json: String) async throws -> String
}

extension ClientConnection: WebAuthnSession {
    /// The encoded getInfo response map, without a status byte; nil without CTAP.
    package nonisolated var getInfo: [UInt8]? { firstMessage.getInfo }
}

extension HybridSession: WebAuthnSession {}

/// A device that is reached by the hybrid transport: it reads a QR code.
public struct HybridAuthenticator: WebAuthnAuthenticator {
    private let client: HybridClient
    private let progress: @Sendable (AsyncStream<CeremonyEvent>) async -> Void
    private let show: @Sendable (_ url: String) async throws -> Void

    /// Makes an authenticator, which may be asked any number of times, one after another.
    ///
    /// - Parameters:
    ///   - client: this machine's radio and tunnels.
    ///   - progress: reads the events of each session, in a task of its own.
    ///   - show: shows the QR code, which has the present time. Its text is a secret between the screen and the user.
    public init(
        _ client: HybridClient, progress: @escaping @Sendable (AsyncStream<CeremonyEvent>) async -> Void = { _ in },
        show: @escaping @Sendable (_ url: String) async throws -> Void
    ) {
        self.client = client
        self.progress = progress
        self.show = show
    }

    /// Shows a QR code, and opens a session with the device that reads it.
    ///
    /// - Throws: `HybridTransportError`; otherwise the error of `body`, or of the function that shows the code.
    public func withSession<Value: Sendable>(
        for hint: RequestHint, _ body: @escaping @Sendable (any WebAuthnSession) async throws -> Value
    ) async throws -> Value {
        try await client.withSession(for: hint, progress: progress, show: show) { try await body($0) }
    }
}

extension HybridClient {
    /// Sends one CTAP request, and returns the answer when the session is over.
    ///
    /// - Parameters:
    ///   - request: the request. The QR code says its kind.
    ///   - progress: reads the events, in a task of its own; the sequence ends with the session.
    ///   - show: shows the QR code, which has the present time. Its text is a secret between the screen and the user.
    /// - Returns: the answer, which may be a refusal.
    /// - Throws: `HybridTransportError`, `CTAPError` for bytes that are no answer; otherwise the error of `show`.
    public func send(
        _ request: CTAPRequest, progress: @escaping @Sendable (AsyncStream<CeremonyEvent>) async -> Void = { _ in },
        show: @escaping @Sendable (_ url: String) async throws -> Void
    ) async throws -> CTAPResponse {
        try CTAPResponse(decoding: try await send(request.encoded(), progress: progress, show: show))
    }
}

extension WebAuthnSession {
    /// Sends a CTAP request, and waits for its answer, which may be a refusal.
    ///
    /// - Throws: `CTAPError` for bytes that are no answer; the errors of the session.
    public func send(_ request: CTAPRequest) async throws -> CTAPResponse {
        try CTAPResponse(decoding: try await send(request.encoded()))
    }
}

extension WebAuthnAuthenticator {
    /// Asks within a time.
    ///
    /// - Throws: ``WebAuthnClientError`` `NotAllowedError` when it is over.
    func ask<Value: Sendable>(
        _ hint: RequestHint, within time: Duration, on timer: DeadlineTimer = .continuous,
        _ body: @escaping @Sendable (any WebAuthnSession) async throws -> Value
    ) async throws -> Value {
        guard let value = try await timer.withTimeout(time, { try await withSession(for: hint, body) }) else {
            throw WebAuthnClientError(
                .notAllowed, reason: "the site's time limit of \(time.components.seconds) s has expired")
        }
        return value
    }
}

extension WebAuthnSession {
    /// The authenticator's description of itself.
    ///
    /// - Throws: ``WebAuthnClientError`` `NotAllowedError` without CTAP, `UnknownError`.
    func info() throws(WebAuthnClientError) -> GetInfoResponse {
        guard let bytes = getInfo else {
            throw WebAuthnClientError(.notAllowed, reason: "the authenticator offers no CTAP in this session")
        }
        return try reading { () throws(CTAPError) in try GetInfoResponse(decoding: bytes.span) }
    }

    /// Sends a command; the bytes behind the status byte.
    ///
    /// - Throws: ``WebAuthnClientError`` for a refusal, and for bytes that are no answer; the errors of the session.
    func payload(of request: CTAPRequest) async throws -> [UInt8] {
        let answer = try await send(request.encoded())
        let response = try reading { () throws(CTAPError) in try CTAPResponse(decoding: answer.span) }
        guard response.status.isSuccess else {
            throw WebAuthnClientError(
                WebAuthnExceptionName(response.status), reason: "the authenticator answered \(response.status)")
        }
        return response.payload
    }
}
