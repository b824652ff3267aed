import Cryptography
import DesktopAuthenticator
import Glibc
import HybridProtocol
import HybridTransport
import Synchronization
import TunnelClient

/// The checks of one tunnel service.
struct TunnelChecks: Sendable {
    private static let secondsOfDay: Int64 = 86_400
    /// Certificates that end sooner are told of.
    private static let soon = 7
    /// Differences of the clocks, in seconds: up to the first all is well, beyond the second QR codes count as old.
    private static let tolerances = (fine: 30, usable: 120)

    private let target: TunnelTarget
    private let server: Shared<ServerState>
    private let relay: Shared<RelayState>

    init(_ target: TunnelTarget, _ setup: DoctorSetup) {
        self.target = target
        server = Shared { await ServerState.of(target) }
        relay = Shared { await RelayState.of(target) }
    }

    var checks: [Check] {
        guard target.contact == .yes else {
            return [
                Check(.tunnelName, for: target.roles, of: target.name) { [target] in
                    .notChecked(target.contact == .offline ? .offline : .noServiceGiven)
                }
            ]
        }
        let first = [
            check(.tunnelName, name), check(.tunnelProxy, proxy), check(.tunnelConnection, connection),
            check(.tunnelCertificate, certificate), check(.tunnelClock, clock), check(.tunnelNew, new),
            check(.tunnelConnect, connect),
        ]
        return target.wakesOwnPhones ? first : first + [check(.tunnelContact, contact)]
    }

    private func check(_ name: CheckName, _ examine: @escaping @Sendable () async -> CheckResult) -> Check {
        Check(name, for: target.roles, of: target.name, examine)
    }

    @Sendable private func name() async -> CheckResult {
        let server = await server.value
        if server.proxy != nil { return .notChecked(.nameOfProxy) }
        return switch server.name {
        case true?: .fine(.resolves)
        case false?: .broken(.unresolved, .checkName)
        case nil: .broken(.noAnswer, .checkNetwork)
        }
    }

    @Sendable private func proxy() async -> CheckResult {
        let server = await server.value
        switch server.way {
        case .success(.direct): return .fine(.noProxy)
        case .success(.toThisMachine): return .fine(.noProxyToThisMachine)
        case .success(.excepted): return .fine(.exceptedFromProxy)
        case .success(.through):
            guard let error = server.answer?.error, error.code == .proxyFailed else {
                return .fine(.proxy(from: target.proxies.description))
            }
            return .broken(
                .server(error.code, status: error.httpStatus),
                error.hasUnsupportedProxyScheme ? .useLocalProxy : .checkProxy)
        case .failure: return .broken(.malformedProxy(from: target.proxies.description), .checkProxy)
        }
    }

    @Sendable private func connection() async -> CheckResult {
        guard let answer = await server.value.answer else { return .notChecked(.dependsOn(.tunnelName)) }
        if answer.error?.code == .proxyFailed { return .notChecked(.dependsOn(.tunnelProxy)) }
        if answer.isConnected { return .fine(.connects) }
        return .broken(.server(answer.error?.code ?? .unreachable, status: nil), .checkNetwork)
    }

    @Sendable private func certificate() async -> CheckResult {
        let server = await server.value
        guard let answer = server.answer, answer.isConnected else { return .notChecked(.dependsOn(.tunnelConnection)) }
        guard server.isSecure else { return .notChecked(.noTLS) }
        let now = Int64(time(nil))
        guard let (notBefore, notAfter) = answer.certificate else {
            return .broken(.server(answer.error?.code ?? .tlsFailed, status: nil), .checkService)
        }
        let clockIsWrong = abs(answer.clockDifference ?? 0) > Self.tolerances.usable
        if now > notAfter {
            return .broken(
                .expired(days: Self.days(now - notAfter)), clockIsWrong ? .setClock : .renewCertificate)
        }
        if now < notBefore { return .broken(.notYetValid(days: Self.days(notBefore - now)), .setClock) }
        if answer.isForOtherName { return .broken(.otherName, .signIn) }
        if answer.error?.code == .tlsFailed { return .broken(.untrusted, .trustAuthority) }
        let left = Self.days(notAfter - now)
        return left < Self.soon
            ? .warning(.certificate(daysLeft: left), .renewCertificate) : .fine(.certificate(daysLeft: left))
    }

    private static func days(_ seconds: Int64) -> Int { Int(clamping: seconds / secondsOfDay) }

