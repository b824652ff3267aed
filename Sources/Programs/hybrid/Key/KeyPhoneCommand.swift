import ArgumentParser
import CTAP
import CommandLine
import DesktopAuthenticator
import HybridProtocol
import HybridTransport
import LinuxSupport
import PasskeyAuthenticator
import SecurityKey
import UserVerification

/// A security key with the user's phone behind it.
struct KeyPhoneCommand: CeremonyCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone",
        summary: "Act as a USB security key with the passkeys of your phone, until Ctrl-C or the screen is locked.",
        details: """
            example:
              hybrid key phone
              hybrid key phone --linked-only --ask notification --stay

            Every program that supports security keys can use it: browsers, ssh-keygen -t ecdsa-sk, pam-u2f. Instead \
            of a touch, you are asked for permission to use your phone. Then a linked phone is asked; if none answers, \
            a QR code is shown. The phone that scans the code is linked, if it agrees, and needs no code the next \
            time. Only programs of yours see the key.
            """)

    @OptionGroup(title: OptionTitle.approval) var question: PhoneQuestionOption
    @OptionGroup(title: OptionTitle.links) var links: KeyLinkOptions
    @OptionGroup(title: OptionTitle.links) var linkFile: LinkFileOption
    @OptionGroup(title: OptionTitle.reach) var radio: RadioOption
    @OptionGroup(title: OptionTitle.reach) var channel: ChannelOption
    @OptionGroup(title: OptionTitle.reach) var tunnel: TunnelOptions
    @OptionGroup(title: OptionTitle.reach) var time: TimeLimitOption
    @OptionGroup(title: OptionTitle.reach) var key: KeyChannelOption
    @OptionGroup(title: OptionTitle.reach) var stay: KeyStayOption
    @OptionGroup(title: OptionTitle.output) var code: QROption
    @OptionGroup(title: OptionTitle.output) var windows: WindowOption
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions
    @OptionGroup(title: OptionTitle.labs) var keyLog: KeyLogOption

    func perform(_ reporter: Reporter) async throws {
        try key.check()
        let approval = try question.approval(by: windows.dialogues, within: time.limits.command, reporter)
        // A setup that cannot work is better reported now than when a program asks.
        let parts = try clientParts(code, keyLog: try keyLog.open(reporter))
        let keeper = ClientLinkKeeper(try linkFile.file(), reporter)
        if try keeper.file.links().isEmpty {
            guard !links.linkedOnly else {
                throw LinkFileError(.unknownLink, reason: "\(keeper.file.path) has no link")
            }
            reporter.say(
                links.noLink
                    ? "no phone is linked, so a QR code is shown each time"
                    : "no phone is linked yet: the first scans a QR code, and can then be linked")
        }
        try await parts.check(as: .client)
        let path = PhoneCredentialList.defaultPath()
        if path == nil {
            reporter.warn("no-list", "passkeys are not remembered: neither XDG_STATE_HOME nor HOME is set")
        }
        let code = try FollowedQRCode(code, in: windows.dialogues, reporter)
        let following = Task { await code.follow() }
        defer { following.cancel() }
        let phone = HybridPhone(parts, setup(keeper, code, reporter), observe: reporter.listener())
        code.onEnd { failure in
            reporter.say(failure.cause)
            phone.cancel()
        }
        let application = PhoneKey(
            ceremony: phone, approval: approval, list: path.map { PhoneCredentialList(path: $0) },
            observe: reporter.listener())
        try await KeySession(channel: key, stays: stay.stay, reporter: reporter).run(application)
    }

    private func setup(
        _ keeper: ClientLinkKeeper, _ code: FollowedQRCode, _ reporter: Reporter
    ) -> HybridPhone.Setup {
        let show: @Sendable (String) throws -> Void = { url in
            do { try code.show(url) } catch let failure as Failure { throw CTAPFailure(.other, failure.cause.english) }
        }
        return HybridPhone.Setup(
            offersLink: !links.noLink, links: { Self.knownLinks(of: keeper, reporter) }, noteLink: keeper.note,
            noteUse: keeper.noteUse, show: links.linkedOnly ? nil : show,
            observe: { code.report($0, to: reporter.listener(for: .client)) },
            ended: {
                code.forget()
                reporter.wait(for: nil, as: .client)
            })
    }

    /// The links as they are now: one that is made or forgotten meanwhile counts.
    private static func knownLinks(of keeper: ClientLinkKeeper, _ reporter: Reporter) -> [SharedLink] {
        do throws(LinkFileError) {
            return try keeper.file.links().map(\.link)
        } catch {
            reporter.warn("no-links", "linked phones are not asked: \(reason: error.reason)", role: .client)
            return []
        }
    }
}

/// The way to a phone.
struct KeyLinkOptions: ParsableArguments {
    @Flag(help: .saying("Ask linked phones only: show no QR code."))
    var linkedOnly = false

    @Flag(help: .saying("Do not offer to link the phone that scans the QR code."))
    var noLink = false
}

/// The place of the question that is the touch of a phone's key.
struct PhoneQuestionOption: ParsableArguments {
    enum Place: String, ExpressibleByArgument, CaseIterable {
        case terminal, notification, desktop
    }

    @Option(
        help: .saying(
            """
            Where to ask you for permission to use your phone: terminal; notification, a desktop notification, or a \
            window if notifications have no buttons; or desktop, a window. (default: the terminal; without one, a \
            notification)
            """, valueName: "where"))
    var ask: Place?

    /// - Throws: ``Failure`` if there is no way to ask.
    func approval(
        by dialogues: DesktopDialogues, within limit: Duration, _ reporter: Reporter
    ) throws -> any UserApproval {
        let window = DesktopApproval(timeout: limit, by: dialogues) { error in
            guard error.refusal == .unavailable else { return }
            reporter.warn(error.code.rawValue, Sentence(reason: error.reason))
        }
        switch ask ?? (StandardStreams.hasControllingTerminal ? .terminal : .notification) {
        case .terminal:
            guard StandardStreams.hasControllingTerminal else {
                throw Failure.usage(
                    "there is no terminal to ask you at",
                    hint: "run this in a terminal, or give --ask notification in a desktop session")
            }
            return TerminalApproval(timeout: limit)
        case .notification:
            return NotifyingApproval(
                timeout: limit, notification: Self.notification, dialogue: { window }, reporter: reporter)
        case .desktop:
            return window
        }
    }

    private static let explanation: Sentence =
        "A program asks its security key. Your phone is asked only if you agree. To use another key that is plugged "
        + "in, touch that one."

    private static func notification(of question: ApprovalQuestion) -> DesktopNotification {
        DesktopNotification(
            summary: question.title, body: explanation,
            withoutButtons: "", answerLabel: "Use phone")
    }
}
