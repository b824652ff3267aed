import ArgumentParser
import CommandLine
import Conformance
import LinuxSupport

/// Tests a client.
struct ConformanceClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        summary: "Test a client: a command that writes the text of its QR code.",
        details: """
            example:
              hybrid-conformance client --radio udp: -- \\
                hybrid client register --rp-id example.com \\
                --user alice --qr url --state {dir}/state --timeout 3 \\
                --radio {radio} --tunnel {tunnel} --ca {ca}
              hybrid-conformance client --shim -- python3 my_shim.py

            The command is run once per case. It writes FIDO:/… and a newline to standard output or standard error, \
            makes a passkey with the authenticator that answers, and exits by itself, with status 0 only if all \
            succeeded.

            A shim calls the functions of an implementation that has no Bluetooth, TLS or WebSocket.
            """)

    @OptionGroup(title: OptionTitle.peer) var own: TestedClientOptions
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
        let cases = ConformanceRunner.clientCases.filter(options.isWanted)
        guard !options.list else { return ConformanceReporter.list(cases, reporter) }
        let hello = try await peer.hello(.client, options)
        let results = try ConformanceReporter(
            reporter, role: .client, cases: cases, options: options, outputs: outputs,
            peer: peer.command, hello: hello, facts: peer.facts(radio, options))
        let template = hello == nil ? CommandTemplate(peer.command) : CommandTemplate(shim: peer.command, .register)
        let advertiser = hello == nil ? try radio.runnerAdvertiser() : .simulated
        try await peer.withSettings(template, options: options, radio: advertiser) { settings in
            var settings = settings
            settings.shim = hello
            settings.domain = own.tunnelDomain
            settings.linkCommand = peer.linkCommand.map { CommandTemplate(line: $0) }
            settings.linkedCommand = own.linkedCommand.map { CommandTemplate(line: $0) }
            settings.credentialCommand = own.digitalCommand.map { CommandTemplate(line: $0) }
            if hello?.features.contains(.credential) == true {
                settings.credentialCommand = CommandTemplate(shim: peer.command, .credential)
            }
            let tried = settings
            settings.timeout = try await results.preflight(
                .client, isSimulated: peer.shim || radio.isSimulated, timeout: settings.timeout
            ) { try await ConformanceRunner.preflightClient(tried) }
            settings.edition = results.edition
            let adapted = settings
            try await results.run {
                try await ConformanceRunner.testClient(
                    adapted, jobs: options.jobs, where: options.isWanted, report: results.note(_:),
                    noteControl: results.note(control:))
            }
        }
    }
}

/// The tunnel domain that the client that is tested is led to, and its further commands.
struct TestedClientOptions: ParsableArguments {
    @Option(help: .saying("The number of the tunnel domain that the adverts name.", valueName: "number"))
    var tunnelDomain: UInt16 = 0

    @Option(
        help: .saying(
            "The command that asks linked authenticators, in the form of --link-command. (default: that command)",
            valueName: "line"))
    var linkedCommand: String?

    @Option(
        help: .saying(
            """
            A second command, a line for sh. It asks for a digital credential, and exits with status 0 only if it got \
            one.
            """, valueName: "line"))
    var digitalCommand: String?
}

extension RadioOption {
    /// The advertiser for the tested client: for the simulated radio, which needs no address here, `udp:`.
    func runnerAdvertiser() throws -> RunnerRadio {
        if case .simulated = radio { return .simulated }
        return .advertiser(try advertiser())
    }
}
