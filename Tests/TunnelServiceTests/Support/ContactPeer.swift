import Cryptography
import Encodings
import HybridProtocol
import NIOConcurrencyHelpers
import Testing

@testable import TunnelService

extension Handshake {
    /// The name of the host in every request here.
    static let host = "127.0.0.1"
    /// A client payload in hexadecimal.
    static let payload = "a1036267a1"

    /// An authenticator that wants to be woken.
    static let listen = Handshake(path: TunnelPath.listen)

    /// A client that wants an authenticator to be woken.
    static func contact(_ contactID: [UInt8], signal: Bool = true) -> Handshake {
        let request = Handshake(path: TunnelPath.contactPrefix + base64URL(contactID))
            .with("X-caBLE-Client-Payload", payload)
        return signal ? request.with("X-caBLE-Signal-Connection", "true") : request
    }

    /// Base64url without padding.
    static func base64URL(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - UInt8($0)) & 1 } }
        return String(
            stride(from: 0, to: bits.count, by: 6).map { start in
                alphabet[Int((0..<6).reduce(0) { $0 << 1 | (start + $1 < bits.count ? bits[start + $1] : 0) })]
            })
    }
}

/// An authenticator that knows the contact protocol, and breaks it where a test says so.
final class ContactPeer: Sendable {
    let peer: RawPeer
    let key: P256.PrivateKey
    private let state: NIOLockedValueBox<(challenge: [UInt8], contactIDs: [[UInt8]])>

    var challenge: [UInt8] { state.withLockedValue { $0.challenge } }
    var contactIDs: [[UInt8]] { state.withLockedValue { $0.contactIDs } }

    private init(peer: RawPeer, key: consuming P256.PrivateKey, challenge: [UInt8]) {
        self.peer = peer
        self.key = key
        state = NIOLockedValueBox((challenge, []))
    }

    /// A key that several connections may have.
    static func scalar() throws -> [UInt8] {
        let key = try P256.PrivateKey.generate()
        let scalar = try key.scalar()
        return scalar.span.withUnsafeBufferPointer { Array($0) }
    }

    /// Connects, and takes the hello.
    static func connect(_ port: Int, scalar: [UInt8]? = nil) async throws -> ContactPeer {
        let peer = try await RawPeer.connect(port)
        try #require(try await peer.shake(.listen).status == 101)
        guard case .hello(let challenge) = try await ServiceMessage(decoding: peer.message()) else {
            throw Unexpected()
        }
        let scalar = try scalar ?? Self.scalar()
        return ContactPeer(peer: peer, key: try P256.PrivateKey(scalar: scalar.span), challenge: challenge)
    }

    /// Connects and registers.
    static func listening(_ port: Int, labels: [UInt8] = [1], scalar: [UInt8]? = nil) async throws -> ContactPeer {
        let listener = try await connect(port, scalar: scalar)
        try await listener.register(labels)
        return listener
    }

    struct Unexpected: Error {}

    /// A label whose bytes are all the same.
    static func label(_ byte: UInt8) throws -> ContactLabel {
        try #require(ContactLabel([UInt8](repeating: byte, count: ContactLabel.byteCount)))
    }

    func registration(_ labels: [UInt8], listens: Bool = true, host: String = Handshake.host) throws
        -> ContactRegistration
    {
        try ContactRegistration(
            labels: try labels.map(Self.label), listens: listens, host: host, challenge: challenge, key: key)
    }

    /// Registers, and takes the answer.
    func register(_ labels: [UInt8], listens: Bool = true) async throws {
        try await send(.register(try registration(labels, listens: listens)))
        guard case .registered(let contactIDs, let next) = try await message() else { throw Unexpected() }
        state.withLockedValue { $0 = (next, contactIDs) }
    }

    func send(_ message: AuthenticatorMessage) async throws {
        try await peer.send(WireFrame(payload: message.encoded()))
    }

    func message() async throws -> ServiceMessage { try await ServiceMessage(decoding: peer.message()) }

    /// Takes the next message, which must be a wake.
    func wake() async throws -> ServiceMessage.Wake {
        guard case .wake(let wake) = try await message() else { throw Unexpected() }
        return wake
    }

    /// Takes a wake and acknowledges it.
    func wakeAcknowledged() async throws -> ServiceMessage.Wake {
        let wake = try await wake()
        try await send(.acknowledge(tunnelID: wake.tunnelID))
        return wake
    }

    func close() async { await peer.close() }
}

extension ServiceMessage.Wake {
    /// The request with which the authenticator joins.
    var join: Handshake {
        Handshake.connect(Hexadecimal.encode(tunnelID), routingID: Hexadecimal.encode(routingID))
    }
}

/// A service with a contact side for the time of a test, which leaves nothing behind.
func withContactService<Result>(
    limits: TunnelService.Limits = .generous,
    hostNames: [String] = [Handshake.host],
    _ body: (RunningTunnelService) async throws -> Result
) async throws -> Result {
    let secret = SecretBytes.random(count: ContactTokenIssuer.secretByteCount)
    let issuer = try ContactTokenIssuer(secret: secret)
    return try await withService(limits: limits, hostNames: hostNames, contactTokens: issuer, body)
}

extension TunnelService.Limits {
    /// The generous limits with a change.
    static func generous(_ change: (inout Self) -> Void) -> Self {
        var limits = Self.generous
        limits.contactHold = .seconds(60)
        change(&limits)
        return limits
    }
}
