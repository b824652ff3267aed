import ArgumentParser
import CommandLine
import LinuxSupport
import PasskeyAuthenticator
import Vault

/// Ends the transit of a passkey by the user's word.
struct TransitCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [VaultOptions.self]
    static let configuration = CommandConfiguration(
        commandName: "transit",
        summary: "Declare that a passkey in transit has arrived, or has not.",
        details: """
            example:
              hybrid passkeys list
              hybrid passkeys transit 3f9a01c2 --arrived
              hybrid passkeys transit 3f9a01c2 --take-back

            A passkey is in transit if its hand-over broke off when the other device may already have had it. If \
            possible, let that device answer: hybrid passkeys send --settle. Otherwise look there: hybrid passkeys \
            list. A passkey that you take back although it has arrived works in both places. A passkey that has \
            arrived is kept here for 30 days, unused for any site; hybrid passkeys restore brings it back.
            """)

    @OptionGroup var passkey: PasskeyArgument

    @Flag(help: .saying("It has arrived: do not use it here any more."))
    var arrived = false

    @Flag(help: .saying("It has not arrived, and never will: use it here again."))
    var takeBack = false

    @Flag(help: .saying("Do not ask for confirmation."))
    var yes = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard arrived != takeBack else { throw ValidationError.saying("give --arrived or --take-back") }
    }

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await settle(reporter) }
    }

    private func settle(_ reporter: Reporter) async throws {
        let vault = try await vault.open(for: .changing, reporter)
        let sent: CredentialInTransit
        do {
            sent = try await passkey.choose(among: vault.inTransit(), by: \.credential.id)
        } catch let failure as Failure {
            let others = try await vault.credentials()
            await vault.close()
            guard others.contains(where: { passkey.names($0.id) }) else { throw failure }
            throw Failure.usage("the passkey \(passkey.id) is not in transit", hint: "it is in use here already")
        }
        let line = PasskeyLine(sent)
        let question: Sentence =
            arrived
            ? "\(line.summary)\nif the other device does not have it, it is lost after 30 days. has it arrived?"
            : "\(line.summary)\nif the other device has it, it works in both places. take it back?"
        guard try yes || TerminalQuestion.ask(question) else {
            await vault.close()
            throw Failure(.declined, code: "declined", cause: "it is still in transit", hint: Hint.startAgain)
        }
        let id = sent.credential.id
        try await vault.settle(arrived: arrived ? [id] : [], takenBack: takeBack ? [id] : [])
        let isReplaced = try await vault.replaced().contains { $0.credential.id == id }
        await vault.close()
        let end: Sentence =
            arrived
            ? "handed over, and kept here for 30 days"
            : isReplaced ? "taken back as a replaced one, since its account has a newer one" : "taken back"
        reporter.write(
            // Replaced: taken back where its account has a newer one.
            Line(
                "result",
                ["id": line.id, "outcome": arrived ? "arrived" : isReplaced ? "replaced" : "taken-back"]),
            orSay: "\(end): \(PasskeyLine(sent.credential).summary)")
    }
}
