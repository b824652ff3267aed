import ArgumentParser
import CommandLine
import DesktopAuthenticator
import HybridProtocol
import LinuxSupport

extension Failure {
    /// True if the agent has not even begun.
    fileprivate var isBeforeAnything: Bool {
        [AgentRefusal.Code.busy, .tooMany].map(\.rawValue).contains(code)
    }
}

/// Lets the agent answer a QR code.
struct AgentAnswerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        summary: "Let the agent answer a QR code. It is started if needed, and asks for each approval.",
        details: """
            example:
              hybrid agent answer --screen

            In the desktop's menu, "Answer a passkey QR code" runs this command. A notification shows the result. The \
            agent first asks whether it was you, because any program of yours could give it a code. The options of the \
            ceremony are those of the agent: see hybrid agent run --help.
            """)

    /// The longest time to look through the camera.
    private static let cameraLimit = Duration.seconds(60)

    @OptionGroup(title: OptionTitle.code) var source: CodeInput
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            do {
                let code = try await source.read(Self.cameraLimit, reporter)
                _ = try Invitation(scanned: code)
                let outcome = try await AgentClient.with(at: DBusAddress.session(), starting: true) {
                    try await $0.answer(code, from: way)
                }
                reporter.write(Line("result", ["outcome": outcome]), orSay: Sentence(reason: outcome))
            } catch {
                let failure = Failure(error)
                // In the desktop's menu a notification is all that can be seen; the agent tells its own failures.
                if !StandardStreams.hasControllingTerminal, !(error is AgentFailure) || failure.isBeforeAnything {
                    await AgentNotice.tell(failure, reporter)
                }
                throw failure
            }
        }
    }

    /// The way of the code, for the agent's question.
    private var way: AgentWork.CodeSource {
        switch source.unconfirmedSource {
        case .link: .link
        case .screen: .screen
        case .clipboard: .clipboard
        case .picture: .picture
        case .program, nil: .text
        }
    }
}
