import ArgumentParser
import CommandLine
import DesktopAuthenticator
import HybridProtocol
import HybridTransport
import LinuxSupport
import PasskeyAuthenticator
import PasskeyExchange
import UserVerification
import Vault

/// The place of a hand-over's code, where it is not an argument.
struct HandOverCodeOptions: ParsableArguments {
    @Option(
        help: .saying("Read the code from a picture.", valueName: "file"), completion: .file())
    var image: String?

    @Flag(help: .saying("Read the code from a picture of the screen."))
    var screen = false

    @Flag(help: .saying("Read the code from the clipboard, its text or a picture of it."))
    var clipboard = false

    @Flag(help: .saying("Read the code with the camera, with zbarcam."))
    var camera = false

    /// True if one of them is given.
    var isGiven: Bool { count > 0 }

    /// The number of those that are given.
    var count: Int { [image != nil, screen, clipboard, camera].count { $0 } }
}

/// Options for the passkeys after a hand-over.
struct HandOverActionOptions: ParsableArguments {
    @Flag(help: .saying("Keep the passkeys here too."))
    var copy = false

    @Flag(help: .saying("Stop using the passkeys here, once the other device has them."))
    var move = false

    @Flag(help: .saying("Hand over nothing: settle the passkeys in transit to that device."))
    var settle = false
}

/// Hands passkeys over to somebody near.
struct SendPasskeysCommand: HandOverCommand, ReachOptions {
    static let configurable: [any ParsableArguments.Type] = [
        VerificationOption.self, VaultOptions.self, RadioOption.self, ChannelOption.self, TunnelDomainOption.self,
        TunnelOptions.self, TimeLimitOption.self,
    ]
    static let configuration = CommandConfiguration(
        commandName: "send",
        summary: "Hand passkeys over to somebody nearby who runs passkeys receive.",
        details: """
            example:
              hybrid passkeys send --move 3f9a01c2 -
              hybrid passkeys send --copy 3f9a01c2 77e0b1d4 --camera
              hybrid passkeys send --settle -

            The other device runs hybrid passkeys receive, which shows a QR code. Give its text, HYBRID-HANDOVER:/…, \
            as the last argument, or - to read it from standard input. The other device then shows a number of six \
            digits, which you type here. You have one attempt: after a wrong number, start again. You see which \
            passkeys go to which device before anything is sent. A moved passkey is in transit until the other device \
            confirms to have it: it is listed, but not usable here. If the hand-over breaks off meanwhile, connect \
            again with --settle. After the confirmation it is kept here for 30 days: hybrid passkeys purge --help.
            """)

    @Argument(help: .saying("The passkeys, each by its ID or enough of its digits; then the code, or -."))
    var words: [String] = []

    @OptionGroup(title: OptionTitle.handOver) var action: HandOverActionOptions
    @OptionGroup(title: OptionTitle.code) var code: HandOverCodeOptions
    @OptionGroup(title: OptionTitle.code) var age: CodeAgeOption
    @OptionGroup(title: OptionTitle.approval) var verification: VerificationOption
    @OptionGroup(title: OptionTitle.passkeys) var vault: VaultOptions
    @OptionGroup(title: OptionTitle.reach) var ownName: HandOverNameOption
    @OptionGroup(title: OptionTitle.reach) var radio: RadioOption
    @OptionGroup(title: OptionTitle.reach) var channel: ChannelOption
    @OptionGroup(title: OptionTitle.reach) var domain: TunnelDomainOption
    @OptionGroup(title: OptionTitle.reach) var tunnel: TunnelOptions
    @OptionGroup(title: OptionTitle.reach) var time: TimeLimitOption
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions

    /// The text of the code, if it is an argument: the last one.
    private var text: String? { code.isGiven ? nil : words.last }
    /// The passkeys, as they are named.
    private var ids: [String] { code.isGiven ? words : Array(words.dropLast()) }

