import ArgumentParser
import Glibc
package import HybridProtocol
package import HybridTransport
package import LinuxSupport
package import SystemPackage

/// A failure as the user sees it: a cause, a hint, an exit code, and the stage if a ceremony had begun.
package struct Failure: Error {
    package let status: ExitStatus
    /// The error's own code, for programs.
    package let code: String
    package let stage: Stage?
    package let cause: Sentence
    /// The cause for people: without the name of its error code.
    package let text: Sentence
    /// One thing that the user can do about it.
    package let hint: Sentence
    /// The status byte of an authenticator's refusal.
    package let ctapStatus: UInt8?
    /// The place in our sources that the error comes from, where it says so.
    package let place: SourcePlace?

    package init(
        _ status: ExitStatus, code: String, stage: Stage? = nil, cause: Sentence, text: Sentence? = nil, hint: Sentence,
        ctapStatus: UInt8? = nil, place: SourcePlace? = nil
    ) {
        self.status = status
        self.code = code
        self.stage = stage
        self.cause = cause
        self.text = text ?? cause
        self.hint = hint
        self.ctapStatus = ctapStatus
        self.place = place
    }

    /// Makes a failure of an error below, with a hint of the command's own, and its own cause unless another is given.
    package init<Code>(
        _ status: ExitStatus, _ error: CodedError<Code>, stage: Stage? = nil, cause: Sentence? = nil, hint: Sentence
    ) {
        self.init(
            status, code: error.code.rawValue, stage: stage, cause: cause ?? Sentence(reason: error.reason), hint: hint,
            place: error.place)
    }

    /// The same with another cause.
    package func saying(_ cause: Sentence) -> Self {
        Self(status, code: code, stage: stage, cause: cause, hint: hint, ctapStatus: ctapStatus, place: place)
    }

    /// Invalid arguments.
    package static func usage(_ cause: Sentence, hint: Sentence) -> Self {
        Self(.usage, code: "usage", cause: cause, hint: hint)
    }

    /// Makes a failure of any error.
    package init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as any ExplainedError: self = error.failure
        case is CancellationError: self.init(interruptedAt: nil)
        default:
            // Its contents are not known, so they are not shown: there may be secrets among them.
            self.init(.failure, code: "unexpected", cause: Sentence(verbatim: "\(type(of: error))"), hint: Hint.report)
        }
    }

    /// A signal ended the command.
    package init(interruptedAt stage: Stage?) {
        self.init(.interrupted, code: "interrupted", stage: stage, cause: "interrupted", hint: Hint.startAgain)
    }

    /// Standard output takes nothing any more. Where its reader has enough, as `head` has, that is not an error.
    package init(lostOutput error: Errno) {
        self.init(
            error == .brokenPipe ? .brokenPipe : .failure, code: "output",
            cause: "standard output cannot be written: \(error)", hint: Hint.output)
    }
}

/// An error of a module below, as a program tells it to the user. Each program explains those that it meets.
package protocol ExplainedError: Error {
    /// The error as the user sees it.
    var failure: Failure { get }
}

/// A code of errors of a module below, with its explanation for users.
package protocol ExplainedCode: ErrorCode {
    /// Exit status and hint of a failure with this code.
    var explanation: (ExitStatus, hint: Sentence) { get }
}

extension CodedError: ExplainedError where Kind: ExplainedCode {
    package var failure: Failure {
        let (status, hint) = code.explanation
        return Failure(status, self, hint: hint)
    }
}

/// Hints for failures outside of a ceremony: one sentence each, lower case, without a full stop.
package enum Hint {
    package static let startAgain: Sentence = "start again when you are ready"
    package static let report: Sentence = "report this with the whole output"
    package static let output: Sentence = "check the program that reads the output, and the free disk space"
    package static let wholeText: Sentence = "copy the whole text again; hybrid inspect --help lists the kinds of input"
    package static let domains: Sentence =
        "domains 0 and 1 are assigned; those from 256 on are computed from their number"
    package static let otherCode: Sentence = "give the QR code that the advert was made for"
    package static let authorities: Sentence = "check the file given with --ca: certificates in PEM"
    package static let stateFile: Sentence = "check the file, or give another one with --state"
    package static let place: Sentence = "give another file, or free some disk space"
    package static let proxy: Sentence =
        "check the proxy: http://[NAME:PASSWORD@]HOST:PORT in https_proxy, or --proxy; --proxy none uses no proxy"
    package static let localProxy: Sentence =
        "run a local proxy that speaks this scheme, such as px, or cntlm for NTLM, and give its address with --proxy; "
        + "or use another network"
    package static let radio: Sentence =
        "give --radio udp:127.0.0.1:PORT for the simulated radio, the same port for both roles"
    package static let cryptography: Sentence =
        "check openssl.cnf, or the file in OPENSSL_CONF: an active provider must offer this under default_properties"
    package static let suffixList: Sentence = "install the Public Suffix List: Debian's package publicsuffix"
}