    @Sendable private func clock() async -> CheckResult {
        guard let answer = await server.value.answer, answer.isConnected else {
            return .notChecked(.dependsOn(.tunnelConnection))
        }
        guard let difference = answer.clockDifference else { return .notChecked(.noDate) }
        let observation = CheckObservation.clock(seconds: Int(clamping: difference))
        switch abs(Int(clamping: difference)) {
        case ...Self.tolerances.fine: return .fine(observation)
        case ...Self.tolerances.usable: return .warning(observation, .setClock)
        default: return .broken(observation, .setClock)
        }
    }

    /// The check that keeps tunnels from being opened; nil if none does.
    private func obstacle() async -> CheckName? {
        let server = await server.value
        guard server.name == true else { return .tunnelName }
        guard let answer = server.answer, answer.isConnected else {
            return server.answer?.error?.code == .proxyFailed ? .tunnelProxy : .tunnelConnection
        }
        return answer.error?.code == .tlsFailed ? .tunnelCertificate : nil
    }

    @Sendable private func new() async -> CheckResult {
        if let obstacle = await obstacle() { return .notChecked(.dependsOn(obstacle)) }
        switch await relay.value.new {
        case .success(let time): return .fine(.opened(milliseconds: time))
        case .failure(let error):
            return .broken(.server(error.code, status: error.httpStatus), .checkService)
        }
    }

    @Sendable private func connect() async -> CheckResult {
        if let obstacle = await obstacle() { return .notChecked(.dependsOn(obstacle)) }
        let relay = await relay.value
        guard case .success = relay.new else { return .notChecked(.dependsOn(.tunnelNew)) }
        switch relay.connected {
        case .success(let time):
            return .fine(.relayed(milliseconds: time, unknownTunnel: relay.unknownTunnelStatus))
        case .failure(let error):
            return error.code == .framingViolation
                ? .broken(.notRelayed, .checkService)
                : .broken(.server(error.code, status: error.httpStatus), .checkService)
        }
    }

    @Sendable private func contact() async -> CheckResult {
        if let obstacle = await obstacle() { return .notChecked(.dependsOn(obstacle)) }
        do throws(DataChannelError) {
            return try await ContactProbe.hasContactSide(target)
                ? .fine(.contactSide) : .warning(.noContactSide, .addContactSide)
        } catch {
            return .warning(.server(error.code, status: error.httpStatus), .checkService)
        }
    }
}

/// State of a tunnel service's server before any tunnel.
struct ServerState: Sendable {
    /// The way to it; the error of a proxy whose address is malformed.
    let way: Result<ProxySettings.Way, DataChannelError>
    /// True if the name has an address, or is for a proxy to resolve; nil if there was no answer in time.
    let name: Bool?
    /// The answer of the server; nil without an address.
    let answer: TunnelServerProbe.Answer?
    let isSecure: Bool

    /// The longest time for a name.
    private static let nameLimit = Duration.seconds(5)

    /// The proxy to it; nil without one.
    var proxy: Proxy? { try? way.get().proxy }

    static func of(_ target: TunnelTarget) async -> Self {
        let probe: TunnelServerProbe
        do throws(DataChannelError) {
            probe = try TunnelServerProbe(
                target.service.base, authorityFiles: target.authorityFiles, proxies: target.proxies)
        } catch {
            return Self(way: .success(.direct), name: false, answer: nil, isSecure: true)
        }
        let way: Result<ProxySettings.Way, DataChannelError>
        do throws(DataChannelError) { way = .success(try probe.way) } catch { way = .failure(error) }
        let proxy = try? way.get().proxy
        let name = proxy == nil ? await within(nameLimit) { await probe.resolves() } ?? nil : true
        return Self(
            way: way, name: name, answer: name == true ? await probe.answer() : nil, isSecure: probe.isSecure)
    }
}

/// Looks for the side of a tunnel service over which linked clients wake authenticators (TS-CON-1, TS-CON-8).
enum ContactProbe {
    private static let limit = Duration.seconds(4)
    private static let notFound = 404

    /// True if the service has a contact side.
    ///
    /// - Throws: ``DataChannelError`` if it does not behave as either kind does.
    static func hasContactSide(_ target: TunnelTarget) async throws(DataChannelError) -> Bool {
        let outcome = await within(limit) { () -> Result<Bool, DataChannelError> in
            do throws(DataChannelError) { return .success(try await look(target)) } catch { return .failure(error) }
        }
        guard let outcome else { throw DataChannelError(.timeout, reason: "no answer in time") }
        return try outcome.get()
    }

