import ArgumentParser
import FoundationEssentials
import HybridProtocol
import HybridTransport

/// What all of the client's commands take: how the authenticator is met, and how that is told.
struct MeetingOptions: ParsableArguments {
    @OptionGroup var radio: RadioOption
    @OptionGroup var channel: ChannelOption
    @OptionGroup var tunnel: TunnelOptions
    @OptionGroup var time: TimeLimitOption
    @OptionGroup var code: QROption
    @OptionGroup var output: OutputOptions

    /// Shows a QR code and holds a session with the authenticator that answers it.
    ///
    /// - Throws: ``HybridTransportError``; otherwise what `session` throws.
    func meet<Value: Sendable>(
        _ hint: RequestHint, _ reporter: Reporter,
        session: @escaping @Sendable (ClientConnection) async throws -> Value
    ) async throws -> Value {
        let scanner = try radio.scanner()
        let opener = try tunnel.opener()
        let nearby = try channel.nearby(with: radio, for: channel.offered)
        let code = code
        return try await CeremonyReporter(reporter, .client).during { observer in
            let ceremony = ClientCeremony(
                scanner: scanner, opener: opener, nearby: nearby, channel: channel.offered, service: tunnel.tunnel,
                limits: time.limits, observe: observer)
            return try await ceremony.run(
                hint: hint, timestamp: Self.now(), show: { try code.show($0, reporter) }, session: session)
        }
    }

    /// The time in seconds since 1970.
    static func now() -> UInt64 { UInt64(max(0, Date().timeIntervalSince1970)) }
}
