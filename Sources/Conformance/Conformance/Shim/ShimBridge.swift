internal import BluetoothLE
internal import CTAP
internal import Encodings
internal import HybridProtocol
internal import HybridTransport
internal import PasskeyAuthenticator
internal import Synchronization

/// A shim's radio and tunnel: its lines become adverts and a WebSocket, so that the cases for whole programs are
/// those for shims.
struct ShimBridge: Sendable {
    let task: ShimTask
    /// The text of the code that an authenticator scans.
    let url: String?
    let values: CommandTemplate.Values
    let record: CaseRecord

    private typealias End = PeerProgram.End

    /// Talks with a shim to its end. Its faults are noted in the case's record.
    ///
    /// - Parameter output: gets the text of a client's code.
    /// - Returns: the end that it has announced; nil if it has not.
    func run(_ pipe: ShimPipe, _ output: @escaping @Sendable (String) -> Void) async -> PeerProgram.End? {
        do {
            let radio = try SimulatedRadioAddress(parsing: values.radio.dropFirst(Self.radioPrefix.count))
            guard task != .authenticate else {
                return try await ShimSession(self, pipe, radio, output).run(hearing: nil)
            }
            return try await SimulatedScanner(at: radio).scan { adverts in
                try await ShimSession(self, pipe, radio, output).run(hearing: adverts)
            }
        } catch {
            note(error)
            return error is CancellationError ? nil : .signalled(Self.killed)
        }
    }

    /// Notes an error as the shim's fault, unless it is only that the case is over.
    fileprivate func note(_ error: any Error) {
        if !(error is CancellationError) { record.note(shimFault: "\(error)") }
    }

    private static let radioPrefix = "udp:"
    private static let killed: Int32 = 9
}

/// A conversation with a shim that plays a role.
private final class ShimSession: Sendable {
    /// The state of its tunnel.
    private enum Tunnel: Sendable {
        case none, opening, ended
        case open(WebSocketEnd)
    }

    private let bridge: ShimBridge
    private let pipe: ShimPipe
    private let radio: SimulatedRadioAddress
    private let output: @Sendable (String) -> Void
    private let tunnel = Mutex(Tunnel.none)
    private let adverts = Mailbox<[UInt8]>()
    private let authenticator = PasskeyAuthenticator.approvingAll()

    private static let urlPrefix = "wss://"
    private static let longestURL = 8_192
    /// More adverts than one case sends.
    private static let mostAdverts = 1_000

    init(
        _ bridge: ShimBridge, _ pipe: ShimPipe, _ radio: SimulatedRadioAddress,
        _ output: @escaping @Sendable (String) -> Void
    ) {
        (self.bridge, self.pipe, self.radio, self.output) = (bridge, pipe, radio, output)
    }

