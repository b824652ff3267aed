import ArgumentParser
import CommandLine
import DesktopAuthenticator

/// Place where the user is asked for approvals and passphrases.
enum AskingPlace: String, ExpressibleByArgument, CaseIterable {
    case terminal, desktop

    /// The place if none was chosen: the terminal if there is one, and otherwise the desktop if it can ask.
    static var usual: Self {
        guard !StandardStreams.hasControllingTerminal else { return .terminal }
        return DesktopApproval.hasDisplay && Pinentry().isInstalled ? .desktop : .terminal
    }
}
