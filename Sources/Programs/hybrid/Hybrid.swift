import ArgumentParser
import CommandLine
import DesktopAuthenticator
import Dispatch
import Glibc
import HybridProtocol
import LinuxSupport
import PasskeyExchange

/// The command line: parsing, terminal, exit codes. The protocol is in the layers below.
struct Hybrid: Program {
    static let configuration = CommandConfiguration(
        commandName: "hybrid",
        summary: "The FIDO hybrid transport (caBLE v2): use a passkey from another device.",
        details: """
            example:
              hybrid demo

            A client shows a QR code; an authenticator reads it, advertises over Bluetooth that it is near, and meets \
            the client at a tunnel service. Each role is a command, and `demo` runs all three on this machine.

            `hybrid help exit-codes` explains the exit codes, and `hybrid help configuration` lists the options that a \
            file or the environment can set. `hybrid --generate-completion-script bash` (or zsh, fish) prints a shell \
            completion script.
            """,
        subcommands: [
            DemoCommand.self, ClientCommand.self, AuthenticatorCommand.self, AgentCommand.self, KeyCommand.self,
            PasskeysCommand.self,
            TunnelServiceCommand.self,
            RadioCommand.self, DoctorCommand.self, InspectCommand.self,
            VectorsCommand.self, ConformanceCommand.self, ConfigCommand.self, VersionCommand.self,
            PortalScreenshotCommand.self,
        ])

    static let topics = [HelpTopic.exitCodes, .configuration]
    static let codes: [InvitationScheme] = [.fido, .handOver]

    // The parser's own option would stand in the help of every command.
    @Flag(name: .customLong("version"), help: .saying("Show the version."))
    var showsVersion = false

    static func configured(_ arguments: [String], _ reporter: Reporter) throws -> [String] {
        try Settings.applied(to: arguments, reporter)
    }

    func run() async throws {
        guard showsVersion else { throw CleanExit.helpRequest(self) }
        throw CleanExit.message(Version.version)
    }
}

/// The start of the program, on the thread that it is given: an asynchronous `main` may go on with another, which
/// blocks signals, and a program that takes this one's place would have them blocked for good.
@main
enum Start {
    /// The argument that makes this program a `PictureReader`, for our own use: before it has threads or settings.
    private static let readingPictures = "read-picture"
    /// This very program as a `PictureReader`.
    static let pictureReader = [OwnProgram.file, readingPictures]

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == [readingPictures] { exit(PictureReader.run().rawValue) }
        // Before anything of this process is other than its caller has left it.
        if let other = OtherCommand(arguments) { other.run() }
        StandardStreams.prepare()
        ProcessNeeds.prepare(arguments)
        // The portal refuses processes that it may not look at.
        let protects = ![[PortalScreenshotCommand.name], AgentShortcutCommand.words].contains {
            arguments.starts(with: $0)
        }
        Task { await Hybrid.begin(arguments, protects: protects) }
        dispatchMain()
    }
}
