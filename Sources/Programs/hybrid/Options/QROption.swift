import ArgumentParser
import CommandLine
import DesktopAuthenticator
import LinuxSupport

/// The way in which the QR code is shown.
enum QROutput: Sendable {
    case terminal
    case window
    case svg(file: String)
    case png(file: String)
    case url

    /// True for a form that a program can read.
    var isForPrograms: Bool {
        switch self {
        case .terminal, .window: false
        case .svg, .png, .url: true
        }
    }

    /// Reads `terminal`, `window`, `svg:FILE`, `png:FILE` or `url`.
    static func parse(_ text: String) throws -> Self {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count) {
        case ("terminal", 1): return .terminal
        case ("window", 1): return .window
        case ("url", 1): return .url
        case ("svg", 2): return .svg(file: parts[1])
        case ("png", 2): return .png(file: parts[1])
        default: throw ValidationError.saying("give terminal, window, svg:FILE, png:FILE or url")
        }
    }
}

/// The option for the way in which the QR code is shown.
struct QROption: ParsableArguments {
    @Option(
        name: .customLong("qr"),
        help: .saying(
            """
            How to show the QR code: terminal, window, svg:FILE, png:FILE, or url, which writes the FIDO:/ URL as the \
            first line of standard output. (default: the terminal; without one, a window)
            """, valueName: "how"), transform: QROutput.parse)
    var chosen: QROutput?

    @Flag(
        help: .saying(
            "Connect to the tunnel service that --tunnel or a link names while the QR code is shown: the answer "
                + "comes two round trips sooner, and that service learns that a code is shown."))
    var connectAhead = false

    /// The way that was chosen; the terminal otherwise.
    var qr: QROutput { chosen ?? .terminal }

    /// The window that the code is shown in; nil if it is shown in another way.
    ///
    /// - Throws: `DialogueError` if a window was chosen, and there is none.
    func window(of dialogues: DesktopDialogues) throws(DialogueError) -> Window? {
        switch chosen {
        case .window: try dialogues.needWindow()
        case nil where !StandardStreams.hasControllingTerminal && DesktopApproval.hasDisplay: dialogues.window
        case nil, .terminal, .svg, .png, .url: nil
        }
    }
}
