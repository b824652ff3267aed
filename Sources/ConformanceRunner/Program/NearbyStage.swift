internal import BluetoothLE

/// A session on an L2CAP channel.
typealias NearbySession = SessionOn<NearbyEnd>

/// What cases of L2CAP channels need of the stage of either role.
protocol NearbyStage: TunnelStage {
    /// Brings the command so far that it waits for our handshake message on an L2CAP channel.
    ///
    /// - Parameters:
    ///   - manner: how messages are sent on the channel.
    ///   - ephemeral: the ephemeral private key of our message, 32 bytes; a new one if nil.
    func atNearbyHandshake(_ manner: @escaping NearbyEnd.Manner, ephemeral: [UInt8]?) async throws -> NearbyHandshake

    /// Brings the command so far that it is our turn to send a sealed message.
    func atNearbyTurn(_ manner: @escaping NearbyEnd.Manner) async throws -> NearbyTurn

    /// Brings the command to a place in its session, after which we say nothing more that is right.
    func reach(_ place: NearbyPlace) async throws -> NearbyEnd

    /// Demands that the command goes no further in a session, and ends.
    func givesUp(_ session: NearbySession) async throws

    /// What `givesUp` demands of the command's end.
    func endsAfterMistake() async throws
}

/// A handshake on an L2CAP channel in which it is our turn.
struct NearbyHandshake: Sendable {
    let end: NearbyEnd
    /// What we ought to send now: 81 bytes.
    let message: [UInt8]
    /// The right message, but for one thing.
    let wrong: @Sendable (HandshakeMistake) throws -> [UInt8]
    /// What our side does after the message was taken for right: goes through the rest of the session.
    let complete: @Sendable () async throws -> Void
}

/// A session on an L2CAP channel in which it is our turn.
struct NearbyTurn: Sendable {
    let session: NearbySession
    /// The message that is due.
    let message: [UInt8]
    /// Makes a message that may be sent as well, and somewhere holds these 64 bytes.
    let holding: @Sendable (_ filler: [UInt8]) throws -> [UInt8]
    /// What our side does after the message that is due was sent: goes through the rest of the session.
    let completeMessage: @Sendable () async throws -> Void
    /// The same after a message with filler.
    let completeHolding: @Sendable () async throws -> Void

    /// How many bytes of filler there are: as many as the ID of an account can have.
    static let fillerByteCount = 64
}

/// Where in a session on an L2CAP channel the command is.
enum NearbyPlace: String, Sendable, CaseIterable {
    case connected = "when-connected"
    case handshaken = "after-handshake"
    case ready = "when-ready"
    case during = "during-request"
}

extension NearbyStage {
    /// Anything, since devices of the simulated radio are found by its address.
    static func channels(at address: SimulatedRadioAddress) throws -> SimulatedChannels {
        try SimulatedChannels(at: [address])
    }

    /// Demands that the command goes no further than this, and ends.
    func givesUp(_ end: NearbyEnd) async throws {
        do {
            let message = try await within(peer.patience, "its end") { try await end.message { _ in true } }
            throw Deviation("it goes on, with \(message.count) bytes")
        } catch is WebSocketEnd.Closed {}
        try await endsAfterMistake()
    }

    /// Waits until the command has ended, by itself and not by a crash, whatever it says until then.
    func endsAfter(_ end: NearbyEnd) async throws {
        do {
            try await within(peer.patience, "its end") { while true { _ = try await end.message { _ in true } } }
        } catch is WebSocketEnd.Closed {}
        try await peer.ended()
    }
}
