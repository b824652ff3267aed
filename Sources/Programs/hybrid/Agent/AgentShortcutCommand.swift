import ArgumentParser
import CommandLine
import DesktopAuthenticator
import LinuxSupport

/// Answers the QR code on the screen at a key, through the desktop's portal. It is a process of its own, without
/// secrets and without the protection against other programs' looks, which the portal does not accept: `agent answer`,
/// a child, reads the code.
struct AgentShortcutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: name,
        summary: "Answer the QR code on the screen when a keyboard shortcut is pressed, until a signal.",
        details: """
            example:
              hybrid agent shortcut

            The desktop's portal asks once which keys are to be used, and keeps them; its settings change them. Each \
            press is hybrid agent answer --screen; while one is answered, further presses do nothing. To have the \
            shortcut in each session: systemctl --user enable --now hybrid-shortcut.
            """)
    private static let name = "shortcut"
    /// The arguments with which the command begins.
    static let words = ["agent", name]

    private static let answer = [OwnProgram.file, "agent", "answer", "--screen"]
    private static let description: Sentence = "Answer the passkey QR code on the screen"
    private static let shortcut = ShortcutPortal.Shortcut(
        id: "answer-screen", description: description.localized, preferredTrigger: "LOGO+SHIFT+k")
    /// The desktop entry that does the same, and gives the desktop a name and an icon to show.
    private static let application = "io.github.hybrid-transport.answer"
    /// The longest time for a question of the desktop's.
    private static let limit = Duration.seconds(300)
    /// The agent's own limit for an answer, and the time in which the screen is read.
    private static let answerLimits = ChildProgram.Limits(time: .seconds(1_080), length: 65_536)

    @OptionGroup(title: OptionTitle.output) var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            do {
                try await ShortcutPortal.wait(
                    for: Self.shortcut, of: Self.application, at: DBusAddress.session(), within: Self.limit,
                    onBinding: { trigger in
                        reporter.write(
                            Line("shortcut", ["state": "bound", "trigger": trigger]),
                            orSay: trigger.map { "the shortcut is bound: \(quoted($0))" }
                                ?? "the shortcut is bound: the desktop's settings show its keys")
                    },
                    onPress: { await Self.answer(reporter) })
            } catch let error as PortalError where error.code == .noInterface {
                throw Failure(
                    .failure, error, cause: "the portal of this desktop has no keyboard shortcuts",
                    hint: "bind a key to hybrid agent answer --screen in the settings of the desktop")
            }
        }
    }

    /// Runs the command that lets the agent answer, which says and shows what becomes of it.
    private static func answer(_ reporter: Reporter) async {
        reporter.write(Line("shortcut", ["state": "pressed"]), orSay: "the shortcut was pressed")
        do {
            let command = answer + (reporter.isJSON ? ["--json"] : [])
            let lines = try await ChildProgram.run(
                command, limits: answerLimits, onErrorLine: { reporter.show("\($0)\n") }
            ).output
            if !lines.isEmpty { reporter.print(String(decoding: lines, as: UTF8.self).trimmingWhitespace()) }
        } catch {
            guard !Task.isCancelled else { return }
            reporter.warn("not-answered", "the QR code was not answered: hybrid agent answer could not be run")
        }
    }
}
