import Cryptography
import HybridProtocol
import HybridTransport
import Logging
import Synchronization
import TunnelClient
import TunnelService

/// A tunnel service on loopback that can be killed and started again, and the requirements of a listener at it.
final class ContactTestContext: Sendable {
    private let tokens: ContactTokenIssuer
    private let running = Mutex<RunningTunnelService?>(nil)
    private let scalar: [UInt8]
    let port: Int
    let opener: any TunnelOpener
    /// The links that a listener lists; nil if they cannot be read.
    let links = Mutex<[LinkID]?>([])
    /// The contact IDs that clients have.
    let issued = Mutex<[LinkID: ContactID]>([:])

    private init(_ tokens: ContactTokenIssuer, _ service: RunningTunnelService) throws {
        self.tokens = tokens
        port = service.port
        running.withLock { $0 = service }
        let key = try P256.PrivateKey.generate()
        let scalar = try key.scalar()
        self.scalar = scalar.span.withUnsafeBufferPointer { Array($0) }
        opener = try TunnelClient()
    }

    struct LinksLost: Error {}

    /// A context for the time of a test.
    static func with<Value>(_ body: (ContactTestContext) async throws -> Value) async throws -> Value {
        let secret = SecretBytes.random(count: ContactTokenIssuer.secretByteCount)
        let tokens = try ContactTokenIssuer(secret: secret)
        let context = try ContactTestContext(tokens, try await start(tokens, port: 0))
        do {
            let result = try await body(context)
            await context.stop()
            return result
        } catch {
            await context.stop()
            throw error
        }
    }

    private static func start(_ tokens: ContactTokenIssuer?, port: Int) async throws -> RunningTunnelService {
        try await TunnelService(
            configuration: .init(
                port: port, security: .plain, hostNames: ["127.0.0.1"], contactTokens: tokens),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        ).start()
    }

    func stop() async { await running.withLock { $0.take() }?.shutdown() }

    /// Starts again at the same port, with the same contact secret or without a contact side.
    func startAgain(withContacts: Bool = true) async throws {
        let service = try await Self.start(withContacts ? tokens : nil, port: port)
        running.withLock { $0 = service }
    }

    /// Starts again at the same port, with another contact secret.
    func startAgain(takingPrevious takesPrevious: Bool) async throws {
        let secret = SecretBytes.random(count: ContactTokenIssuer.secretByteCount)
        let tokens = try ContactTokenIssuer(secret: secret, previous: takesPrevious ? tokens : nil)
        let service = try await Self.start(tokens, port: port)
        running.withLock { $0 = service }
    }

    var service: TunnelURL.Service { TunnelURL.Service(address: "ws://127.0.0.1:\(port)") }

    func key() throws -> P256.PrivateKey {
        let scalar = scalar
        return try P256.PrivateKey(scalar: scalar.span)
    }

    /// A listener that reconnects quickly.
    func listener(_ opener: (any TunnelOpener)? = nil, wakes: Int = 30) throws -> ContactListener {
        var limits = ContactListener.Limits.standard
        limits.firstWait = .milliseconds(100)
        limits.longestWait = .milliseconds(500)
        limits.wakes = wakes
        return ContactListener(key: try key(), service: service, opener: opener ?? self.opener, limits: limits) {
            [self] in
            guard let links = links.withLock({ $0 }) else { throw LinksLost() }
            let issued = issued.withLock { $0 }
            return links.map { ContactLink($0, contactID: issued[$0]) }
        }
    }

    /// Runs a listener beside `body`, and gives how it ended once it is cancelled.
    @discardableResult
    static func running(
        _ listener: ContactListener, _ body: (inout AsyncStream<ContactEvent>.Iterator) async throws -> Void
    ) async throws -> DataChannelError? {
        let run = Task { () async -> DataChannelError? in
            do throws(DataChannelError) { try await listener.run() } catch { return error }
            return nil
        }
        var events = listener.events.makeAsyncIterator()
        do {
            try await body(&events)
        } catch {
            run.cancel()
            _ = await run.value
            throw error
        }
        run.cancel()
        return await run.value
    }

    /// The outcome of a client's request.
    func client(_ contactID: ContactID) -> Task<Result<OpenedTunnel, DataChannelError>, Never> {
        Task { [self] in
            do throws(DataChannelError) {
                let headers = ContactHeaders(clientPayload: [0xA0]).fields
                return .success(
                    try await opener.open(TunnelRequest(.contact(contactID, at: service), headers: headers)))
            } catch {
                return .failure(error)
            }
        }
    }
}

extension AsyncStream<ContactEvent>.Iterator {
    struct Ended: Error {}

    /// The next registration.
    mutating func registered(isolation: isolated (any Actor)? = #isolation) async throws -> [LinkID: ContactID] {
        while let event = await next(isolation: isolation) {
            if case .registered(let contactIDs) = event { return contactIDs }
        }
        throw Ended()
    }

    /// The next wake.
    mutating func wake(isolation: isolated (any Actor)? = #isolation) async throws -> ContactWake {
        while let event = await next(isolation: isolation) {
            if case .wake(let wake) = event { return wake }
        }
        throw Ended()
    }

    /// The next refusal.
    mutating func refusal(isolation: isolated (any Actor)? = #isolation) async throws -> ContactRefusal {
        while let event = await next(isolation: isolation) {
            if case .refused(let refusal) = event { return refusal }
        }
        throw Ended()
    }

    /// The next loss of the connection.
    mutating func reconnecting(isolation: isolated (any Actor)? = #isolation) async throws -> DataChannelError {
        while let event = await next(isolation: isolation) {
            if case .reconnecting(_, let cause) = event { return cause }
        }
        throw Ended()
    }
}