    /// Talks until the shim says that it has ended, or writes no more.
    ///
    /// - Parameter heard: the adverts for a client.
    func run(hearing heard: ReceivedAdverts?) async throws -> PeerProgram.End? {
        guard let first = try await pipe.next() else { return nil }
        guard case .hello(let hello) = first else { throw pipe.fault("\(first.type) comes before hello") }
        start()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            if let heard {
                group.addTask { try await self.passOn(heard) }
            } else {
                group.addTask { try await self.advertise() }
            }
            do {
                return try await follow(hello, isHearing: heard != nil, &group)
            } catch {
                // Before its tunnel ends with the group: the case would take that for the implementation's doing.
                bridge.note(error)
                throw error
            }
        }
    }

    /// Carries out its lines.
    private func follow(
        _ hello: ShimHello, isHearing: Bool, _ group: inout ThrowingTaskGroup<Void, any Error>
    ) async throws -> PeerProgram.End? {
        var hasCode = false
        while let line = try await pipe.next() {
            switch line {
            case .qr(let text) where isHearing && !hasCode:
                hasCode = true
                output(text + "\n")
            case .open(let url):
                let (host, path) = try parts(of: url)
                try begin()
                group.addTask { await self.relay(host, path) }
            case .advert(let data) where !isHearing:
                guard (1...SimulatedAdvertiser.longestServiceData).contains(data.count) else {
                    throw pipe.fault("an advert of \(data.count) bytes fits no radio")
                }
                adverts.put(data)
            case .message(let data): try await send(data)
            case .closed: await close()
            case .ctap(let request) where !isHearing && !hello.features.contains(.ctap) && !request.isEmpty:
                let parameters = request.count > 1 ? CanonicalForm.of(Array(request.dropFirst())) : []
                let answer = await authenticator.respond(to: request.prefix(1) + parameters)
                pipe.send("ctap", [("data", .hex(answer))])
            case .end(let isGood, let reason):
                await close()
                return .said(isGood: isGood, reason: reason)
            default: throw pipe.fault("\(line.type) is out of place")
            }
        }
        return nil
    }

    private func start() {
        guard bridge.task != .authenticate else {
            return pipe.send("start", [("role", "authenticator"), ("qr", .string(bridge.url ?? ""))])
        }
        let request = AuthenticatorTestContext.makeCredential()
        pipe.send(
            "start", [("role", "client"), ("task", .string(bridge.task.rawValue)), ("request", .hex(request))])
    }

    /// Passes adverts on, each once.
    private func passOn(_ heard: ReceivedAdverts) async throws {
        var known: Set<[UInt8]> = []
        for try await advert in heard where known.count < Self.mostAdverts {
            guard known.insert(advert.serviceData).inserted else { continue }
            pipe.send("advert", [("data", .hex(advert.serviceData))])
        }
    }

    /// Repeats the last advert.
    private func advertise() async throws {
        let advertiser = try SimulatedAdvertiser(to: [radio])
        var next = try await adverts.next()
        while let data = next {
            next = try await advertiser.advertise(data) { [adverts] in try await adverts.next() }
        }
    }

    /// Host and path of the tunnel's URL.
    private func parts(of url: String) throws -> (host: String, path: String) {
        let rest = url.dropFirst(Self.urlPrefix.count)
        guard url.hasPrefix(Self.urlPrefix), url.utf8.count <= Self.longestURL,
            url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let slash = rest.firstIndex(of: "/"),
            slash > rest.startIndex
        else { throw pipe.fault("\(ShimFault.shown(url)) is not the URL of a tunnel, wss://HOST/PATH") }
        return (String(rest[..<slash]), String(rest[slash...]))
    }

    private func begin() throws {
        let isFree = tunnel.withLock { tunnel in
            switch tunnel {
            case .none, .ended:
                tunnel = .opening
                return true
            case .opening, .open: return false
            }
        }
        guard isFree else { throw pipe.fault("open is out of place: it has a tunnel") }
    }

    /// Asks for a tunnel, and passes on its messages.
    private func relay(_ host: String, _ path: String) async {
        let target = WireTarget(host: "127.0.0.1", port: bridge.values.port, tls: nil)
        guard let connection = try? await WireConnection.connect(to: target) else { return ended() }
        await connection.send(ServiceRequest(path: path, authority: host).bytes)
        guard let bytes = try? await connection.takeHead(), let head = try? AnswerHead(bytes) else {
            await connection.close()
            return ended()
        }
        guard head.status == 101 else {
            tunnel.withLock { $0 = .ended }
            await connection.close()
            return pipe.send("refused", [("status", .integer(head.status))])
        }
        let end = WebSocketEnd(connection: connection, side: .client)
        tunnel.withLock { $0 = .open(end) }
        let routingID = head[UpgradeResponse.routingIDField].first.map { JSONValue.string($0) }
        pipe.send("opened", [("routing_id", routingID ?? .null)])
        var code: UInt16?
        do {
            while true { pipe.send("message", [("data", .hex(try await end.message()))]) }
        } catch {
            code = (error as? WebSocketEnd.Closed)?.code
        }
        await connection.close()
        ended(code)
    }

    /// Tells that there is no tunnel any more.
    private func ended(_ code: UInt16? = nil) {
        tunnel.withLock { $0 = .ended }
        pipe.send("closed", [("code", code.map { .integer($0) } ?? .null)], mustArrive: false)
    }

    private func send(_ message: [UInt8]) async throws {
        switch tunnel.withLock({ $0 }) {
        case .open(let end): await end.send(message)
        // It may have been sent before it was known.
        case .ended: break
        case .none, .opening: throw pipe.fault("message is out of place: there is no tunnel yet")
        }
    }

    private func close() async {
        let end = tunnel.withLock { tunnel -> WebSocketEnd? in
            guard case .open(let end) = tunnel else { return nil }
            tunnel = .ended
            return end
        }
        await end?.close()
    }
}