// The errors of the modules that every program meets.

extension HybridTransportError: ExplainedError {
    package var failure: Failure {
        Failure(
            ExitStatus(code), code: code.rawValue, stage: stage, cause: Sentence(verbatim: cause),
            text: Sentence(reason: reason), hint: advice.text,
            place: place)
    }
}

extension HybridProtocolErrorCode: ExplainedCode {
    package var explanation: (ExitStatus, hint: Sentence) {
        switch self {
        case .unassignedDomain: (.protocolViolation, Hint.domains)
        case .badTag: (.protocolViolation, Hint.otherCode)
        default: (.protocolViolation, Hint.wholeText)
        }
    }
}

extension RadioErrorCode: ExplainedCode {
    /// A radio that cannot be used, before a ceremony began.
    package var explanation: (ExitStatus, hint: Sentence) {
        (self == .invalidAddress ? .usage : .radio, Hint.bluetooth(self) ?? Hint.radio)
    }
}

extension DataChannelError: ExplainedError {
    /// Outside of a ceremony only the files of certificate authorities are read.
    package var failure: Failure {
        Failure(.file, code: code.rawValue, cause: Sentence(reason: reason), hint: Hint.authorities, place: place)
    }
}

extension AtomicFileErrorCode: ExplainedCode {
    package var explanation: (ExitStatus, hint: Sentence) {
        switch self {
        case .exposed: (.file, "let nobody else use the file, and consider whether its contents are still secret")
        case .wrongOwner: (.file, "give the file back to its user with chown, or give another one")
        case .inUse: (.file, "wait for the other process to end")
        case .noSpace, .readOnly: (.file, Hint.place)
        default: (.file, "check the file, or give another one")
        }
    }
}

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
            let message = Self.discreet(unknown.message.english, arguments, codes)
            self = .usage(
                message == unknown.message.english ? unknown.message : Sentence(verbatim: message), hint: unknown.hint)
            return
        }
        let parsed = program.message(for: error).replacing("Error: ", with: "", maxReplacements: 1)
        let message = Self.negativeNumber(parsed, arguments) ?? Self.withForm(parsed)
        let path = CommandPath(arguments, of: program)
        let hint = Self.separator(parsed, arguments, path) ?? "see \(path.text) --help"
        self = .usage(Sentence(verbatim: Self.discreet(Self.lowercased(message), arguments, codes)), hint: hint)
    }

    /// The message for a value that is no number, with the form that the option takes, which the parser does not say.
    private static func withForm(_ message: String) -> String {
        let forms: [String: Sentence] = [
            "seconds": "a number of seconds", "number": "a number", "bytes": "a number of bytes",
        ]
        let form = forms.first { message.hasSuffix(" <\($0.key)>'") }
        guard let form, message.contains("' is invalid for '--") else { return message }
        return ("\(message): it takes \(form.value)" as Sentence).localized
    }

    /// The hint for another program's option in front of which the separator is missing; nil for another mistake.
    private static func separator(_ message: String, _ arguments: [String], _ path: CommandPath) -> Sentence? {
        guard message.hasPrefix("Unknown option"), !arguments.contains("--"),
            path.command.helpMessage().contains(" -- [<command>")
        else { return nil }
        return "options of the command to test come after --, with the command; see \(path.text) --help"
    }

    /// The message without a possible secret: the text of a QR code that stands where it does not belong.
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
        return ("the value '\(value)' is invalid for '\(option)': it takes no negative number" as Sentence).localized
    }

    private static func lowercased(_ message: String) -> String { message.prefix(1).lowercased() + message.dropFirst() }
}
