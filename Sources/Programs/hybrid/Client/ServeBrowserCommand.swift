import ArgumentParser
import CommandLine
import DesktopAuthenticator
import HybridProtocol
import LinuxSupport
import WebAuthnClient

/// Answers the requests of a browser on another machine.
struct ServeBrowserCommand: LinkedCeremonyCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve-browser",
        summary: "Answer a browser on another machine: show a QR code here for each request that you agree to.",
        details: """
            example:
              hybrid client serve-browser --for build-server

            The browser there needs the extension: hybrid-browser-proxy install (from the sources, \
            tools/browser-proxy/run install) prints the path of its socket, and how ssh forwards it. You are asked at \
            this terminal before anything is shown; a request that you do not agree to within two minutes is refused. \
            The other machine states which page asks: anyone who controls that machine can ask in the name of any \
            site.
            """)

    @OptionGroup(title: OptionTitle.request) var remote: RemoteMachineOption
    @OptionGroup(title: OptionTitle.reach) var socket: BrowserSocketOption
    @OptionGroup(title: OptionTitle.links) var links: LinkOptions
    @OptionGroup(title: OptionTitle.links) var linkFile: LinkFileOption
    @OptionGroup(title: OptionTitle.reach) var radio: RadioOption
    @OptionGroup(title: OptionTitle.reach) var channel: ChannelOption
    @OptionGroup(title: OptionTitle.reach) var tunnel: TunnelOptions
    @OptionGroup(title: OptionTitle.reach) var time: TimeLimitOption
    @OptionGroup(title: OptionTitle.output) var code: QROption
    @OptionGroup(title: OptionTitle.output) var windows: WindowOption
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions
    @OptionGroup(title: OptionTitle.labs) var keyLog: KeyLogOption

    func perform(_ reporter: Reporter) async throws {
        guard StandardStreams.hasControllingTerminal else {
            throw Failure.usage("there is no terminal to ask you at", hint: "run this in a terminal")
        }
        let keeper = try links.keeper(linkFile, reporter)
        let device = CommandAuthenticator(command: self, reporter: reporter, keeper: keeper)
        let (path, gate) = (try socket.path(), QuestionGate())
        let service = try BrowserService(at: path)
        reporter.write(
            Line("listening", ["socket": path]),
            orSay: "listening on \(path) for a browser on \(quoted(remote.name))")
        try await service.run { message, send in
            var request: BrowserRequest?
            do {
                let read = try BrowserRequest(parsing: message)
                request = read
                try await answer(read, device, gate) { response in
                    let answer = BrowserAnswer.response(response)
                    send(answer.message)
                    report(read, answer, nil, reporter)
                }
            } catch {
                let answer = BrowserAnswer(error)
                send(answer.message)
                report(request, answer, Failure(error), reporter)
            }
        }
    }

    /// Says what became of a request; the cause of a failure is for the user here alone.
    private func report(
        _ request: BrowserRequest?, _ answer: BrowserAnswer, _ failure: Failure?, _ reporter: Reporter
    ) {
        let asked = request.map { "\($0.kind.rawValue) for \(quoted($0.origin))" } ?? "a request"
        reporter.write(
            Line(
                "request",
                [
                    "remote": remote.name, "ceremony": request?.kind.rawValue, "origin": request?.origin,
                    "outcome": answer.outcome, "cause": failure?.cause,
                ]), orSay: "\(asked): \(answer.outcome)\(failure.map { "; \($0.cause)" } ?? "")")
    }

    /// Has a request answered.
    ///
    /// - Parameter answered: gets the response as soon as it is there: to end the session takes a round trip more.
    private func answer(
        _ request: BrowserRequest, _ device: CommandAuthenticator<Self>, _ gate: QuestionGate,
        answered: @escaping @Sendable (String) -> Void
    ) async throws {
        // No list of related origins is fetched: a request that nobody has agreed to makes no connections.
        let client = try WebAuthnClient(origin: request.origin)
        let asking = AskingAuthenticator(request: request, remote: remote.name, gate: gate, device: device)
        switch request.kind {
        case .create:
            _ = try await client.create(request.options, with: asking) { answered($0.description) }
        case .get:
            _ = try await client.get(request.options, with: asking) { answered($0.description) }
        }
    }
}

/// Name of the machine whose browser asks.
struct RemoteMachineOption: ParsableArguments {
    @Option(
        name: .customLong("for"),
        help: .saying("Your name for the machine whose browser asks. Its own statement of its name is ignored."))
    var name: String

    func validate() throws {
        guard !name.isEmpty else { throw ValidationError.saying("--for needs a name") }
    }
}

/// A device that is asked once the user has agreed, to a request whose options and identifier were checked.
private struct AskingAuthenticator<Device: WebAuthnAuthenticator>: WebAuthnAuthenticator {
    let request: BrowserRequest
    let remote: String
    let gate: QuestionGate
    let device: Device

    /// The longest time for the answer.
    private static var limit: Duration { .seconds(120) }

    func withSession<Value: Sendable>(
        for hint: RequestHint, _ body: @escaping @Sendable (any WebAuthnSession) async throws -> Value
    ) async throws -> Value {
        try await gate.alone {
            let isAgreed = try await DeadlineTimer.continuous.withTimeout(Self.limit) {
                try TerminalQuestion.ask(question)
            }
            guard isAgreed == true else { throw WebAuthnClientError(.notAllowed, reason: "the user did not agree") }
        }
        return try await device.withSession(for: hint, body)
    }

    private var question: Sentence {
        let asks: Sentence =
            switch request.kind {
            case .create: "A browser on \(quoted(remote)) asks to make a passkey."
            case .get: "A browser on \(quoted(remote)) asks to sign in."
            }
        let isNew = request.kind == .create
        let account: Sentence = isNew ? request.account.map { "\n  account: \(quoted($0))" } ?? "" : ""
        let site: Sentence = request.relyingPartyID.map { "  site:    \(quoted($0))\n" } ?? ""
        return """

            \(asks)

            \(site)  page:    \(quoted(request.origin))\(account)

              That machine states the page; no browser here has seen it. Anyone who controls
              that machine can ask in the name of any site.
              Go on only if you are doing this there now.

            go on?
            """
    }
}
