import Conformance
import Cryptography
import Encodings
import HybridProtocol
import Testing

/// A session case as the damage tests run it: up to a chosen message, which is then replaced by a damaged one.
struct DamagedSession: Sendable, CustomStringConvertible {
    let description: String
    let input: CaseFields
    let frames: [Frame]

    struct Frame: Sendable {
        let isReceived: Bool
        /// A sealed frame if it is received, else the plaintext to be sent.
        let bytes: [UInt8]
    }

    /// The sessions recorded from Chromium, of which the authenticator's keys are known.
    static let recorded = Repository.vectorCases.filter { $0.id.hasPrefix("session-chromium-") }.map { Self($0) }
    /// Sessions of our own, of which the client's keys are known.
    static let clients = ["session-two-requests-client", "session-json-client", "session-update-between-client"]
        .compactMap { id in Repository.vectorCases.first { $0.id == id } }.map { Self($0) }

    init(_ vectorCase: VectorCase) {
        description = vectorCase.id
        input = vectorCase.input
        frames = (input["frames"]?.arrayValue ?? []).map { row in
            Frame(isReceived: row["frame"] != nil, bytes: Self.bytes(row["frame"] ?? row["plaintext"]))
        }
    }

    func bytes(_ name: String) -> [UInt8] { Self.bytes(input[name]) }

    func text(_ name: String) -> String {
        input[name]?.stringValue ?? ""
    }

    func key(_ name: String) throws -> P256.PrivateKey {
        let scalar = bytes(name)
        return try P256.PrivateKey(scalar: scalar.span)
    }

    func invitation() throws -> Invitation { try Invitation(url: text("url")) }

    func plaintext() throws -> AdvertPlaintext {
        try AdvertPlaintext(
            nonce: bytes("advert_nonce"), routingID: RoutingID(bytes("routing_id")),
            domain: TunnelDomain(input.integer("domain_id")))
    }

    /// The authenticator's side up to its answer to a message 1.
    func answered(_ message: [UInt8]) throws -> ConnectedAuthenticator {
        try Responder(invitation(), advert: plaintext())
            .answer(message.span, ephemeralKey: key("ephemeral_private"))
    }

    /// The authenticator's side up to a frame, which is replaced.
    func authenticator(frame index: Int, replacedBy damaged: [UInt8]) throws -> AuthenticatorSession.Event {
        guard let first = frames.first?.bytes else { throw UnexpectedFrame() }
        let connected = try answered(bytes("message_1"))
        var session = try connected.sendFirstMessage(FirstMessage(decoding: first.span))
        for frame in frames[1..<index] {
            if frame.isReceived {
                _ = try session.open(frame.bytes)
            } else {
                _ = try session.sealResponse(.ctap(Array(frame.bytes.dropFirst())))
            }
        }
        return try session.open(damaged)
    }

    /// The client's side up to the end of the handshake with a message 2.
    func joined(_ message: [UInt8]) throws -> ConnectedClient {
        let (secret, advert) = (bytes("secret"), bytes("advert"))
        let invitation = try ClientInvitation(
            privateKey: key("static_private"), secret: SecretBytes(copying: secret.span),
            details: Invitation.Details(timestamp: nil, hint: .getAssertion))
        var advertKey = try invitation.invitation.advertKey()
        let plaintext = try advertKey.open(advert.span).plaintext
        return try Initiator(invitation, advert: plaintext, ephemeralKey: key("ephemeral_private"))
            .finish(message.span)
    }

    /// The client's side up to a frame, which is replaced.
    func client(frame index: Int, replacedBy damaged: [UInt8]) throws {
        let connected = try joined(bytes("message_2"))
        guard index > 0, let first = frames.first?.bytes else {
            _ = try connected.readFirstMessage(damaged)
            return
        }
        var session = try connected.readFirstMessage(first)
        for frame in frames[1..<index] {
            if frame.isReceived {
                _ = try session.open(frame.bytes)
            } else {
                try Self.send(frame.bytes, &session)
            }
        }
        _ = try session.open(damaged)
    }

    private static func send(_ plaintext: [UInt8], _ session: inout ClientSession) throws {
        switch try Message(decoding: plaintext.span) {
        case .payload(let request): _ = try session.sealRequest(request)
        case .shutdown: _ = try session.sealShutdown()
        case .update: throw UnexpectedFrame()
        }
    }

    private struct UnexpectedFrame: Error {}

    private static func bytes(_ value: JSONValue?) -> [UInt8] {
        value?.stringValue.flatMap { Hexadecimal.decode($0) } ?? []
    }
}

/// Everything that can happen to a message in one place.
enum Damage {
    static let tagByteCount = 16
    static let pointByteCount = 65

    /// The message cut at every length, from nothing to all but one byte.
    static func truncations(_ message: [UInt8]) -> [[UInt8]] { message.indices.map { Array(message[..<$0]) } }

    /// The message with every single bit turned over, and where.
    static func bitFlips(_ message: [UInt8]) -> [(byte: Int, message: [UInt8])] {
        message.indices.flatMap { index in
            (0..<8).map { bit in
                var flipped = message
                flipped[index] ^= 1 << bit
                return (index, flipped)
            }
        }
    }
}
