import ArgumentParser
import CTAP
import CommandLine
import Encodings
import HybridProtocol
import HybridTransport
import LinuxSupport
import WebAuthnClient

/// The device that a command's ceremony reaches.
struct CommandAuthenticator<Command: LinkedCeremonyCommand>: WebAuthnAuthenticator {
    let command: Command
    let reporter: Reporter
    let keeper: ClientLinkKeeper?

    func withSession<Value: Sendable>(
        for hint: RequestHint, _ body: @escaping @Sendable (any WebAuthnSession) async throws -> Value
    ) async throws -> Value {
        let linking = try command.links.linking(keeper, reporter)
        return try await command.runCeremony(
            hint, linking: linking, showsCode: !command.links.linkedOnly, reporter
        ) { connection in
            let value = try await body(connection)
            if let link = connection.link { keeper?.noteUse(of: link) }
            return value
        }
    }
}

/// The place of a relying party's list of origins of other domains.
struct RelatedOriginsOption: ParsableArguments {
    @Option(
        name: .customLong("related-origins"),
        help: .saying(
            "The identifier's list of related origins, an https:// address or a file. "
                + "(default: https://DOMAIN/.well-known/webauthn)", valueName: "place"),
        completion: .file())
    var place: String?
}

/// A browser's part in a page's ceremony: create or get.
protocol PageCeremony {
    static var configuration: CommandConfiguration { get }
    /// The name in the result.
    static var name: String { get }

    /// Has a device answer.
    ///
    /// - Parameter take: takes the response, JSON, before the session is ended.
    static func answer(
        _ options: String, as client: WebAuthnClient, with device: some WebAuthnAuthenticator,
        take: @escaping @Sendable (String) -> Void
    ) async throws
}

/// Answers a page's options as its browser would.
struct PageCommand<Ceremony: PageCeremony>: LinkedCeremonyCommand {
    static var configuration: CommandConfiguration { Ceremony.configuration }

    @OptionGroup(title: OptionTitle.request) var page: PageRequestOptions
    @OptionGroup(title: OptionTitle.request) var relatedOrigins: RelatedOriginsOption
    @OptionGroup(title: OptionTitle.links) var links: LinkOptions
    @OptionGroup(title: OptionTitle.links) var linkFile: LinkFileOption
    @OptionGroup(title: OptionTitle.reach) var radio: RadioOption
    @OptionGroup(title: OptionTitle.reach) var channel: ChannelOption
    @OptionGroup(title: OptionTitle.reach) var tunnel: TunnelOptions
    @OptionGroup(title: OptionTitle.reach) var time: TimeLimitOption
    @OptionGroup(title: OptionTitle.output) var code: QROption
    @OptionGroup(title: OptionTitle.output) var windows: WindowOption
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions
    @OptionGroup(title: OptionTitle.labs) var keyLog: KeyLogOption

    func perform(_ reporter: Reporter) async throws {
        let source = try RelatedOriginsSource(relatedOrigins.place, authorityFiles: tunnel.ca, proxies: tunnel.proxies)
        let bytes = try page.read(limit: JSONLimits.standard.byteCount)
        guard let options = String(validating: bytes, as: UTF8.self) else {
            throw WebAuthnClientError(.type, reason: "the options are not text in UTF-8")
        }
        let client = try WebAuthnClient(origin: page.origin, related: source)
        let keeper = try links.keeper(linkFile, reporter)
        let device = CommandAuthenticator(command: self, reporter: reporter, keeper: keeper)
        let name = Ceremony.name
        try await Ceremony.answer(options, as: client, with: device) { response in
            reporter.result(response, of: name, saying: "received the response; the site must verify it")
        }
    }
}

/// Makes a passkey for a page.
enum PageCreation: PageCeremony {
    static let configuration = CommandConfiguration(
        commandName: "create",
        summary: "Show a QR code, make a passkey for a page on the device that reads it, and print the response.",
        details: """
            example:
              hybrid client create \\
                --origin https://example.com --request options.json

            The request is the value that a page passes to PublicKeyCredential.parseCreationOptionsFromJSON(). The \
            output is the response that the page would send back, RegistrationResponseJSON; the site must verify it. \
            The identifier in the request must be the origin's domain, a domain above it, or one that lists the \
            origin.
            """)
    static let name = "registration"

    static func answer(
        _ options: String, as client: WebAuthnClient, with device: some WebAuthnAuthenticator,
        take: @escaping @Sendable (String) -> Void
    ) async throws {
        _ = try await client.create(options, with: device) { take($0.description) }
    }
}

/// Signs a user in to a page.
enum PageSignIn: PageCeremony {
    static let configuration = CommandConfiguration(
        commandName: "get",
        summary: "Show a QR code, sign in to a page with the device that reads it, and print the response.",
        details: """
            example:
              hybrid client get \\
                --origin https://example.com --request options.json

            The request is the value that a page passes to PublicKeyCredential.parseRequestOptionsFromJSON(). The \
            output is the response that the page would send back, AuthenticationResponseJSON; the site must verify it.
            """)
    static let name = "authentication"

    static func answer(
        _ options: String, as client: WebAuthnClient, with device: some WebAuthnAuthenticator,
        take: @escaping @Sendable (String) -> Void
    ) async throws {
        _ = try await client.get(options, with: device) { take($0.description) }
    }
}

extension WebAuthnExceptionName: ExplainedCode {
    /// An exception, as a page would see it.
    var explanation: (ExitStatus, hint: Sentence) {
        switch self {
        case .type, .encoding, .syntax, .notSupported:
            (.usage, "correct the request; WebAuthn Level 3 section 5.1 defines its form")
        case .security:
            (.usage, "give an --origin of the request's identifier, or below it; or let the site list it")
        case .invalidState: (.declined, "the device has a passkey for this site already: sign in with it")
        case .unknown: (.protocolViolation, "start again; if it happens again, the device is faulty")
        default: (.declined, "start again; see what the device says")
        }
    }
}
