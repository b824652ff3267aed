import ArgumentParser

/// The command line: parsing, terminal, exit codes. The protocol is in the layers below.
@main
struct Hybrid: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hybrid",
        abstract: "The FIDO hybrid transport (caBLE v2): use a passkey from another device.",
        discussion: """
            example:
              hybrid demo

            A client shows a QR code; an authenticator reads it, advertises over Bluetooth that it is near, and meets \
            the client at a tunnel service. Each role is a command, and `demo` runs all three on this machine.

            \(ExitStatus.table)
            """,
        version: "0.1.0",
        subcommands: [
            DemoCommand.self, ClientCommand.self, AuthenticatorCommand.self, PasskeysCommand.self,
            TunnelServiceCommand.self,
            RadioCommand.self, InspectCommand.self,
            VectorsCommand.self, ConformanceCommand.self,
        ])

    static func main() async {
        ProcessProtection.begin()
        let arguments = Array(CommandLine.arguments.dropFirst())
        ProcessProtection.hideArguments()
        StandardStreams.prepare()
        do {
            // The parser answers with the help of what is above a command that is not there, as if that were right.
            if arguments.first == "help", UnknownWord(in: arguments) != nil { throw ValidationError("no such command") }
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            guard let failure = Failure(parsing: arguments, error) else { exit(withError: error) }
            Reporter(isJSON: arguments.contains("--json")).report(failure)
            exit(withError: ExitCode(failure.status.rawValue))
        }
    }
}
