import ArgumentParser
import CommandLine
import Dispatch
import Glibc
import HybridProtocol
import LinuxSupport
import PasskeyExchange

/// The program that tests implementations, checks vectors, and explains pieces of the protocol.
struct ConformanceCommand: Program {
    static let configuration = CommandConfiguration(
        commandName: "hybrid-conformance",
        summary: Abstract.conformance,
        details: """
            example:
              hybrid-conformance authenticator -- my-authenticator \\
                {url} --tunnel {tunnel} --ca {ca} --radio {radio}

            In each case the runner plays the other side. A case is a rule to follow, an error to reject, or an attack \
            to survive. Where the rule itself is disputed, the peer's behaviour is reported, and is not a failure.

            `hybrid conformance` is this program, and `hybrid vectors` and `hybrid inspect` are two of its commands. \
            `hybrid-conformance help exit-codes` explains the exit codes.
            """,
        subcommands: [
            ConformanceAuthenticatorCommand.self, ConformanceClientCommand.self, ConformanceTunnelServiceCommand.self,
            ConformanceCompareCommand.self, ConformanceBadgeCommand.self, ConformancePageCommand.self,
            VectorsCommand.self, InspectCommand.self, PhoneCommand.self, PlatformCommand.self, RelayCommand.self,
        ])

    static let codes: [InvitationScheme] = [.fido, .handOver]

    // The parser's own option would stand in the help of every command.
    @Flag(name: .customLong("version"), help: .saying("Show the version."))
    var showsVersion = false

    func run() async throws {
        guard showsVersion else { throw CleanExit.helpRequest(self) }
        throw CleanExit.message(Version.version)
    }
}

/// The start of the program, before it has tasks: an asynchronous `main` is one.
@main
enum Start {
    static func main() {
        StandardStreams.prepare()
        // No test depends on the configuration here: hybrid, which it may start, reads no settings then.
        setenv("HYBRID_CONFIG", "none", 1)
        let arguments = Array(CommandLine.arguments.dropFirst())
        ProcessNeeds.prepare(arguments)
        Task { await ConformanceCommand.begin(arguments) }
        dispatchMain()
    }
}
