internal import Cryptography
internal import Glibc
internal import HybridProtocol
internal import HybridTransport
internal import TunnelClient

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
            check(.tunnelName, name), check(.tunnelConnection, connection), check(.tunnelCertificate, certificate),
            check(.tunnelClock, clock), check(.tunnelNew, new), check(.tunnelConnect, connect),
        ]
        return target.wakesOwnPhones ? first : first + [check(.tunnelContact, contact)]
    }

    private func check(_ name: CheckName, _ examine: @escaping @Sendable () async -> CheckResult) -> Check {
        Check(name, for: target.roles, of: target.name, examine)
    }

    @Sendable private func name() async -> CheckResult {
        switch await server.value.name {
        case true?: .fine(.resolves)
        case false?: .broken(.unresolved, .checkName)
        case nil: .broken(.noAnswer, .checkNetwork)
        }
    }

    @Sendable private func connection() async -> CheckResult {
        guard let answer = await server.value.answer else { return .notChecked(.dependsOn(.tunnelName)) }
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
        if answer.isForOtherName { return .broken(.otherName, .checkService) }
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
        guard let answer = server.answer, answer.isConnected else { return .tunnelConnection }
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
