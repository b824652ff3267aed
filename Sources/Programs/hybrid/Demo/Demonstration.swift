import BluetoothLE
import CTAP
import CommandLine
import Cryptography
import HybridProtocol
import HybridTransport
import Logging
import PasskeyAuthenticator
import Synchronization
import TunnelClient
import TunnelService
import UserVerification

/// The tunnel service, the radio and the authenticator of a demonstration.
struct Demonstration: Sendable {
    private let parts: CeremonyParts
    private let authenticator: PasskeyAuthenticator
    private let code: QROption
    private let reporter: Reporter

    /// Starts everything, runs `body`, and shuts everything down again.
    static func with(
        reporter: Reporter,
        code: QROption,
        _ body: (Demonstration) async throws -> Void
    ) async throws {
        let certificate = try LocalCertificate()
        let opener = try trusting(certificate.authorityPEM)
        let identity = TLSIdentity(
            certificateChainPEM: certificate.certificatePEM,
            privateKeyPEM: certificate.privateKeyPEM.span.withUnsafeBufferPointer { Array($0) })
        var logger = Logger(label: "tunnel-service")
        logger.logLevel = .warning
        let running: RunningTunnelService
        do throws(TunnelServiceError) {
            running = try await TunnelService(configuration: .init(security: .tls(identity)), logger: logger).start()
        } catch {
            throw Failure(.failure, error, hint: Hint.report)
        }
        let outcome: Result<Void, any Error>
        do {
            let authenticator = PasskeyAuthenticator(
                store: InMemoryCredentialStore(), approval: AutomaticApproval(claimsVerification: true),
                observer: { event in
                    guard case .approved(operation: _, rpID: _, verified: true) = event else { return }
                    CeremonyLog.note(.userVerified, of: .authenticator)
                    reporter.report(CeremonyEvent.stage(.userVerified), as: .authenticator)
                })
            let demonstration = Demonstration(
                parts: CeremonyParts(
                    radio: RadioBackend.simulated([try await .unused()]), opener: opener,
                    service: .init(address: "wss://localhost:\(running.port)")),
                authenticator: authenticator, code: code, reporter: reporter)
            outcome = .success(try await body(demonstration))
        } catch {
            outcome = .failure(error)
        }
        await running.shutdown()
        try outcome.get()
    }

    /// Runs one ceremony: the client shows its QR code, and the authenticator reads it from there.
    ///
    /// - Returns: the bytes behind the status byte of the answer.
    func ceremony(_ request: CTAPRequest, _ hint: RequestHint) async throws -> [UInt8] {
        let screen = Screen()
        return try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await ask(request, hint, screen) }
            group.addTask {
                try await respond(screen)
                return nil
            }
            // Whichever role fails first ends the other: neither waits for a partner that is gone.
            var answer: [UInt8] = []
            while let finished = try await group.next() { answer = finished ?? answer }
            return answer
        }
    }

    private func ask(_ request: CTAPRequest, _ hint: RequestHint, _ screen: Screen) async throws -> [UInt8] {
        try await reporter.during(.client) { observer in
            let ceremony = try parts.client {
                observer($0)
                if $0 == .stage(.qrShown) { screen.light() }
            }
            return try await ceremony.run(hint: hint, timestamp: secondsSince1970()) { url in
                // A program wants no picture.
                if !reporter.isJSON || code.qr.isForPrograms { try code.show(url, saying: nil, reporter) }
                screen.draw(url)
            } session: { connection in
                try successPayload(of: await connection.send(request.encoded()))
            }
        }
    }

    private func respond(_ screen: Screen) async throws {
        guard let url = await screen.scan() else { throw CancellationError() }
        try await reporter.during(.authenticator) { observer in
            let ceremony = try parts.authenticator(observe: observer)
            let offer = SessionOffer(getInfo: authenticator.getInfo()) { await authenticator.respond(to: $0) }
            _ = try await ceremony.run(Invitation(scanned: url, observe: observer), offer: offer)
        }
    }

    /// A client of the tunnel service that trusts one authority and nothing else.
    private static func trusting(_ authorityPEM: [UInt8]) throws -> TunnelClient {
        var configuration = TunnelClient.Configuration()
        configuration.trustsSystemRoots = false
        configuration.additionalAuthorityTexts = [authorityPEM]
        return try TunnelClient(configuration: configuration)
    }
}

/// The screen of a demonstration: the client draws a QR code on it, and once it is lit the authenticator can scan it.
final class Screen: Sendable {
    private let drawn = Mutex<String?>(nil)
    private let codes: AsyncStream<String>
    private let show: AsyncStream<String>.Continuation

    init() { (codes, show) = AsyncStream.makeStream() }

    /// Puts a code on the screen, which is still dark.
    func draw(_ url: String) { drawn.withLock { $0 = url } }

    /// Makes the drawn code visible.
    func light() {
        guard let url = drawn.withLock({ $0 }) else { return }
        show.yield(url)
        show.finish()
    }

    /// Waits for a code that can be seen; nil if the task is cancelled before.
    func scan() async -> String? { await codes.first { _ in true } }
}
