import BluetoothLE
import Encodings
import HybridProtocol
import HybridTransport
import Synchronization
import Testing

@testable import Conformance

/// Observation of a quirk in a session with an emulated client: the test is authenticator and tunnel service.
struct ClientObservation: Sendable {
    /// The view of the test's authenticator.
    let script: @Sendable (ClientMeeting) async throws -> String
    /// True to look at the client's report of the session, in place of that.
    var asksClient = false

    /// The observation of a client with these quirks.
    func of(_ quirks: Set<ClientQuirk>) async throws -> String {
        let radio = try await SimulatedRadioAddress.unused()
        return try await WireListener.with(host: "127.0.0.1", port: 0, tls: nil) { listener in
            let service = try ServiceSettings(
                isSecure: false, host: "127.0.0.1", port: UInt16(listener.port), authorities: [], timeout: .seconds(20))
            let client = EmulatedClient(quirks, scanner: SimulatedScanner(at: radio), service: service)
            let codes = Mailbox<String>()
            return try await withThrowingTaskGroup(of: String?.self) { group in
                group.addTask {
                    do { _ = try await client.ask(EmulatedClient.makeCredential()) { codes.put($0) } } catch {
                        return asksClient ? (error as? EmulationError)?.reason ?? "\(error)" : nil
                    }
                    return asksClient ? "well" : nil
                }
                group.addTask {
                    let code = try ScannedCode(url: try #require(try await codes.next()))
                    let seen = try await script(ClientMeeting(code: code, radio: radio, listener: listener))
                    return asksClient ? nil : seen
                }
                defer { group.cancelAll() }
                while let seen = try await group.next() { if let seen { return seen } }
                return "ended"
            }
        }
    }

    private static func code(_ key: CBORValue) -> Self {
        Self { $0.code.map[key]?.diagnostic() ?? "none" }
    }

    /// The observation of each quirk, and its result where the quirk is.
    static func noticing(_ quirk: ClientQuirk) -> (observation: Self, shows: String) {
        switch quirk {
        case .linkingFalse: (code(InvitationKey.linking), "false")
        case .linkingAbsent: (code(InvitationKey.linking), "none")
        case .noChannelList: (code(InvitationKey.channels), "none")
        case .noHint: (code(InvitationKey.hint), "none")
        case .advertsOf20Bytes:
            (Self { try await $0.arrival(suffixFirst: true).head.path.contains("/020202/") ? "20" : "24" }, "20")
        case .lowerCaseTunnel:
            (
                Self {
                    let path = try await $0.arrival().head.path
                    return "\(path == path.lowercased())"
                }, "true"
            )
        case .typeBeforePadding:
            (
                Self { meeting in
                    let session = try await meeting.session()
                    try await session.send(ClientTestContext.firstMessage.encoded())
                    return "\(try await meeting.rawRequest(session) % 32)"
                }, "17"
            )
        case .noShutdown:
            (
                Self { meeting in
                    let session = try await meeting.answered()
                    do { return try await session.next() == [0] ? "shutdown" : "other" } catch is WebSocketEnd.Closed {
                        return "closed"
                    }
                }, "closed"
            )
        case .shutdownIsAnError:
            (
                Self(
                    script: { meeting in
                        let session = try await meeting.answered()
                        try await session.send(0)
                        await session.socket.close()
                        return ""
                    }, asksClient: true), "the authenticator sends a shutdown"
            )
        case .requestFirst:
            (
                Self { meeting in
                    let session = try await meeting.session()
                    return await (try? within(.seconds(5), "a request") { try await session.next() }) == nil
                        ? "waits" : "asks"
                }, "asks"
            )
        }
    }
}

/// A client that has shown its code.
struct ClientMeeting: Sendable {
    let code: ScannedCode
    let radio: SimulatedRadioAddress
    let listener: WireListener

    /// Two adverts, of which the first may have a suffix: which one brings the client says its routing ID.
    func arrival(suffixFirst: Bool = false) async throws -> PendingRequest {
        try await arrivals(suffixFirst).0
    }

    private func arrivals(_ suffixFirst: Bool) async throws -> (PendingRequest, plaintext: [UInt8]) {
        let plaintexts = [[UInt8]](arrayLiteral: plaintext(1), plaintext(2))
        let sealed = try plaintexts.map { try code.secret.seal(advert: $0) }
        let adverts = [
            TestAdvert(data: sealed[0] + (suffixFirst ? ClientTestContext.suffix(130) : [])),
            TestAdvert(data: sealed[1]),
        ]
        let transmitter = AdvertTransmitter(radio: .simulated(radio), record: CaseRecord())
        let request = try await transmitter.send(adverts) {
            try await ClientTestContext.request(on: listener.accept(), timeout: .seconds(30))
        }
        return (request, plaintexts[request.head.path.contains("/010101/") ? 0 : 1])
    }

    private func plaintext(_ byte: UInt8) -> [UInt8] { [0] + randomBytes(count: 10) + [byte, byte, byte, 0, 0] }

    /// Shakes hands.
    func session() async throws -> TunnelSession {
        let (request, plaintext) = try await arrivals(false)
        let socket = try await request.answer(UpgradeResponse(routingID: nil))
        let (response, keys) = try AuthenticatorHandshake.answer(
            try await socket.message(), client: code.publicKey, presharedKey: code.secret.presharedKey(plaintext))
        await socket.send(response)
        return TunnelSession(socket, keys, asClient: false, timeout: .seconds(30))
    }

    /// A session in which the request was answered.
    func answered() async throws -> TunnelSession {
        let session = try await session()
        try await session.send(ClientTestContext.firstMessage.encoded())
        _ = try await session.next(1, "its request")
        try await session.send(1, [0, 0xA0])
        return session
    }

    /// The length of the frame of a request, in bytes.
    func rawRequest(_ session: TunnelSession) async throws -> Int {
        _ = try await session.next()
        return await session.frames[0].count
    }
}
