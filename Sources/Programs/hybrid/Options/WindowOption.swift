import ArgumentParser
import CommandLine
import DesktopAuthenticator
import Glibc
import LinuxSupport

/// The option for the program that asks and shows in windows.
struct WindowOption: ParsableArguments {
    @Option(help: Self.help, completion: .file())
    var window: String?

    func validate() throws { try Self.check(window) }

    /// The ways to ask in windows.
    var dialogues: DesktopDialogues { Self.dialogues(by: window) }

    /// The help of the option, which other groups have, too.
    static let help = ArgumentHelp.saying(
        "The program that asks you in windows, and shows QR codes in one. (default: hybrid-window)",
        valueName: "program")

    /// Refuses a program that another user could have put there or changed.
    ///
    /// - Throws: `ValidationError`.
    static func check(_ window: String?) throws {
        guard let window else { return }
        var status = stat()
        guard window.hasPrefix("/") else {
            throw ValidationError.saying("--window takes the whole path of a program: begin it with /")
        }
        guard stat(window, &status) == 0, access(window, X_OK) == 0 else {
            throw ValidationError.saying("there is no program \(window): give --window the path of one")
        }
        guard OtherProgram.isTrusted(status, alsoOf: getuid()) else {
            throw ValidationError.saying(
                "\(window) is not run: others could have changed it. Let it be yours or root's, and writable for "
                    + "nobody else")
        }
    }

    /// The ways to ask in windows: by the program that was chosen, or else by `hybrid-window` if it is installed.
    static func dialogues(by window: String?) -> DesktopDialogues {
        DesktopDialogues(window: (window ?? OtherProgram.window.path).map { Window(at: $0) })
    }
}
