import ArgumentParser
import CommandLine
import Dispatch
import HybridProtocol
import LinuxSupport
import Logging
import TunnelService
import UnixSignals

/// The server between the two roles.
struct TunnelServiceCommand: Program {
    static let configuration = CommandConfiguration(
        commandName: "hybrid-tunnel-service",
        summary: Abstract.tunnelService,
        details: """
            example:
              hybrid-tunnel-service --dev
              hybrid-tunnel-service --listen 0.0.0.0:443 \\
                --certificate cert.pem --key key.pem

            --dev is for trying things out on this machine: it makes a certificate and prints the commands of a client \
            and an authenticator that use it.

            With --contact-secret, authenticators can stay connected, and linked clients can wake them. That file \
            holds all that the service remembers of links: keep it, and keep a copy. With another secret every client \
            forgets its links. If others may know the secret, move the file, give it as --previous-contact-secret, and \
            let the service make a new one: links of both secrets work, and new links use the new one. Once the \
            previous secret is no longer given, clients in time forget the links that were made with it.

            After SIGTERM the service opens no more tunnels, and lets open ones be joined and finish; a second SIGTERM \
            ends them. SIGHUP reloads the certificate, the key and the contact secrets, and ends no tunnel. The \
            service notifies systemd when it listens, reloads and stops (Type=notify), and that it is alive \
            (WatchdogSec=). Logs never name tunnels or addresses.

            With --plain the service listens on loopback only. A proxy that terminates TLS in front of it \
            (--behind-proxy) should pass on the address of each client by the PROXY protocol, version 2. Give the \
            proxy's address as --trusted-proxy: the service may then listen on any address, and accepts only \
            connections from the proxy that begin with such a header. Without --trusted-proxy the service has no \
            per-address limits, and the proxy must limit each client.

            A rate n/seconds allows n at once, and then one more each time that many seconds have passed.

            `check` asks a running service whether it is ready. `hybrid tunnel-service` is this program. \
            `hybrid-tunnel-service help exit-codes` explains the exit codes.
            """,
        version: Version.version,
        subcommands: [CheckCommand.self])

    @OptionGroup(title: OptionTitle.service) var service: ServiceOptions
    @OptionGroup(title: OptionTitle.nodes) var nodes: NodeOptions
    @OptionGroup(title: OptionTitle.limits) var limits: ServiceLimitOptions
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions

    static let isService = true

    func run() async throws {
        try service.check()
        let reporter = output.reporter()
        try await runCommand(reporter) { try await serve(reporter) }
    }

    private func serve(_ reporter: Reporter) async throws {
        var logger = Logger(label: "tunnel-service")
        logger.logLevel = service.logLevel
        // From before the service listens: until then the signal ends the process.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let development = try service.dev ? DevelopmentService() : nil
        if let certificate = service.certificate { try FileCheck.readable(certificate, option: "--certificate") }
        if let key = service.key { try FileCheck.readable(key, option: "--key") }
        let configuration = try configuration(service.identity ?? development?.identity, reporter)
        let running = try await TunnelService(configuration: configuration, logger: logger).start()
        let host = running.host.contains(":") ? "[\(running.host)]" : running.host
        let url = "\(service.plain ? "ws" : "wss")://\(host):\(running.port)"
        let certificate = try development?.writeCertificate(port: running.port)
        // The admin address's port, if it has one; with --dev the file of the certificate to trust.
        reporter.write(
            Line(
                "listening",
                ["url": url, "port": running.port, "admin": running.adminPort, "certificate": certificate]),
            orSay: "listening on \(url)")
        if let certificate, !output.json {
            reporter.show(try DevelopmentService.commands(port: running.port, certificate: certificate).localized)
        }
        ServiceManager.tell(.ready)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await reload(running, at: hangups, reporter) }
            group.addTask { await watch(running) }
            await cancellation()
            group.cancelAll()
        }
        ServiceManager.tell(.stopping)
        reporter.say("shutting down; tunnels have \(service.drain) s, or until a second signal")
        // In tasks of their own: ours is cancelled, which the tunnels must not feel.
        let watching = Task { await watch(running) }
        await Task { await running.shutdown(drain: .seconds(service.drain)) }.value
        watching.cancel()
    }

    private func configuration(
        _ identity: TLSIdentity?, _ reporter: Reporter
    ) throws -> TunnelService.Configuration {
        let socket = try service.listen == .systemd ? Self.passedSocket() : nil
        let address =
            if case .address(let address) = service.listen {
                address
            } else {
                try ServiceOptions.address(parsing: DevelopmentService.address)
            }
        // Before anything is made.
        let bus = try nodes.bus(for: service.routingID)
        let security =
            identity.map { TunnelService.Security.tls($0) } ?? (service.behindProxy ? .plainBehindProxy : .plain)
        var configuration = TunnelService.Configuration(
            host: address.host, port: Int(address.port ?? 0), security: security, routingID: service.routingID,
            hostNames: service.hostName, contactTokens: try contactTokens(reporter),
            trustedProxies: service.trustedProxy, admin: service.adminAddress, listeningSocket: socket,
            limits: limits.limits, drainTime: .seconds(service.drain))
        configuration.version = Version.version
        configuration.bus = bus
        return configuration
    }

    private static func passedSocket() throws -> CInt {
        let sockets = ServiceManager.takeSockets()
        guard let socket = sockets.first, sockets.count == 1 else {
            throw TunnelServiceError(
                .cannotListen, reason: "systemd passed \(sockets.count) sockets, and exactly one is needed")
        }
        return socket
    }

    private func contactTokens(_ reporter: Reporter) throws -> ContactTokenIssuer? {
        guard let contactSecrets = service.contactSecrets else { return nil }
        let (issuer, isNew) = try contactSecrets.issuerMakingSecret()
        if isNew {
            let path = contactSecrets.current.path
            reporter.say(
                service.previousContactSecret == nil
                    ? "made a new contact secret in \(path): links made with another one are lost"
                    : "made a new contact secret in \(path): links made with neither it nor the previous one are lost")
        }
        return issuer
    }

}

/// The start of the program, before it has tasks: an asynchronous `main` is one.
@main
enum Start {
    static func main() {
        StandardStreams.prepare()
        let arguments = Array(CommandLine.arguments.dropFirst())
        ProcessNeeds.prepare(arguments)
        Task { await TunnelServiceCommand.begin(arguments) }
        dispatchMain()
    }
}

/// Waits until the task is cancelled.
private func cancellation() async {
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
}
