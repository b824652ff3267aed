import BluetoothLE
import CTAP
import Cryptography
import FoundationEssentials
import HybridProtocol
import HybridTransport
import Logging
import PasskeyAuthenticator
import TunnelClient
import TunnelService

/// The tunnel service, the radio and the authenticator of a demonstration, on which ceremonies can be held.
struct DemoStage: Sendable {
    private let service: TunnelURL.Service
    private let opener: TunnelClient
    private let address: SimulatedRadioAddress
    private let authenticator: PasskeyAuthenticator
    private let code: QROption
    private let reporter: Reporter

    /// Sets the stage, runs `body` on it, and takes everything down again.
    static func with(
        reporter: Reporter,
        code: QROption,
        _ body: (DemoStage) async throws -> Void
    ) async throws {
        let certificate = try SelfSignedCertificate()
        let identity = TLSIdentity(
            certificateChainPEM: certificate.certificatePEM,
            privateKeyPEM: certificate.privateKeyPEM.span.withUnsafeBufferPointer { Array($0) })
        var logger = Logger(label: "tunnel-service")
        logger.logLevel = .warning
        let service = TunnelService(configuration: .init(security: .tls(identity)), logger: logger)
        let running = try await service.start()
        do {
            let opener = try trusting(certificate.certificatePEM)
            let authenticator = PasskeyAuthenticator(
                store: InMemoryCredentialStore(), userVerification: AskingNobody(claimsVerification: true),
                observer: { event in
                    if case .approved(operation: _, rpID: _, verified: true) = event {
                        reporter.report(.userVerified, .authenticator)
                    }
                })
            try await body(
                DemoStage(
                    service: .init(address: "wss://localhost:\(running.port)"), opener: opener,
                    address: try await .unused(), authenticator: authenticator, code: code, reporter: reporter))
        } catch {
            await running.shutdown()
            throw error
        }
        await running.shutdown()
    }

    /// Holds one ceremony: the client shows its QR code, and the authenticator reads it from there.
    ///
    /// - Returns: what the authenticator answered after its status byte.
    func ceremony(_ request: CTAPRequest, _ hint: RequestHint) async throws -> [UInt8] {
        let client = ClientCeremony(
            scanner: SimulatedScanner(at: address), opener: opener, service: service,
            observe: reporter.observer(.client))
        let (codes, screen) = AsyncStream<String>.makeStream()
        async let answering: Void = answer(codes)
        do {
            let answer = try await client.run(hint: hint, timestamp: ClientOptions.now()) { url in
                try code.show(url, reporter)
                screen.yield(url)
            } session: { connection in
                try ClientOptions.payload(of: await connection.send(request.encoded()))
            }
            screen.finish()
            try await answering
            return answer
        } catch {
            // The authenticator is not waited for without a client: leaving this scope cancels it.
            screen.finish()
            throw error
        }
    }

    private func answer(_ codes: AsyncStream<String>) async throws {
        let ceremony = AuthenticatorCeremony(
            advertiser: try SimulatedAdvertiser(to: [address]), opener: opener, service: service,
            observe: reporter.observer(.authenticator))
        for await url in codes {
            _ = try await ceremony.run(url: url, getInfo: authenticator.getInfo()) { request in
                await authenticator.respond(to: request)
            }
            return
        }
    }

    /// A client of the tunnel service that trusts one certificate and nothing else.
    private static func trusting(_ certificatePEM: [UInt8]) throws -> TunnelClient {
        let file = FileManager.default.temporaryDirectory.appending(path: "hybrid-demo-\(UUID().uuidString).pem")
        try writeFile(certificatePEM, to: file.path)
        defer { try? FileManager.default.removeItem(at: file) }  // A certificate left behind is only litter.
        var configuration = TunnelClient.Configuration()
        configuration.trustsSystemRoots = false
        configuration.additionalAuthorities = [file.path]
        return try TunnelClient(configuration: configuration)
    }
}
