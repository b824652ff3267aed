import ArgumentParser
import CommandLine
import FoundationEssentials
import HybridProtocol
import HybridTransport

/// A command of the client that runs a ceremony with an authenticator.
protocol CeremonyCommand: ConfigurableCommand, ReachOptions, Sendable {
    var code: QROption { get }
    var windows: WindowOption { get }
    var keyLog: KeyLogOption { get }
    var output: OutputOptions { get }

    /// Does the work of the command; the caller reports errors.
    func perform(_ reporter: Reporter) async throws
}

extension CeremonyCommand {
    static var configurable: [any ParsableArguments.Type] {
        [
            RadioOption.self, ChannelOption.self, TunnelOptions.self, TimeLimitOption.self, QROption.self,
            WindowOption.self,
        ]
    }

    func run() async throws {
        let reporter = output.reporter()
        let outcome = OutcomeWindow(in: try? code.window(of: windows.dialogues), reporter)
        try await runCommand(reporter, telling: outcome.show) { try await perform(reporter) }
    }

    /// Runs a ceremony with an authenticator: shows a QR code, and tries linked devices.
    ///
    /// - Parameters:
    ///   - hint: the kind of request that the client is going to send.
    ///   - linking: the linked devices that are tried, and the offer to be linked.
    ///   - showsCode: true if a QR code is shown.
    /// - Throws: ``HybridTransportError``; otherwise what `session` throws.
    func runCeremony<Value: Sendable>(
        _ hint: RequestHint, linking: ClientLinking = .none, showsCode: Bool = true, _ reporter: Reporter,
        session: @escaping @Sendable (ClientConnection) async throws -> Value
    ) async throws -> Value {
        let parts = try clientParts(keyLog: try keyLog.open(reporter))
        // No person scans a code for programs, or where there is none; what answers them tells of the tunnel service.
        try await parts.check(as: .client, offered: showsCode && !code.qr.isForPrograms ? nil : [])
        let code = try FollowedQRCode(code, in: windows.dialogues, reporter)
        let show: (@Sendable (String) throws -> Void)? = showsCode ? { @Sendable in try code.show($0) } : nil
        return try await code.during { observe in
            try await parts.client(observe: observe).run(
                hint: hint, timestamp: secondsSince1970(), linking: linking, show: show, session: session)
        }
    }
}

/// The time.
@Sendable func secondsSince1970() -> UInt64 { UInt64(max(0, Date().timeIntervalSince1970)) }
