import ArgumentParser
import CommandLine
import DesktopAuthenticator
import LinuxSupport

/// Asks the desktop's portal for a picture of the screen: for our own use. It is a process of its own, without secrets
/// and without the protection against other programs' looks, which the portal does not accept.
struct PortalScreenshotCommand: AsyncParsableCommand {
    static let name = "portal-screenshot"
    /// This very program.
    static let command = [OwnProgram.file, name]
    /// The longest time for the desktop's question.
    private static let limit = Duration.seconds(60)

    static let configuration = CommandConfiguration(
        commandName: name,
        summary: "Take a picture of the screen by the desktop's portal, and write its path.",
        details: """
            example:
              hybrid portal-screenshot
            """, shouldDisplay: false)

    func run() async throws {
        let reporter = Reporter(isJSON: false)
        try await runCommand(reporter) {
            reporter.print(try await ScreenshotPortal.picture(at: DBusAddress.session(), within: Self.limit))
        }
    }
}
