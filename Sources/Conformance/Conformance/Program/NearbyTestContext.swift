internal import BluetoothLE

/// A session on an L2CAP channel.
typealias NearbySession = ScriptedSession<NearbyEnd>

/// The part of either role's test context that cases of L2CAP channels use.
protocol NearbyTestContext: TunnelTestContext {
    /// Brings the command so far that it waits for our handshake message on an L2CAP channel.
    ///
    /// - Parameters:
    ///   - manner: the division of messages into SDUs.
    ///   - ephemeral: the ephemeral private key of our message, 32 bytes; a new one if nil.
    func atNearbyHandshake(_ manner: @escaping NearbyEnd.Manner, ephemeral: [UInt8]?) async throws -> NearbyHandshake

    /// Brings the command so far that it is our turn to send a sealed message.
    func atNearbyTurn(_ manner: @escaping NearbyEnd.Manner) async throws -> NearbyTurn

    /// Brings the command to a place in its session, after which we say nothing more that is right.
    func reach(_ place: NearbyPlace) async throws -> NearbyEnd

    /// Demands that the command goes no further in a session, and ends.
    func givesUp(_ session: NearbySession) async throws

    /// Demands that the command ends as `givesUp` requires.
    func endsAfterMistake() async throws
}

/// A handshake on an L2CAP channel in which it is our turn.
struct NearbyHandshake: Sendable {
    let end: NearbyEnd
    /// The message that is due now: 81 bytes.
    let message: [UInt8]
    /// The right message, but for one thing.
    let wrong: @Sendable (HandshakeMistake) throws -> [UInt8]
    /// Completes the session after the right message.
    let complete: @Sendable () async throws -> Void
}

/// A session on an L2CAP channel in which it is our turn.
struct NearbyTurn: Sendable {
    let session: NearbySession
    /// The message that is due.
    let message: [UInt8]
    /// Makes a message that may be sent as well, and somewhere holds these 64 bytes.
    let holding: @Sendable (_ filler: [UInt8]) throws -> [UInt8]
    /// Completes the session after the message that is due.
    let completeMessage: @Sendable () async throws -> Void
    /// The same after a message with filler.
    let completeHolding: @Sendable () async throws -> Void

    /// The length of the filler: as many bytes as an account's ID can have.
    static let fillerByteCount = 64
}

/// The point that a command has reached in a session on an L2CAP channel.
enum NearbyPlace: String, Sendable, CaseIterable {
    case connected = "when-connected"
    case handshaken = "after-handshake"
    case ready = "when-ready"
    case during = "during-request"
}

extension NearbyTestContext {
    /// A choice without consequence, since devices of the simulated radio are found by its address.
    static func channels(at address: SimulatedRadioAddress) throws -> SimulatedChannels {
        try SimulatedChannels(at: [address])
    }

    /// Demands that the command goes no further than this, and ends.
    func givesUp(_ end: NearbyEnd) async throws {
        do {
            let message = try await within(peer.timeout, "its end") { try await end.message { _ in true } }
            throw Deviation("it goes on, with a message of \(message.count) bytes")
        } catch is WebSocketEnd.Closed {}
        try await endsAfterMistake()
    }

    /// Waits until the command has ended, by itself and not by a crash, whatever it says until then.
    func endsAfter(_ end: NearbyEnd) async throws {
        do {
            try await within(peer.timeout, "its end") { while true { _ = try await end.message { _ in true } } }
        } catch is WebSocketEnd.Closed {}
        try await peer.ended()
    }
}
