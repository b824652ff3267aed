import ArgumentParser
import CommandLine
import DesktopAuthenticator

/// Place where the user is asked for approvals and passphrases.
enum AskingPlace: Sendable {
    case terminal
    case desktop(DesktopDialogues)

    /// True for windows.
    var isDesktop: Bool {
        switch self {
        case .terminal: false
        case .desktop: true
        }
    }

    /// The window, where there is one and the user is asked on the desktop.
    var window: Window? {
        switch self {
        case .terminal: nil
        case .desktop(let dialogues): dialogues.window
        }
    }

    /// A place that is chosen on the command line.
    enum Choice: String, ExpressibleByArgument, CaseIterable {
        case terminal, desktop
    }

    /// The place that was chosen; else the terminal if there is one, and otherwise the desktop if it can ask.
    init(_ choice: Choice?, _ dialogues: DesktopDialogues) {
        switch choice {
        case .terminal: self = .terminal
        case .desktop: self = .desktop(dialogues)
        case nil:
            let isDesktop =
                !StandardStreams.hasControllingTerminal && DesktopApproval.hasDisplay && dialogues.canAskForPassphrases
            self = isDesktop ? .desktop(dialogues) : .terminal
        }
    }
}
