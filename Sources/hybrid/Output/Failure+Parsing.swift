import ArgumentParser
import HybridProtocol

extension Failure {
    /// Arguments that the parser refused; nil for an error that is none of that kind: a request for help, an exit code.
    init?(parsing arguments: [String], _ error: any Error) {
        guard !(error is ExitCode), Hybrid.exitCode(for: error) == .validationFailure else { return nil }
        let message = Hybrid.message(for: error).replacing("Error: ", with: "", maxReplacements: 1)
        let command = Self.command(in: arguments)
        self = .usage(Self.discreet(Self.lowercased(message), arguments), hint: "see \(command) --help")
    }

    /// The command that was meant, as far as the arguments name one.
    private static func command(in arguments: [String]) -> String {
        var names = ["hybrid"]
        var command: any ParsableCommand.Type = Hybrid.self
        for argument in arguments {
            guard
                let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == argument })
            else { break }
            names.append(argument)
            command = next
        }
        return names.joined(separator: " ")
    }

    /// The message without what may be a secret: the text of a QR code that stands where it does not belong.
    private static func discreet(_ message: String, _ arguments: [String]) -> String {
        let prefix = Invitation.urlPrefix
        let codes = arguments.filter { $0.uppercased().contains(prefix) }
        return codes.reduce(message) { $0.replacing($1, with: "\(prefix)…") }
    }

    private static func lowercased(_ message: String) -> String { message.prefix(1).lowercased() + message.dropFirst() }
}
