internal import CTAP

/// The channel of a session's messages: a WebSocket, or an L2CAP channel.
protocol MessageEnd: Sendable {
    /// The record of the case.
    var record: CaseRecord { get }

    /// Sends a message as it must be sent.
    func send(_ message: [UInt8]) async

    /// Waits for the next message.
    ///
    /// - Parameter isWhole: true if bytes are a whole message, for channels without message boundaries.
    /// - Throws: ``Deviation``, ``WebSocketEnd/Closed``.
    func message(_ isWhole: @escaping @Sendable ([UInt8]) -> Bool) async throws -> [UInt8]

    /// Closes, as the channel demands.
    func close() async

    /// Releases a channel that the other side has closed.
    func drop() async
}

/// A session on a WebSocket.
typealias TunnelSession = ScriptedSession<WebSocketEnd>

/// The types of messages (HT-MSG-16, HT-MSG-17).
enum SessionMessageType {
    static let shutdown: UInt8 = 0
    static let ctap: UInt8 = 1
    static let update: UInt8 = 2
    static let json: UInt8 = 3
}

/// A session after the handshake, with the runner at one end.
actor ScriptedSession<End: MessageEnd> {
    typealias MessageType = SessionMessageType

    nonisolated let socket: End
    nonisolated let timeout: Duration
    /// The keys of both directions, for cases that swap them.
    nonisolated let keys: SplitKeys
    private let isClient: Bool
    private var hasSealed = false
    /// The state with which we seal.
    private(set) var outgoing: Direction
    private var incoming: Direction
    /// The frames of the other side, as they came.
    private(set) var frames: [[UInt8]] = []
    /// The updates of the other side.
    private(set) var updates: [Update] = []

    /// An update, and when it came.
    struct Update: Sendable {
        /// The bytes after the type byte.
        let payload: [UInt8]
        /// The length of the padded message.
        let paddedByteCount: Int
        /// The number of frames that came before.
        let position: Int
    }

    /// Begins a session with the runner as the client, or else as the authenticator.
    init(_ socket: End, _ keys: SplitKeys, asClient: Bool, timeout: Duration) {
        self.socket = socket
        self.keys = keys
        self.timeout = timeout
        isClient = asClient
        let (ours, theirs) =
            asClient
            ? (keys.clientToAuthenticator, keys.authenticatorToClient)
            : (keys.authenticatorToClient, keys.clientToAuthenticator)
        outgoing = Direction(key: ours)
        incoming = Direction(key: theirs)
    }

    /// Changes how we seal from now on.
    func change(_ body: @Sendable (inout Direction) -> Void) { body(&outgoing) }

    /// Changes how we open from now on.
    func changeIncoming(_ body: @Sendable (inout Direction) -> Void) { body(&incoming) }

    /// Seals a message as it must be, without sending it.
    func seal(_ message: [UInt8]) throws -> [UInt8] { explained(try outgoing.seal(message), message) }

    private func explained(_ frame: [UInt8], _ message: [UInt8], _ addition: String = "") -> [UInt8] {
        let name = nameOfMessage(message, isFirst: !isClient && !hasSealed, isClients: isClient)
        hasSealed = true
        socket.record.transcript.explain(frame, name + addition, message)
        return frame
    }

    /// The frame that a message would be, if it were sent next.
    func preview(_ message: [UInt8]) throws -> [UInt8] {
        var direction = outgoing
        return try direction.seal(message)
    }

    /// Seals bytes that a case has padded itself, without sending them.
    func seal(padded bytes: [UInt8]) throws -> [UInt8] {
        explained(try outgoing.seal(padded: bytes), bytes, ", with this padding")
    }

    /// Sends a message with its type byte.
    func send(_ type: UInt8, _ payload: [UInt8] = []) async throws { try await send([type] + payload) }

    /// Sends a message as it is.
    func send(_ message: [UInt8]) async throws { await socket.send(try seal(message)) }

    /// Notes that the mistake of the case has been sent; see ``CaseRecord/mistakeIsSent()``.
    nonisolated func mistakeIsSent() async { await socket.record.mistakeIsSent() }

    /// Sends bytes that a case has padded itself.
    func send(padded bytes: [UInt8]) async throws { await socket.send(try seal(padded: bytes)) }

    /// Waits for the next message of the other side.
    ///
    /// - Throws: ``Deviation``, ``WebSocketEnd/Closed``.
    func next(_ what: String = "a message") async throws -> [UInt8] {
        let frame = try await within(timeout, what) { [socket, incoming] in
            try await socket.message(incoming.opens)
        }
        frames.append(frame)
        let message = try incoming.open(frame)
        let name = nameOfMessage(message, isFirst: isClient && frames.count == 1, isClients: !isClient)
        socket.record.transcript.explain(frame, name, message)
        // The first message has no type byte.
        if message.first == MessageType.update, frames.count > 1 {
            updates.append(
                Update(
                    payload: Array(message.dropFirst()), paddedByteCount: frame.count - Direction.tagByteCount,
                    position: frames.count - 1))
        }
        return message
    }

    /// Waits for the next message that is not an update, and checks its type.
    ///
    /// - Returns: its payload.
    func next(_ type: UInt8, _ what: String) async throws -> [UInt8] {
        while true {
            let message = try await next(what)
            guard let first = message.first else { throw Deviation("it sends an empty message") }
            if first == MessageType.update, type != MessageType.update { continue }
            guard first == type else { throw Deviation("it sends a message of type \(first) in place of \(what)") }
            return Array(message.dropFirst())
        }
    }

    /// Waits for the end, and demands that until then nothing comes but updates and shutdowns: neither an answer nor a
    /// request. An authenticator's error is one.
    ///
    /// - Returns: the status of an authenticator's last error; nil without one.
    @discardableResult
    func goesNoFurther() async throws -> UInt8? {
        var status: UInt8?
        do {
            while true {
                let message = try await next("the end of the session")
                // As a phone does: a client may wait for updates as long as its tunnel is open.
                if message == [MessageType.shutdown] { await socket.close() }
                if isClient, message.first == MessageType.ctap, message.count > 1, message[1] != 0 {
                    status = message[1]
                    continue
                }
                guard message.first == MessageType.update || message == [MessageType.shutdown] else {
                    throw Deviation("it goes on, with a message of type \(message.first.map(String.init) ?? "none")")
                }
            }
        } catch is WebSocketEnd.Closed {
            await socket.drop()
        }
        return status
    }

    /// Waits for the end, whatever comes until then.
    func ends() async throws {
        do {
            try await within(timeout, "the end of the session") { [socket] in
                while true { _ = try await socket.message { _ in true } }
            }
        } catch is WebSocketEnd.Closed {
            await socket.drop()
        }
    }
}

