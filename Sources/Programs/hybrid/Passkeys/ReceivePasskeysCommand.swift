import ArgumentParser
import CommandLine
import DesktopAuthenticator
import HybridTransport
import LinuxSupport
import PasskeyExchange
import Vault

/// Takes passkeys over from somebody near.
struct ReceivePasskeysCommand: HandOverCommand, ReachOptions {
    static let configurable: [any ParsableArguments.Type] = [
        VerificationOption.self, VaultOptions.self, NewVaultOption.self, RadioOption.self, ChannelOption.self,
        TunnelOptions.self, TimeLimitOption.self, QROption.self,
    ]
    static let configuration = CommandConfiguration(
        commandName: "receive",
        summary: "Show a QR code, and receive passkeys from somebody nearby.",
        details: """
            example:
              hybrid passkeys receive
              hybrid passkeys receive --vault new.vault

            The other device runs hybrid passkeys send, which reads the code. This device then shows a number of six \
            digits to type there. You see the passkeys before any is taken. A passkey is not taken if its account has \
            another one here.
            """)

    @OptionGroup(title: OptionTitle.approval) var verification: VerificationOption
    @OptionGroup(title: OptionTitle.passkeys) var vault: VaultOptions
    @OptionGroup(title: OptionTitle.passkeys) var newVault: NewVaultOption
    @OptionGroup(title: OptionTitle.reach) var ownName: HandOverNameOption
    @OptionGroup(title: OptionTitle.reach) var radio: RadioOption
    @OptionGroup(title: OptionTitle.reach) var channel: ChannelOption
    @OptionGroup(title: OptionTitle.reach) var tunnel: TunnelOptions
    @OptionGroup(title: OptionTitle.reach) var time: TimeLimitOption
    @OptionGroup(title: OptionTitle.output) var code: QROption
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions

    func validate() throws { try validateVerification() }

    func perform(_ reporter: Reporter) async throws {
        let typed = TypedPassphrase()
        let parts = try clientParts(code)
        try await parts.check(as: .client)
        let asking = try await asking(isNewWithKeyring: newVault.keyring, noting: typed, reporter)
        asking.announce(reporter)
        // Before the code is shown: the other device does not wait while a passphrase is typed.
        let vault = try await vault.openOrCreate(usesKeyring: newVault.keyring, noting: typed, reporter)
        let code = try FollowedQRCode(
            code, in: self.vault.dialogues,
            saying: "let the other device read the code: hybrid passkeys send ID… --camera, or -", reporter)
        let receiver = PasskeyReceiver(vault: vault, approval: asking.approval, name: ownName.name) { event in
            reporter.report(event, as: .client)
            switch event {
            case HandOverEvent.code(let number): code.showStep("Type \(number.grouped) on the other device")
            // The question is in a window of its own.
            case HandOverEvent.offered: code.forget()
            default: break
            }
        }
        let outcome = await outcome {
            try await code.during(isHandOver: true) { observe in
                try await parts.client(observe: observe).receiveHandOver(timestamp: secondsSince1970()) { url in
                    try code.show(url)
                } session: { connection in
                    try await receiver.receive(on: connection)
                }
            }
        }
        await vault.close()
        try outcome.get().report("receive", as: .client, to: reporter)
    }
}
