import BluetoothLE
import CTAP
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

@testable import UserVerification

/// A tunnel service on loopback, a simulated radio, a directory and a record of the agent's events.
struct AgentTestContext: Sendable {
    let folder: String
    let events = EventRecord()
    let opener: TunnelClient
    let service: TunnelURL.Service
    private let radio: SimulatedRadioAddress
    private let running: RunningTunnelService
    private let tokens: ContactTokenIssuer

    /// A request that makes a passkey, after a question.
    static let makeCredential = CTAPRequest.makeCredential(
        MakeCredentialRequest(
            clientDataHash: [UInt8](repeating: 1, count: MakeCredentialRequest.clientDataHashByteCount),
            rp: PublicKeyCredentialRpEntity(id: "example.com", name: "Example"),
            user: PublicKeyCredentialUserEntity(id: [1], name: "alice", displayName: "Alice"),
            parameters: [PublicKeyCredentialParameters(algorithm: .es256)],
            options: RequestOptions(residentKey: true, userVerification: true))
    ).encoded()

    var links: AuthenticatorLinkFile { AuthenticatorLinkFile(path: folder + "/linked-clients") }

    static func with(_ body: (AgentTestContext) async throws -> Void) async throws {
        try await inFolder { folder in
            let secret = SecretBytes.random(count: ContactTokenIssuer.secretByteCount)
            let tokens = try ContactTokenIssuer(secret: secret)
            let running = try await TunnelService(
                configuration: .init(
                    port: 0, security: .plain, hostNames: ["127.0.0.1"], contactTokens: tokens),
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            ).start()
            do {
                try await body(
                    AgentTestContext(
                        folder: folder, opener: try TunnelClient(),
                        service: .init(address: "ws://127.0.0.1:\(running.port)"), radio: try await .unused(),
                        running: running, tokens: tokens))
                await running.shutdown()
            } catch {
                await running.shutdown()
                throw error
            }
        }
    }

    /// Gives the tunnel service another contact secret, beside which it takes the first one or does not.
    func replaceSecret(takingPrevious takesPrevious: Bool) throws {
        let secret = SecretBytes.random(count: ContactTokenIssuer.secretByteCount)
        try running.reload(contactTokens: ContactTokenIssuer(secret: secret, previous: takesPrevious ? tokens : nil))
    }

    /// Holds a session of a client: by a QR code, which `show` gets, and by links.
    func client(
        _ linking: ClientLinking = .none, show: (@Sendable (String) async throws -> Void)? = nil
    ) async throws -> [UInt8] {
        try await parts.client { _ in }.run(hint: .makeCredential, linking: linking, show: show) {
            try await $0.send(Self.makeCredential)
        }
    }

    /// Answers a client's QR code, and offers a link to it.
    func answer(
        _ url: String, with store: any CredentialStore = InMemoryCredentialStore(), approval: any UserApproval,
        log: SessionLog, asking ask: (@Sendable () async throws -> Bool)?
    ) async throws {
        let offerer = LinkOfferer(
            file: links, parts: parts, names: .init(device: "laptop") { _ in "desktop" }, log: log,
            observe: events.note, ask: ask)
        try await CodeAnswerer(
            parts: parts, approval: approval, credentials: nil, offerer: offerer, log: log, observe: events.note
        ).answer(Invitation(url: url), with: store)
    }

    /// Links a client by a QR code.
    ///
    /// - Returns: the client's end of the link; nil if it got none.
    func link(
        with store: any CredentialStore = InMemoryCredentialStore(),
        approval: any UserApproval = ScriptedApproval(.approved(verified: true, account: nil)),
        asking ask: (@Sendable () async throws -> Bool)? = { true }
    ) async throws -> SharedLink? {
        let (urls, shown) = AsyncStream<String>.makeStream()
        let link = Mutex<SharedLink?>(nil)
        let linking = ClientLinking(isOffered: true) { event in
            if case .linked(let made) = event { link.withLock { $0 = made } }
        }
        async let answer = client(linking, show: { shown.yield($0) })
        let log = SessionLog(observe: events.note)
        let url = await urls.first { _ in true } ?? ""
        try await self.answer(url, with: store, approval: approval, log: log, asking: ask)
        _ = try await answer
        return link.withLock { $0 }
    }

    var parts: CeremonyParts {
        CeremonyParts(radio: RadioBackend.simulated([radio]), opener: opener, service: service, limits: .brief)
    }

    var scanner: any AdvertScanner { SimulatedScanner(at: radio) }