extension TunnelSession {
    /// Sends a message twice, in one packet: a peer that reads the first one has the second, too.
    func sendTwice(_ message: [UInt8]) async throws {
        let frames = [try seal(message), try seal(message)]
        await socket.send(raw: frames.flatMap { WireFrame(payload: $0).bytes() })
    }
}

/// The kind of a session's message in a few words, for a transcript.
///
/// - Parameters:
///   - message: the plaintext, with its type byte unless it is the first message.
///   - isFirst: true of the authenticator's first message.
///   - isClients: true if the client sends it.
func nameOfMessage(_ message: [UInt8], isFirst: Bool, isClients: Bool) -> String {
    guard !isFirst else { return "first message" }
    guard let type = message.first else { return "empty message" }
    switch type {
    case SessionMessageType.shutdown: return "shutdown"
    case SessionMessageType.update: return "update"
    case SessionMessageType.json: return "JSON message"
    case SessionMessageType.ctap:
        guard let byte = message.dropFirst().first else { return "CTAP message without a byte" }
        guard isClients else { return "CTAP answer with status \(hexadecimal(byte))" }
        return CTAPCommand(rawValue: byte).map { "CTAP \($0)" } ?? "CTAP command \(hexadecimal(byte))"
    default: return "message of type \(type)"
    }
}
