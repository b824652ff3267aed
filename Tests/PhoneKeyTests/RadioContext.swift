import BluetoothLE
import Cryptography
import DesktopAuthenticator
import Foundation
import HybridProtocol
import HybridTransport
import Logging
import PasskeyAuthenticator
import Synchronization
import Testing
import TunnelClient
import TunnelService
import UserVerification

@testable import SecurityKey
@testable import hybrid

/// A phone that can be linked and woken, over a simulated radio and a tunnel service on loopback.
struct RadioContext: Sendable {
    let store = InMemoryCredentialStore()
    private let folder: String
    private let opener: TunnelClient
    private let service: TunnelURL.Service
    private let radio: SimulatedRadioAddress

    private var links: AuthenticatorLinkFile { AuthenticatorLinkFile(path: folder + "/linked-clients") }

    static func with(_ body: (RadioContext) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "phone-key-radio-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let secret = SecretBytes.random(count: ContactTokenIssuer.secretByteCount)
        let running = try await TunnelService(
            configuration: .init(
                port: 0, security: .plain, hostNames: ["127.0.0.1"],
                contactTokens: try ContactTokenIssuer(secret: secret)),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        ).start()
        do {
            try await body(
                RadioContext(
                    folder: folder.path, opener: try TunnelClient(),
                    service: .init(address: "ws://127.0.0.1:\(running.port)"), radio: try await .unused()))
            await running.shutdown()
        } catch {
            await running.shutdown()
            throw error
        }
    }

    private var parts: CeremonyParts {
        CeremonyParts(radio: RadioBackend.simulated([radio]), opener: opener, service: service, limits: .brief)
    }

    /// The way to the phone.
    func hybridPhone(
        _ links: [SharedLink], linkLimit: Duration = .seconds(60), uses: Counter = Counter(),
        show: (@Sendable (String) async throws -> Void)?,
        onLink: (@Sendable (SharedLink) -> Void)? = nil,
        observe: @escaping @Sendable (PhoneKeyEvent) -> Void = { _ in }
    ) -> HybridPhone {
        HybridPhone(
            parts,
            HybridPhone.Setup(
                offersLink: onLink != nil, linkLimit: linkLimit, links: { links },
                noteLink: { if case .linked(let link) = $0 { onLink?(link) } }, noteUse: { _ in uses.count() },
                show: show),
            observe: observe)
    }

    /// Answers a client's QR code, and offers a link to it.
    ///
    /// - Parameter ask: the user's decision about the link.
    func answer(_ url: String, linkIf ask: @escaping @Sendable () async throws -> Bool = { true }) async throws {
        let log = SessionLog { _ in }
        let offerer = LinkOfferer(
            file: links, parts: parts, names: .init(device: "phone") { _ in "laptop" }, log: log, observe: { _ in },
            ask: ask)
        try await CodeAnswerer(
            parts: parts, approval: AutomaticApproval(claimsVerification: true), credentials: nil, offerer: offerer,
            log: log, observe: { _ in }
        ).answer(Invitation(url: url), with: store)
    }

    /// Links this machine with the phone, by a QR code and a passkey.
    func link() async throws -> SharedLink {
        let (urls, shown) = AsyncStream<String>.makeStream()
        let link = Mutex<SharedLink?>(nil)
        let linking = ClientLinking(isOffered: true) { event in
            if case .linked(let made) = event { link.withLock { $0 = made } }
        }
        let client = try parts.client { _ in }
        async let answer = client.run(hint: .makeCredential, linking: linking, show: { shown.yield($0) }) {
            try await $0.send(ProgramRequest.chromium)
        }
        let url = await urls.first { _ in true } ?? ""
        try await self.answer(url)
        #expect(try await answer.first == 0)
        return try #require(link.withLock { $0 })
    }

    /// Ends all links at the phone.
    func revokeLinks() throws {
        for entry in try links.contents()?.entries ?? [] { try links.revoke(entry.linkID) }
    }

    /// Lets the phone be woken while a body runs.
    func listening(
        approval: any UserApproval = AutomaticApproval(claimsVerification: true), _ body: () async throws -> Void
    ) async throws {
        let (registered, note) = AsyncStream<Void>.makeStream()
        let observe: EventListener = {
            if case ContactEvent.registered(let contactIDs) = $0, contactIDs.count == 1 { note.yield() }
        }
        let store = store
        let server = WakeServer(
            file: links, parts: parts,
            consent: .init(asking: AutomaticApproval(claimsVerification: false)) { [$0.link.name] },
            approval: approval, log: SessionLog { _ in }, observe: observe, store: { try await $0(store) })
        let listener = try WakeListener(
            file: links, contents: try #require(try links.contents()), parts: parts, server: server,
            observe: observe)
        let listening = Task { try await listener.run() }
        for await _ in registered { break }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        listening.cancel()
        _ = await listening.result
        try outcome.get()
    }
}

/// Counts.
final class Counter: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }

    func count() { number.withLock { $0 += 1 } }
}

extension TimeLimits {
    /// Limits that a busy machine keeps, and a test can wait for.
    static let brief = TimeLimits(
        discovery: .seconds(60), tunnel: .seconds(60), handshake: .seconds(60), command: .seconds(60),
        idle: .seconds(60))
}
