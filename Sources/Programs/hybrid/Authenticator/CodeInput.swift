import ArgumentParser
import CommandLine
import DesktopAuthenticator
import FoundationEssentials
import Glibc
import HybridProtocol
import LinuxSupport
import PasskeyExchange
import SystemPackage

/// The source of a QR code.
struct CodeInput: ParsableArguments {
    @Argument(help: .saying("The text of the QR code, FIDO:/…; - reads it from standard input."))
    var url: String?

    @Option(
        help: .saying("Read the QR code from a picture, and confirm it.", valueName: "file"),
        completion: .file())
    var image: String?

    @Flag(help: .saying("Read the QR code from a picture of the screen, and confirm it."))
    var screen = false

    @Flag(help: .saying("Read the QR code from the clipboard, its text or a picture of it, and confirm it."))
    var clipboard = false

    @Flag(help: .saying("Read the QR code with the camera, with zbarcam."))
    var camera = false

    @Flag(
        help: .saying(
            """
            The code comes from a FIDO:/ link that was opened on this machine: first ask you to confirm that you \
            opened it. For tools/install-link-handler; a program that opens links passes the text on standard input, \
            with -.
            """))
    var fromLink = false

    func validate() throws {
        let sources = [url != nil, image != nil, screen, clipboard, camera].count { $0 }
        guard sources > 0 else {
            throw ValidationError.saying(
                "missing expected argument '<url>': give the QR code, or --image, --screen, --clipboard or --camera")
        }
        guard sources == 1 else {
            throw ValidationError.saying("give one of the QR code, --image, --screen, --clipboard and --camera")
        }
        guard !fromLink || url != nil else {
            throw ValidationError.saying("--from-link is for a QR code that is the argument, or on standard input")
        }
    }

    /// True if the code is read from standard input.
    var readsStandardInput: Bool { url == PassphraseInput.standardInputName }

    /// True if a person is asked for the code's text.
    var isTyped: Bool { readsStandardInput && isatty(STDIN_FILENO) == 1 }

    /// The way of the code that has to be confirmed; nil if somebody has typed it or held it before the camera.
    var unconfirmedSource: CodeConfirmation.Source? {
        if fromLink { return .link }
        if screen { return .screen }
        if clipboard { return .clipboard }
        return image == nil ? nil : .picture
    }

    /// Reads the code, whatever it is.
    ///
    /// - Parameter timeout: the longest time to look through the camera.
    /// - Throws: ``AgentError``; ``Failure``; `CancellationError`.
    func read(_ timeout: Duration, _ reporter: Reporter) async throws -> String {
        let source = CodeSource(
            text: url, image: image, screen: screen, clipboard: clipboard, camera: camera)
        guard let source else { throw Failure.usage("there is no QR code", hint: Hint.standardInput) }
        return try await source.read(.fido, within: timeout, reporter)
    }
}

/// The place that a QR code is read from.
enum CodeSource {
    /// Its text, or `-` for standard input.
    case text(String)
    case image(String)
    case screen, clipboard, camera

    /// More than any QR code has: a longer text would be refused in any case.
    private static let longestCode = InvitationScheme.handOver.urlPrefix.utf8.count + QRDigits.maximumDigitCount + 1_024

    /// The place that options name; nil if they name none.
    init?(text: String?, image: String?, screen: Bool, clipboard: Bool, camera: Bool) {
        if let image {
            self = .image(image)
        } else if screen {
            self = .screen
        } else if clipboard {
            self = .clipboard
        } else if camera {
            self = .camera
        } else if let text {
            self = .text(text)
        } else {
            return nil
        }
    }

    /// Reads the code, whatever it is.
    ///
    /// - Parameters:
    ///   - scheme: the kind of code that a person is asked for.
    ///   - timeout: the longest time to look through the camera.
    /// - Throws: ``AgentError``; ``Failure``; `CancellationError`.
    func read(_ scheme: InvitationScheme, within timeout: Duration, _ reporter: Reporter) async throws -> String {
        switch self {
        case .image(let file): return try await CodePicture.code(inFile: file, reader: Start.pictureReader)
        case .screen:
            return try await Screenshot.code(
                portal: PortalScreenshotCommand.command, reader: Start.pictureReader)
        case .clipboard: return try await Clipboard.code(reader: Start.pictureReader)
        case .camera:
            reporter.say("the camera is on: hold the QR code in front of it")
            return try await CodePicture.codeBeforeCamera(timeout: timeout)
        case .text(PassphraseInput.standardInputName): return try Self.standardInput(scheme)
        case .text(let text): return text
        }
    }

    private static func standardInput(_ scheme: InvitationScheme) throws -> String {
        let line: String
        do {
            StandardStreams.prompt(scheme.prompt)
            line = try StandardStreams.readLine(limit: longestCode).trimmingWhitespace()
        } catch let error as Errno {
            throw Failure(
                .file, code: "input-output", cause: "standard input cannot be read: \(error)", hint: Hint.standardInput)
        }
        guard !line.isEmpty else {
            throw Failure.usage("there is no QR code on standard input", hint: Hint.standardInput)
        }
        return line
    }
}

extension InvitationScheme {
    /// The words that ask for a code's text at a terminal.
    var prompt: Sentence {
        self == .fido
            ? "paste the text of the QR code (\(urlPrefix)…), then press Enter"
            : "paste the code of the other device (\(urlPrefix)…), then press Enter"
    }
}

/// The option for codes of a wrong age.
struct CodeAgeOption: ParsableArguments {
    @Flag(help: .saying("Answer a QR code even if it is too old, or from the future."))
    var allowOld = false
}

extension CodeInput {
    /// Gets the text of the code, which is one that can be answered, and has been confirmed if that is needed.
    ///
    /// - Parameters:
    ///   - timeout: the longest time to look through the camera.
    ///   - age: whether one of a wrong age is answered.
    ///   - place: the place where it is confirmed.
    /// - Throws: ``AgentError``; ``Failure``; `HybridTransportError`; `CancellationError`.
    func code(
        timeout: Duration, _ age: CodeAgeOption, confirmedAt place: AskingPlace, _ reporter: Reporter
    ) async throws -> String {
        let code = try await read(timeout, reporter)
        let invitation = try Invitation(scanned: code)
        if !age.allowOld, try !CodeAge.check(invitation.details, now: UInt64(max(0, Date().timeIntervalSince1970))) {
            reporter.warn("unknown-age", "the QR code does not say when it was made: it may be an old one")
        }
        if let unconfirmedSource { try await CodeConfirmation.ask(unconfirmedSource, at: place) }
        return code
    }
}