    func validate() throws {
        try validateVerification()
        guard code.count <= 1 else {
            throw ValidationError.saying("give one of --image, --screen, --clipboard and --camera")
        }
        guard [action.copy, action.move, action.settle].count(where: { $0 }) == 1 else {
            throw ValidationError.saying("give one of --copy, --move and --settle")
        }
        guard text != nil || code.isGiven else {
            throw ValidationError.saying(
                "missing the code of the other device: its text, -, or --camera, --image, --screen")
        }
        guard ids.isEmpty == action.settle else {
            throw ValidationError.saying(
                action.settle
                    ? "--settle hands over nothing: leave out the passkeys"
                    : "missing the passkeys: hybrid passkeys list shows their IDs, and the code comes after them")
        }
        guard text != PassphraseInput.standardInputName || vault.passphraseFile != PassphraseInput.standardInputName
        else { throw ValidationError.saying("standard input cannot be both the code and the passphrase") }
    }

    func perform(_ reporter: Reporter) async throws {
        let typed = TypedPassphrase()
        let asking = try await asking(noting: typed, reporter)
        let source = CodeSource(
            text: text, image: code.image, screen: code.screen, clipboard: code.clipboard, camera: code.camera)
        guard let source else { throw Failure.usage("there is no code", hint: Hint.startAgain) }
        let text = try await source.read(.handOver, within: time.limits.discovery, reporter)
        let details = try HandOverInvitation(scanned: text).details
        try checkAge(details, reporter)
        let parts = try authenticatorParts(domain)
        try await parts.check(as: .authenticator, offered: details.channels)
        asking.announce(reporter)
        let vault = try await vault.open(for: .changing, noting: typed, reporter)
        let credentials = try await chosen(in: vault)
        let (place, limit) = (self.vault.place, time.limits.question)
        let sender = PasskeySender(
            vault: vault, approval: asking.approval, name: ownName.name,
            digits: { () async throws(Approval.Refusal) in
                try await place.digits(ComparisonCode.digitCount, within: limit, reporter)
            }, observe: reporter.listener(for: .authenticator))
        let mode: HandOverOffer.Mode = action.move ? .move : .copy
        let outcome = await outcome {
            try await reporter.during(.authenticator, isHandOver: true) { observer in
                let ceremony = try parts.authenticator(observe: observer)
                let invitation = try HandOverInvitation(scanned: text, observe: observer)
                return try await ceremony.handOver(invitation) { connection in
                    try await sender.send(credentials, mode, on: connection)
                }
            }
        }
        await vault.close()
        try outcome.get().report(
            action.settle ? "settle" : action.move ? "move" : "copy", as: .authenticator, to: reporter)
    }

    private func checkAge(_ details: Invitation.Details, _ reporter: Reporter) throws {
        guard !age.allowOld, try !CodeAge.check(details, now: secondsSince1970()) else { return }
        reporter.warn("unknown-age", "the code does not say when it was made: it may be an old one")
    }

    /// The passkeys that are named.
    ///
    /// - Throws: ``Failure`` for one that is not there, is replaced or in transit, or is named twice.
    private func chosen(in vault: Vault) async throws -> [Credential] {
        var chosen: [Credential] = []
        for id in ids {
            let (credential, line) = try await vault.find(PasskeyArgument(naming: id))
            guard line.replaced == nil else {
                throw Failure.usage(
                    "\(line.summary): it answers no site", hint: "restore it first: hybrid passkeys restore \(id)")
            }
            guard !chosen.contains(where: { $0.id == credential.id }) else {
                throw Failure.usage("\(line.summary) is named twice", hint: "name each passkey once")
            }
            chosen.append(credential)
        }
        guard chosen.count <= HandOverOffer.maxCount else {
            throw Failure.usage(
                "\(chosen.count) passkeys are too many for one hand-over",
                hint: "hand over \(HandOverOffer.maxCount) at once, and then the rest")
        }
        return chosen
    }
}

/// The outcome of work after which something has to be put in order.
func outcome<Value>(_ work: () async throws -> Value) async -> Result<Value, any Error> {
    do { return .success(try await work()) } catch { return .failure(error) }
}
