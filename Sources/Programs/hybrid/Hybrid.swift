import ArgumentParser

/// The command line: parsing, terminal, exit codes. The protocol is in the layers below.
@main
struct Hybrid: AsyncParsableCommand {
    /// The version of the program, its packages and its manual. Nothing else has the number but .github/CHANGELOG.md,
    /// which tools/package and tools/release compare.
    static let version = "0.2.0"

    static let configuration = CommandConfiguration(
        commandName: "hybrid",
        abstract: "The FIDO hybrid transport (caBLE v2): use a passkey from another device.",
        discussion: """
            example:
              hybrid demo

            A client shows a QR code; an authenticator reads it, advertises over Bluetooth that it is near, and meets \
            the client at a tunnel service. Each role is a command, and `demo` runs all three on this machine.

            `hybrid help exit-codes` says what each exit code means, and `hybrid help configuration` which options can \
            be set in a file or the environment. `hybrid --generate-completion-script bash` (or zsh, fish) writes what \
            completes its words in a shell.
            """,
        subcommands: [
            DemoCommand.self, ClientCommand.self, AuthenticatorCommand.self, AgentCommand.self, KeyCommand.self,
            PasskeysCommand.self,
            TunnelServiceCommand.self,
            RadioCommand.self, DoctorCommand.self, InspectCommand.self,
            VectorsCommand.self, ConformanceCommand.self, ConfigCommand.self, VersionCommand.self,
            PortalScreenshotCommand.self,
        ])

    // The parser's own option would stand in the help of every command.
    @Flag(name: .customLong("version"), help: "Show the version.")
    var showsVersion = false

    func run() async throws {
        guard showsVersion else { throw CleanExit.helpRequest(self) }
        throw CleanExit.message(Self.version)
    }

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // It has no secrets, and the portal refuses what it may not look at.
        if arguments != [PortalScreenshotCommand.name] { ProcessProtection.begin() }
        ProcessProtection.hideArguments()
        StandardStreams.prepare()
        let reporter = Reporter(isJSON: arguments.contains("--json"))
        do {
            if let topic = HelpTopic(arguments) { throw CleanExit.message(topic.text) }
            // The parser answers with the help of what is above a command that is not there, as if that were right.
            if arguments.first == "help", UnknownWord(in: arguments) != nil { throw ValidationError("no such command") }
            var command = try parseAsRoot(try await Settings.applied(to: arguments, reporter))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let code as ExitCode {
            exit(withError: code)
        } catch {
            let failure = error as? Failure ?? Failure(parsing: arguments, error) ?? show(error, reporter)
            if let failure { reporter.report(failure) }
            exit(withError: ExitCode(failure?.status.rawValue ?? exitCode(for: error).rawValue))
        }
    }

    /// Shows the help that was asked for, which the parser throws.
    ///
    /// - Returns: a failure if it cannot be written.
    private static func show(_ help: any Error, _ reporter: Reporter) -> Failure? {
        reporter.print(fullMessage(for: help))
        return reporter.lostOutput.map { Failure(lostOutput: $0) }
    }
}
