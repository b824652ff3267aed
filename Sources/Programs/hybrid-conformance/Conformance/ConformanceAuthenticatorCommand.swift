import ArgumentParser
import CommandLine
import Conformance
import LinuxSupport

/// Tests an authenticator.
struct ConformanceAuthenticatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authenticator",
        summary: "Test an authenticator: a command that answers the QR code of each case.",
        details: """
            example:
              hybrid-conformance authenticator --radio udp: -- \\
                hybrid authenticator answer {url} --yes --ephemeral \\
                --timeout 3 --radio {radio} --tunnel {tunnel} --ca {ca}
              hybrid-conformance authenticator --shim -- \\
                python3 my_shim.py

            The command is run once per case. It gets the text of the QR code in place of {url}, or else as its last \
            argument. It must approve without asking the user, and exit by itself. Set its own time limits to a few \
            seconds.

            A shim calls the functions of an implementation that has no Bluetooth, TLS or WebSocket.
            """)

    @OptionGroup(title: OptionTitle.peer) var own: TestedAuthenticatorOptions
    @OptionGroup(title: OptionTitle.runner) var peer: PeerCommandOptions
    @OptionGroup(title: OptionTitle.radio) var radio: RadioOption
    @OptionGroup(title: OptionTitle.cases) var options: ConformanceOptions
    @OptionGroup(title: OptionTitle.output) var outputs: ConformanceOutputOptions
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await test(reporter) }
    }

    private func test(_ reporter: Reporter) async throws {
        let cases = ConformanceRunner.authenticatorCases.filter(options.isWanted)
        guard !options.list else { return ConformanceReporter.list(cases, reporter) }
        let hello = try await peer.hello(.authenticator, options)
        let results = try ConformanceReporter(
            reporter, role: .authenticator, cases: cases, options: options, outputs: outputs,
            peer: peer.command, hello: hello, facts: peer.facts(radio, options))
        let template =
            hello == nil
            ? CommandTemplate(peer.command, urlOnStandardInput: own.urlOnStandardInput)
            : CommandTemplate(shim: peer.command, .authenticate)
        let scanner = hello == nil ? try radio.runnerScanner() : .simulated
        try await peer.withSettings(template, options: options, radio: scanner) { settings in
            var settings = settings
            settings.shim = hello
            settings.linkCommand = peer.linkCommand.map {
                CommandTemplate(line: $0, urlOnStandardInput: own.urlOnStandardInput, takesURL: true)
            }
            settings.linkedCommand = own.listenCommand.map { CommandTemplate(line: $0) }
            let tried = settings
            settings.timeout = try await results.preflight(
                .authenticator, isSimulated: peer.shim || radio.isSimulated, timeout: settings.timeout
            ) { try await ConformanceRunner.preflightAuthenticator(tried) }
            settings.edition = results.edition
            let adapted = settings
            try await results.run {
                try await ConformanceRunner.testAuthenticator(
                    adapted, jobs: options.jobs, where: options.isWanted, report: results.note(_:),
                    noteControl: results.note(control:))
            }
        }
    }
}

/// Options of a tested authenticator: how it takes a code and waits for linked clients.
struct TestedAuthenticatorOptions: ParsableArguments {
    @Flag(
        name: .customLong("url-on-stdin"),
        help: .saying("Write the text of the QR code to the command's standard input."))
    var urlOnStandardInput = false

    @Option(
        help: .saying(
            "The command that waits for linked clients: a line for sh with the placeholders of the command to test.",
            valueName: "line"))
    var listenCommand: String?
}

extension RadioOption {
    /// The scanner of the tested authenticator's adverts: for the simulated radio, which needs no address here, `udp`.
    func runnerScanner() throws -> RunnerRadio {
        if case .simulated = radio { return .simulated }
        return .scanner(try scanner())
    }
}
