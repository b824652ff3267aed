import ArgumentParser
import HybridProtocol

extension Failure {
    /// Arguments that the parser refused; nil for an error that is none of that kind: a request for help, an exit code.
    ///
    /// - Parameter codes: the schemes of codes, which are secrets, among the arguments.
    init?(
        parsing arguments: [String], of program: any ParsableCommand.Type, hiding codes: [InvitationScheme],
        _ error: any Error
    ) {
        guard !(error is ExitCode), program.exitCode(for: error) == .validationFailure else { return nil }
        if let unknown = UnknownWord(in: arguments, of: program) {
            self = .usage(Self.discreet(unknown.message, arguments, codes), hint: unknown.hint)
            return
        }
        let parsed = program.message(for: error).replacing("Error: ", with: "", maxReplacements: 1)
        let message = Self.negativeNumber(parsed, arguments) ?? parsed
        let command = CommandPath(arguments, of: program).text
        self = .usage(Self.discreet(Self.lowercased(message), arguments, codes), hint: "see \(command) --help")
    }

    /// The message without what may be a secret: the text of a QR code that stands where it does not belong.
    private static func discreet(
        _ message: String, _ arguments: [String], _ schemes: [InvitationScheme]
    ) -> String {
        schemes.map(\.urlPrefix).reduce(message) { message, prefix in
            let codes = arguments.filter { $0.uppercased().contains(prefix) }
            return codes.reduce(message) { $0.replacing($1, with: "\(prefix)…") }
        }
    }

    /// The message for an option whose value is a negative number, which the parser takes for another option: no option
    /// takes one. Nil for another mistake.
    private static func negativeNumber(_ message: String, _ arguments: [String]) -> String? {
        let (opening, closing) = ("Missing value for '", "'")
        guard message.hasPrefix(opening), message.hasSuffix(closing) else { return nil }
        let option = message.dropFirst(opening.count).dropLast(closing.count)
        let name = option.prefix { $0 != " " }
        guard let index = arguments.firstIndex(of: String(name)), let value = arguments.dropFirst(index + 1).first,
            value.hasPrefix("-"), Double(value) != nil
        else { return nil }
        return "the value '\(value)' is invalid for '\(option)': it takes no negative number"
    }

    private static func lowercased(_ message: String) -> String { message.prefix(1).lowercased() + message.dropFirst() }
}
