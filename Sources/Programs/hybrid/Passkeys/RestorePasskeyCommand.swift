import ArgumentParser
import CommandLine
import LinuxSupport
import PasskeyAuthenticator
import Vault

/// Brings a passkey back that was replaced or handed over.
struct RestorePasskeyCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [VaultOptions.self]
    static let configuration = CommandConfiguration(
        commandName: "restore",
        summary: "Restore a passkey that was replaced, or whose hand-over failed.",
        details: """
            example:
              hybrid passkeys list --replaced
              hybrid passkeys list --handed-over
              hybrid passkeys restore 3f9a01c2

            A passkey that a newer one replaced, or that another device has confirmed to have, is kept for 30 days, \
            unused for any site. When it is restored, the newer passkey of its account, if there is one, becomes the \
            replaced one. The site is not told: make sure that it still knows the restored passkey. Restore a passkey \
            that was handed over only if the other device's confirmation was false; otherwise it works in both places.
            """)

    @OptionGroup var passkey: PasskeyArgument

    @Flag(help: .saying("Do not ask for confirmation of a passkey that was handed over."))
    var yes = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await restore(reporter) }
    }

    private func restore(_ reporter: Reporter) async throws {
        let vault = try await vault.open(for: .changing, reporter)
        let before = try await vault.credentials()
        let handedOver = try await vault.handedOver()
        let credential: Credential
        do {
            let aside = try await vault.replaced().map(\.credential) + handedOver.map(\.credential)
            credential = try passkey.choose(among: aside, by: \.id)
        } catch is Failure where before.contains(where: { passkey.names($0.id) }) {
            throw Failure.usage(
                "the passkey \(passkey.id) is in use",
                hint: "hybrid passkeys list --replaced, or --handed-over, shows what can be restored")
        }
        if let kept = handedOver.first(where: { $0.credential.id == credential.id }) {
            let receiver = quoted(kept.receiver.name)
            let question: Sentence =
                "\(PasskeyLine(credential).summary)\n\(receiver) has confirmed to have it. if so, it works in "
                + "both places. restore it?"
            guard try yes || TerminalQuestion.ask(question) else {
                await vault.close()
                throw Failure(.declined, code: "declined", cause: "nothing was restored", hint: Hint.startAgain)
            }
        }
        try await vault.restore(id: credential.id)
        let left = Set(try await vault.credentials().map(\.id))
        await vault.close()
        let line = PasskeyLine(credential)
        let newer = before.first { !left.contains($0.id) }.map { PasskeyLine($0).id }
        reporter.write(
            // The newer passkey is the replaced one now.
            Line("result", ["restored": line.id, "replaced": newer]),
            orSay: newer == nil
                ? "restored \(line.summary)" : "restored \(line.summary); the newer one is the replaced one now")
    }
}
