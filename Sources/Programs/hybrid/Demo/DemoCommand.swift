import ArgumentParser
import CTAP
import CommandLine
import HybridProtocol
import LinuxSupport
import WebAuthnClient

/// All three roles on this machine: a passkey is made and then used.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        summary: "Run client, authenticator and tunnel service on this machine: make a passkey, then use it.",
        details: """
            example:
              hybrid demo

            The tunnel service speaks TLS over loopback with a temporary certificate; the radio is simulated. The \
            authenticator approves by itself: nobody is asked.
            """)

    @OptionGroup var code: QROption
    @OptionGroup var output: OutputOptions

    private static let siteID = "example.com"
    private static let userName = "alice@example.com"

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await demonstrate(reporter) }
    }

    private func demonstrate(_ reporter: Reporter) async throws {
        reporter.warn("asks-nobody", "in this demonstration the authenticator approves by itself")
        try await Demonstration.with(reporter: reporter, code: code) { demonstration in
            let site = try RelyingParty(id: Self.siteID)

            reporter.say("registering a passkey for \(Self.userName) at \(Self.siteID)")
            let registration = try site.beginRegistration(userName: Self.userName)
            let attestation = try await demonstration.ceremony(.makeCredential(registration.request), .makeCredential)
            let registered = try registration.verify(
                decoded(attestation) { (answer) throws(CTAPError) in try .init(decoding: answer.span) })
            reporter.result(registered, saying: Self.words(.makeCredential))

            let credential = registered.credential
            reporter.say("signing in with it")
            let signIn = try site.beginSignIn()
            let assertion = try await demonstration.ceremony(.getAssertion(signIn.request), .getAssertion)
            let verified = try signIn.verify(
                decoded(assertion) { (answer) throws(CTAPError) in try .init(decoding: answer.span) }
            ) { id in id == credential.id ? credential : nil }
            reporter.result(verified, saying: Self.words(.getAssertion))
            reporter.say("next: hybrid tunnel-service --dev, for the three roles in three terminals")
        }
    }

    private static func words(_ command: CTAPCommand) -> Sentence {
        "\(RequestWords(command, site: siteID, account: userName).done); verified"
    }
}
