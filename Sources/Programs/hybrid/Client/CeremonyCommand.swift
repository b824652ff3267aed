import ArgumentParser
import CTAP
import CommandLine
import FoundationEssentials
import HybridProtocol
import HybridTransport
import LinuxSupport

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
    /// - Throws: ``HybridTransportError``; otherwise the error of `session`.
    func runCeremony<Value: Sendable>(
        _ hint: RequestHint, linking: ClientLinking = .none, showsCode: Bool = true, _ reporter: Reporter,
        session: @escaping @Sendable (ClientConnection) async throws -> Value
    ) async throws -> Value {
        let parts = try clientParts(code, keyLog: try keyLog.open(reporter))
        // No person scans a code for programs, or where there is none; the answering side tells of the tunnel service.
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

/// A command of the client that reaches a device by a QR code or by a link.
protocol LinkedCeremonyCommand: CeremonyCommand {
    var links: LinkOptions { get }
    var linkFile: LinkFileOption { get }
}

extension LinkedCeremonyCommand {
    /// Runs a ceremony with an authenticator and sends it one command for passkeys.
    ///
    /// - Parameter use: takes the answer as soon as it has come: to end the session takes a round trip more.
    /// - Throws: ``Failure``, ``HybridTransportError``, ``LinkFileError``; otherwise the error of `use`.
    func send(
        _ request: CTAPRequest, _ hint: RequestHint, _ reporter: Reporter,
        use: @escaping @Sendable (PasskeyAnswer) throws -> Void
    ) async throws {
        let keeper = try links.keeper(linkFile, reporter)
        let linking = try links.linking(keeper, reporter)
        try await runCeremony(
            hint, linking: linking, showsCode: !links.linkedOnly, reporter
        ) { connection in
            let getInfo = try decoded(connection.firstMessage.getInfo ?? []) { (map) throws(CTAPError) in
                try GetInfoResponse(decoding: map.span)
            }
            let payload = try successPayload(of: await connection.send(request.encoded()))
            if let link = connection.link { keeper?.noteUse(of: link) }
            try use(PasskeyAnswer(payload: payload, transports: getInfo.transports))
        }
    }
}

/// An authenticator's answer to a command, and its transports.
struct PasskeyAnswer: Sendable {
    /// The bytes behind the status byte.
    let payload: [UInt8]
    /// The transports that the authenticator names.
    let transports: [String]
}

/// The bytes behind the status byte of an answer.
///
/// - Throws: ``Failure`` for an answer that is a refusal, or none at all.
func successPayload(of answer: [UInt8]) throws -> [UInt8] {
    let response = try decoded(answer) { (answer) throws(CTAPError) in
        try CTAPResponse(decoding: answer.span)
    }
    guard response.status.isSuccess else { throw Failure(response.status) }
    return response.payload
}

/// Reads an authenticator's answer; one that cannot be read breaks the protocol.
///
/// - Throws: ``Failure``.
func decoded<Response>(_ payload: [UInt8], _ read: ([UInt8]) throws(CTAPError) -> Response) throws -> Response {
    do {
        return try read(payload)
    } catch {
        throw Failure(
            .protocolViolation, error, stage: .commandAnswered,
            hint: "start again; if it happens again, the authenticator is faulty")
    }
}
