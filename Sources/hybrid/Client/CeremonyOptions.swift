import ArgumentParser
import FoundationEssentials
import HybridProtocol
import HybridTransport

/// The options of all client commands: the ways to the authenticator, and the output.
struct CeremonyOptions: ParsableArguments {
    @OptionGroup var radio: RadioOption
    @OptionGroup var channel: ChannelOption
    @OptionGroup var tunnel: TunnelOptions
    @OptionGroup var time: TimeLimitOption
    @OptionGroup var code: QROption
    @OptionGroup var keyLog: KeyLogOption
    @OptionGroup var output: OutputOptions

    /// Runs a ceremony with an authenticator: shows a QR code, and tries linked devices.
    ///
    /// - Parameters:
    ///   - hint: the kind of request that the client is going to send.
    ///   - linking: the linked devices that are tried, and the offer to be linked.
    ///   - showsCode: true if a QR code is shown.
    /// - Throws: ``HybridTransportError``; otherwise what `session` throws.
    func run<Value: Sendable>(
        _ hint: RequestHint, linking: ClientLinking = .none, showsCode: Bool = true, _ reporter: Reporter,
        session: @escaping @Sendable (ClientConnection) async throws -> Value
    ) async throws -> Value {
        let scanner = try radio.scanner()
        let keyLog = try keyLog.open(reporter)
        let opener = try tunnel.opener(keyLog: keyLog)
        let nearby = try channel.nearby(with: radio, for: channel.offered)
        let code = code
        let show: (@Sendable (String) throws -> Void)? = showsCode ? { @Sendable in try code.show($0, reporter) } : nil
        return try await CeremonyReporter(reporter, .client).during { observer in
            let ceremony = ClientCeremony(
                scanner: scanner, opener: opener, nearby: nearby, channel: channel.offered, service: tunnel.tunnel,
                limits: time.limits, observe: observer
            ).loggingKeys(to: keyLog?.trafficKeys)
            return try await ceremony.run(
                hint: hint, timestamp: Self.now(), linking: linking, show: show, session: session)
        }
    }

    /// The time in seconds since 1970.
    static func now() -> UInt64 { UInt64(max(0, Date().timeIntervalSince1970)) }
}
