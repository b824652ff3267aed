import ArgumentParser
import HybridProtocol

extension Failure {
    /// Arguments that the parser refused; nil for an error that is none of that kind: a request for help, an exit code.
    init?(parsing arguments: [String], _ error: any Error) {
        guard !(error is ExitCode), Hybrid.exitCode(for: error) == .validationFailure else { return nil }
        if let unknown = UnknownWord(in: arguments) {
            self = .usage(Self.discreet(unknown.message, arguments), hint: unknown.hint)
            return
        }
        let message = Hybrid.message(for: error).replacing("Error: ", with: "", maxReplacements: 1)
        let command = CommandPath(arguments).text
        self = .usage(Self.discreet(Self.lowercased(message), arguments), hint: "see \(command) --help")
    }

    /// The message without what may be a secret: the text of a QR code that stands where it does not belong.
    private static func discreet(_ message: String, _ arguments: [String]) -> String {
        let prefix = Invitation.urlPrefix
        let codes = arguments.filter { $0.uppercased().contains(prefix) }
        return codes.reduce(message) { $0.replacing($1, with: "\(prefix)…") }
    }

    private static func lowercased(_ message: String) -> String { message.prefix(1).lowercased() + message.dropFirst() }
}