    private static func look(_ target: TunnelTarget) async throws(DataChannelError) -> Bool {
        let opened: OpenedTunnel
        do throws(DataChannelError) {
            opened = try await target.opener.open(.listen(at: target.service))
        } catch {
            guard error.httpStatus == notFound else { throw error }
            return false
        }
        let message: Result<[UInt8], DataChannelError>
        do throws(DataChannelError) {
            message = .success(try await opened.channel.receive())
        } catch {
            message = .failure(error)
        }
        await opened.channel.close()
        guard case .hello? = try? ServiceMessage(decoding: message.get()) else {
            throw DataChannelError(.framingViolation, reason: "the service sent no hello")
        }
        return true
    }
}

/// A tunnel that was opened and joined, and the message that went through it.
struct RelayState: Sendable {
    /// Milliseconds until the tunnel was open.
    private(set) var new: Result<Int, DataChannelError> = .failure(timeout)
    /// Milliseconds until a message had gone from the client's end to the authenticator's.
    private(set) var connected: Result<Int, DataChannelError> = .failure(timeout)
    /// The status that the service has for a tunnel that is not there; nil if it has none.
    private(set) var unknownTunnelStatus: Int?

    private static let limit = Duration.seconds(4)
    private static let timeout = DataChannelError(.timeout, reason: "no answer in time")
    /// Bytes of the message that goes through the tunnel; an initiator's handshake message has as many or more.
    private static let messageByteCount = 64

    /// The state when the time is over, or when nothing more comes.
    private final class Progress: Sendable {
        private let state = Mutex(RelayState())

        var value: RelayState { state.withLock { $0 } }

        func note(_ change: (inout RelayState) -> Void) { state.withLock { change(&$0) } }
    }

    static func of(_ target: TunnelTarget) async -> Self {
        let progress = Progress()
        _ = await within(limit) { await examine(target, progress) }
        return progress.value
    }

    private static func examine(_ target: TunnelTarget, _ progress: Progress) async {
        let begin = ContinuousClock.now
        do throws(DataChannelError) {
            let id = TunnelID.random()
            let opened = try await target.opener.open(TunnelRequest(.new(id, at: target.service)))
            progress.note { $0.new = .success(milliseconds(since: begin)) }
            await join(opened, id, target, progress)
            let status = await statusOfUnknown(opened, target)
            progress.note { $0.unknownTunnelStatus = status }
            await opened.channel.close()
        } catch {
            if error.code != .cancelled { progress.note { $0.new = .failure(error) } }
        }
    }

    /// Joins the tunnel as the client does, and sends a message.
    private static func join(
        _ opened: OpenedTunnel, _ id: TunnelID, _ target: TunnelTarget, _ progress: Progress
    ) async {
        let begin = ContinuousClock.now
        var joined: OpenedTunnel?
        do throws(DataChannelError) {
            let tunnel = try await target.opener.open(
                TunnelRequest(.connect(id, routingID: try routingID(of: opened), at: target.service)))
            joined = tunnel
            let message = randomBytes(count: messageByteCount)
            try await tunnel.channel.send(message)
            guard try await opened.channel.receive() == message else {
                throw DataChannelError(.framingViolation, reason: "another message came out")
            }
            progress.note { $0.connected = .success(milliseconds(since: begin)) }
        } catch {
            if error.code != .cancelled { progress.note { $0.connected = .failure(error) } }
        }
        await joined?.channel.close()
    }

    private static func statusOfUnknown(_ opened: OpenedTunnel, _ target: TunnelTarget) async -> Int? {
        do throws(DataChannelError) {
            let request = TunnelRequest(
                .connect(.random(), routingID: try routingID(of: opened), at: target.service))
            try await target.opener.open(request).channel.close()
            return nil
        } catch {
            return error.httpStatus
        }
    }

    private static func routingID(of opened: OpenedTunnel) throws(DataChannelError) -> RoutingID {
        guard let header = opened.routingIDHeader, let id = try? RoutingID(hex: header) else {
            throw DataChannelError(.upgradeRefused, reason: "the service names no routing ID")
        }
        return id
    }

    private static func milliseconds(since begin: ContinuousClock.Instant) -> Int {
        let (seconds, attoseconds) = (ContinuousClock.now - begin).components
        return Int(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
