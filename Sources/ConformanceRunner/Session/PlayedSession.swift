/// What carries the messages of a session: a WebSocket, or an L2CAP channel.
protocol MessageEnd: Sendable {
    /// Sends a message as it must be sent.
    func send(_ message: [UInt8]) async

    /// Waits for the next message.
    ///
    /// - Parameter isWhole: whether bytes are a whole message, for channels that do not tell.
    /// - Throws: ``Deviation``, ``WebSocketEnd/Closed``.
    func message(_ isWhole: @escaping @Sendable ([UInt8]) -> Bool) async throws -> [UInt8]

    /// Closes in good order.
    func close() async

    /// Gives up what the other side has closed.
    func drop() async
}

/// A session on a WebSocket.
typealias PlayedSession = SessionOn<WebSocketEnd>

/// The types of messages (PROTOCOL.md 7.2).
enum SessionMessageType {
    static let shutdown: UInt8 = 0
    static let ctap: UInt8 = 1
    static let update: UInt8 = 2
    static let json: UInt8 = 3
}

/// A session after the handshake, of which the runner plays one end.
actor SessionOn<End: MessageEnd> {
    typealias MessageType = SessionMessageType

    nonisolated let socket: End
    nonisolated let patience: Duration
    /// The keys of both directions, for cases that swap them.
    nonisolated let keys: TrafficKeys
    /// What we seal with.
    private(set) var outgoing: Direction
    private var incoming: Direction
    /// The frames of the other side, as they came.
    private(set) var frames: [[UInt8]] = []
    /// The updates of the other side.
    private(set) var updates: [Update] = []

    /// An update, and when it came.
    struct Update: Sendable {
        /// What follows the type byte.
        let payload: [UInt8]
        /// The length of the padded message.
        let paddedByteCount: Int
        /// How many frames had come before.
        let position: Int
    }

    /// Begins a session of which the runner plays the client, or else the authenticator.
    init(_ socket: End, _ keys: TrafficKeys, asClient: Bool, patience: Duration) {
        self.socket = socket
        self.keys = keys
        self.patience = patience
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
    func seal(_ message: [UInt8]) throws -> [UInt8] { try outgoing.seal(message) }

    /// The frame that a message would be, if it were sent next.
    func preview(_ message: [UInt8]) throws -> [UInt8] {
        var direction = outgoing
        return try direction.seal(message)
    }

    /// Seals bytes that a case has padded itself, without sending them.
    func seal(padded bytes: [UInt8]) throws -> [UInt8] { try outgoing.seal(padded: bytes) }

    /// Sends a message with its type byte.
    func send(_ type: UInt8, _ payload: [UInt8] = []) async throws { try await send([type] + payload) }

    /// Sends a message as it is.
    func send(_ message: [UInt8]) async throws { await socket.send(try outgoing.seal(message)) }

    /// Sends bytes that a case has padded itself.
    func send(padded bytes: [UInt8]) async throws { await socket.send(try outgoing.seal(padded: bytes)) }

    /// Waits for the next message of the other side.
    ///
    /// - Throws: ``Deviation``, ``WebSocketEnd/Closed``.
    func next(_ what: String = "a message") async throws -> [UInt8] {
        let frame = try await within(patience, what) { [socket, incoming] in
            try await socket.message(incoming.opens)
        }
        frames.append(frame)
        let message = try incoming.open(frame)
        // The first message has no type byte.
        if message.first == MessageType.update, frames.count > 1 {
            updates.append(
                Update(
                    payload: Array(message.dropFirst()), paddedByteCount: frame.count - Direction.tagByteCount,
                    position: frames.count - 1))
        }
        return message
    }

    /// Waits for the next message that is no update, and checks its type.
    ///
    /// - Returns: its payload.
    func next(_ type: UInt8, _ what: String) async throws -> [UInt8] {
        while true {
            let message = try await next(what)
            guard let first = message.first else { throw Deviation("it sends an empty message") }
            if first == MessageType.update, type != MessageType.update { continue }
            guard first == type else { throw Deviation("it sends a message of type \(first) where \(what) is due") }
            return Array(message.dropFirst())
        }
    }

    /// Waits for the end, and demands that until then nothing comes but updates and shutdowns: neither an answer nor a request.
    func goesNoFurther() async throws {
        do {
            while true {
                let message = try await next("the end of the session")
                // As a phone does: a client may wait for updates as long as its tunnel is open.
                if message == [MessageType.shutdown] { await socket.close() }
                guard message.first == MessageType.update || message == [MessageType.shutdown] else {
                    throw Deviation("it goes on, with a message of type \(message.first.map(String.init) ?? "none")")
                }
            }
        } catch is WebSocketEnd.Closed {
            await socket.drop()
        }
    }

    /// Waits for the end, whatever comes until then.
    func ends() async throws {
        do {
            try await within(patience, "the end of the session") { [socket] in
                while true { _ = try await socket.message { _ in true } }
            }
        } catch is WebSocketEnd.Closed {
            await socket.drop()
        }
    }
}
