internal import BluetoothLE
internal import CTAP
internal import Cryptography
internal import HybridProtocol
internal import HybridTransport
internal import Logging
internal import Measuring
internal import NIOCore
internal import NIOPosix
internal import PasskeyAuthenticator
internal import TunnelClient
internal import TunnelService
internal import UserVerification
internal import WebAuthnClient

/// A tunnel service, a radio, an authenticator that holds one passkey, and the relying party that the passkey is for.
struct CeremonyStage {
    /// One event loop for the service, as on another machine, and one for the tunnels of both ends. Chosen by NIO, they
    /// would depend on the number of sockets that were opened before, and the time of an exchange on them.
    private let serviceLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let tunnelLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let running: RunningTunnelService
    private let service: TunnelURL.Service
    private let opener: TunnelClient
    private let address: SimulatedRadioAddress
    private let authenticator: PasskeyAuthenticator
    private let site: RelyingParty
    private let credential: RegisteredCredential

    init(isEncrypted: Bool) async throws {
        var logger = Logger(label: "tunnel-service")
        logger.logLevel = .error
        let (security, trust) = try Self.encryption(isEncrypted)
        running = try await TunnelService(
            configuration: .init(security: security), eventLoopGroup: serviceLoop, logger: logger
        ).start()
        service = .init(address: "\(isEncrypted ? "wss" : "ws")://localhost:\(running.port)")
        opener = try TunnelClient(configuration: trust, eventLoopGroup: tunnelLoop)
        address = try await .unused()
        authenticator = PasskeyAuthenticator(
            store: InMemoryCredentialStore(), approval: AutomaticApproval(claimsVerification: true))
        site = try RelyingParty(id: "example.com")
        credential = try await Self.register(at: site, with: authenticator)
    }

    /// The service's certificate, and the trust of its clients.
    private static func encryption(
        _ isWanted: Bool
    ) throws -> (security: TunnelService.Security, trust: TunnelClient.Configuration) {
        var trust = TunnelClient.Configuration()
        guard isWanted else { return (.plain, trust) }
        let certificate = try LocalCertificate()
        trust.trustsSystemRoots = false
        trust.additionalAuthorityTexts = [certificate.authorityPEM]
        let identity = TLSIdentity(
            certificateChainPEM: certificate.certificatePEM,
            privateKeyPEM: certificate.privateKeyPEM.span.withUnsafeBufferPointer { Array($0) })
        return (.tls(identity), trust)
    }

    private static func register(
        at site: RelyingParty, with authenticator: PasskeyAuthenticator
    ) async throws -> RegisteredCredential {
        let registration = try site.beginRegistration(userName: "alice@example.com")
        let answer = await authenticator.respond(to: CTAPRequest.makeCredential(registration.request).encoded())
        let attestation = try payload(answer)
        return try registration.verify(.init(decoding: attestation.span)).credential
    }

    func shutdown() async throws {
        await running.shutdown()
        for loop in [serviceLoop, tunnelLoop] { try await loop.shutdownGracefully() }
    }

    /// Holds one ceremony: the client shows its QR code, the authenticator reads it from there, and its answer is
    /// verified.
    ///
    /// - Parameter messages: opens the tunnels and notes their messages, if it is there.
    func signIn(noting messages: BareExchange.Recorder? = nil) async throws -> Timeline {
        let opener: any TunnelOpener = messages ?? self.opener
        let recorder = Timeline.Recorder()
        let client = ClientCeremony(
            scanner: SimulatedScanner(at: address), opener: opener, service: service,
            observe: recorder.observer(.client))
        let (codes, screen) = AsyncStream<String>.makeStream()
        async let answering: Void = answer(codes, opener, recorder)
        let signIn = try site.beginSignIn()
        let request = CTAPRequest.getAssertion(signIn.request).encoded()
        let answer = try await client.run(hint: .getAssertion) { url in
            screen.yield(url)
        } session: { connection in
            try await connection.send(request)
        }
        screen.finish()
        try await answering
        let assertion = try payload(answer)
        _ = try signIn.verify(.init(decoding: assertion.span)) { $0 == credential.id ? credential : nil }
        return recorder.finished()
    }

    /// Holds a sign-in, and makes the floor that it is judged by of its messages.
    func bareExchange() async throws -> BareExchange {
        let recorder = BareExchange.Recorder(opener)
        _ = try await signIn(noting: recorder)
        return BareExchange(opener: opener, service: service, messages: recorder.messages)
    }

    private func answer(
        _ codes: AsyncStream<String>, _ opener: any TunnelOpener, _ recorder: Timeline.Recorder
    ) async throws {
        let observer = recorder.observer(.authenticator)
        let ceremony = AuthenticatorCeremony(
            advertiser: try SimulatedAdvertiser(to: [address]), opener: opener, service: service, observe: observer)
        let offer = SessionOffer(getInfo: authenticator.getInfo()) { await authenticator.respond(to: $0) }
        guard let url = await codes.first(where: { _ in true }) else { return }
        let invitation = try Invitation(url: url)
        observer(.stage(.qrScanned))
        _ = try await ceremony.run(invitation, offer: offer)
    }
}

/// The payload behind the status byte of an answer.
private func payload(_ answer: [UInt8]) throws -> [UInt8] {
    guard answer.first == CTAPStatus.ok.rawValue else { throw BenchError("the authenticator refused") }
    return Array(answer.dropFirst())
}

/// The cost of drawing the keys of a ceremony, which is not part of our own share.
enum KeyDrawing {
    /// The client's static key and both ends' ephemeral keys.
    static let keysInCeremony = 3
    private static let draws = 500

    /// The median time of drawing one.
    static func nanoseconds() throws -> Double {
        median(
            try (0..<draws).map { _ in
                var stopwatch = Stopwatch()
                try stopwatch.time { _ = try P256.PrivateKey.generate() }
                return Double(stopwatch.nanoseconds)
            })
    }
}