    func advertiser() throws -> any Advertiser { try SimulatedAdvertiser(to: [radio]) }

    func server(
        consent: any UserApproval, approval: any UserApproval = AutomaticApproval(claimsVerification: true),
        service: TunnelURL.Service? = nil,
        store: @escaping WakeServer.StoreAccess = { try await $0(InMemoryCredentialStore()) }
    ) throws -> WakeServer {
        var parts = parts
        if let service { parts.service = service }
        return WakeServer(
            file: links, parts: parts, consent: .init(asking: consent) { [$0.link.name] }, approval: approval,
            log: SessionLog(observe: events.note), observe: events.note, store: store)
    }

    /// Listens for wakes while a body runs, from the moment at which the service knows this machine.
    func listening(
        consent: any UserApproval, approval: any UserApproval,
        store: @escaping WakeServer.StoreAccess = { try await $0(InMemoryCredentialStore()) },
        _ body: () async throws -> Void
    ) async throws {
        try await listening(try server(consent: consent, approval: approval, store: store), body)
    }

    /// Has a server answer wakes while a body runs, from the moment at which the service knows this machine.
    func listening(_ server: WakeServer, _ body: () async throws -> Void) async throws {
        let listener = try WakeListener(
            file: links, contents: try #require(try links.contents()), parts: parts, server: server,
            observe: events.note)
        let listening = Task { try await listener.run() }
        defer { listening.cancel() }
        while !events.contains({
            if case ContactEvent.registered(let contactIDs) = $0 { contactIDs.count == 1 } else { false }
        }) {
            try await Task.sleep(for: .milliseconds(5))
        }
        try await body()
        // The client ends the session before the server has noted it.
        while !events.contains({ event in
            switch event {
            case AgentEvent.answered, AgentEvent.wakeFailed, AgentEvent.wake(_, .declined): true
            default: false
            }
        }) { try await Task.sleep(for: .milliseconds(5)) }
        listening.cancel()
        _ = await listening.result
    }
}

/// Runs in a directory of its own.
func inFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hybrid-agent-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.path)
}

/// The events of an agent, in order.
final class EventRecord: Sendable {
    private let events = Mutex<[any Event]>([])

    @Sendable func note(_ event: any Event) { events.withLock { $0.append(event) } }

    var all: [any Event] { events.withLock { $0 } }

    /// The decisions about wakes, each with the name of the client.
    var wakes: [String] {
        all.compactMap { event in
            guard case AgentEvent.wake(let request, let outcome) = event else { return nil }
            return "\(request?.link.name ?? "-") \(outcome)"
        }
    }

    func clear() { events.withLock { $0 = [] } }

    /// The number of events that are so.
    func count(_ isWanted: (any Event) -> Bool) -> Int { all.count(where: isWanted) }

    /// True if one of the events is so.
    func contains(_ isWanted: (any Event) -> Bool) -> Bool { all.contains(where: isWanted) }
}

/// Answers every question alike, once it is allowed to.
final class ScriptedApproval: UserApproval {
    let canVerify = true
    private let answer: ScriptedAnswer
    private let release: AsyncStream<Void>?
    private let asked = Mutex<[ApprovalQuestion]>([])

    init(_ answer: ScriptedAnswer, after release: AsyncStream<Void>? = nil) {
        self.answer = answer
        self.release = release
    }

    var questions: [ApprovalQuestion] { asked.withLock { $0 } }

    func ask(_ question: ApprovalQuestion) async -> Approval {
        asked.withLock { $0.append(question) }
        if let release { for await _ in release { break } }
        return answer.approval(for: question)
    }
}

/// An answer that a test gives to questions.
enum ScriptedAnswer: Sendable, Hashable {
    case approved(verified: Bool, account: Int?)
    case refused(Approval.Refusal)

    static let declined = refused(.declined)
    static let timedOut = refused(.timedOut)

    func approval(for question: ApprovalQuestion) -> Approval {
        switch self {
        case .approved(verified: true, let account):
            .approved(verified: Verified(question, by: .init(rawValue: "test"), at: .now), account: account)
        case .approved(verified: false, let account): .approved(verified: nil, account: account)
        case .refused(let refusal): .refused(refusal)
        }
    }
}

extension TimeLimits {
    /// Limits that a busy machine keeps, and a test can wait for.
    static let brief = TimeLimits(
        discovery: .seconds(60), tunnel: .seconds(60), handshake: .seconds(60), command: .seconds(60),
        idle: .seconds(60))
}
