import ArgumentParser
import CommandLine
import Encodings
import HybridProtocol
import HybridTransport
import LinuxSupport

/// Asks another device for a digital credential.
struct DigitalCredentialCommand: CeremonyCommand {
    static let configuration = CommandConfiguration(
        commandName: "digital-credential",
        summary: "Show a QR code, ask the device that reads it for a digital credential, and print the answer.",
        details: """
            example:
              hybrid client digital-credential \\
                --origin https://shop.example --request request.json

            The request is the value that a page passes to navigator.credentials as `digital`: \
            {"requests":[{"protocol":…,"data":…}]}. The output is {"protocol":…,"data":…}; the site that asked must \
            verify the credential in it.
            """)

    @OptionGroup(title: OptionTitle.request) var page: PageRequestOptions
    @OptionGroup(title: OptionTitle.request) var site: CredentialRequestOptions
    @OptionGroup(title: OptionTitle.reach) var radio: RadioOption
    @OptionGroup(title: OptionTitle.reach) var channel: ChannelOption
    @OptionGroup(title: OptionTitle.reach) var tunnel: TunnelOptions
    @OptionGroup(title: OptionTitle.reach) var time: TimeLimitOption
    @OptionGroup(title: OptionTitle.output) var code: QROption
    @OptionGroup(title: OptionTitle.output) var windows: WindowOption
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions
    @OptionGroup(title: OptionTitle.labs) var keyLog: KeyLogOption

    func perform(_ reporter: Reporter) async throws {
        let request = try site.credentialRequest(of: page)
        let hint: RequestHint = site.issuance ? .digitalCredentialIssuance : .digitalCredentialPresentation
        try await runCeremony(hint, reporter) { connection in
            switch try Self.answer(await connection.send(json: request.json)) {
            case .refusal(let refusal): throw Failure(refusal)
            case .credential(let credential):
                reporter.result(credential, saying: "received a credential, which is not verified here")
            }
        }
    }

    private static func answer(_ json: String) throws(Failure) -> DigitalCredentialAnswer {
        do throws(DigitalCredentialError) {
            return try DigitalCredentialAnswer(parsing: json)
        } catch {
            throw Failure(
                .protocolViolation, error, stage: .commandAnswered,
                hint: "start again; if it happens again, the device is faulty")
        }
    }
}

/// The request for a digital credential.
struct CredentialRequestOptions: ParsableArguments {
    @Flag(help: .saying("The site issues a credential instead of requesting one."))
    var issuance = false

    func credentialRequest(of page: PageRequestOptions) throws -> DigitalCredentialRequest {
        let bytes = try page.read(limit: JSONLimits.standard.byteCount)
        do {
            let digital = try JSONValue(parsing: bytes.span)
            return try DigitalCredentialRequest(
                origin: page.origin, kind: issuance ? .issuance : .presentation, digital: digital)
        } catch let error as JSONError {
            throw unusable(Sentence(reason: error.description))
        } catch let error as DigitalCredentialError {
            throw unusable(Sentence(reason: error.description))
        }
    }

    private func unusable(_ reason: Sentence) -> Failure {
        Failure(
            .file, code: "invalid-request", cause: "the request cannot be sent: \(reason)",
            hint: "give the value that a page passes to navigator.credentials as `digital`; see --help")
    }
}

extension Failure {
    /// A device's refusal to give a credential.
    fileprivate init(_ refusal: DigitalCredentialRefusal) {
        let (code, hint): (String, Sentence) =
            switch refusal {
            case .userCanceled: ("user-canceled", "the user declined on the device: start again to ask once more")
            case .deviceAborted: ("device-aborted", "the device could not continue: see its message, and start again")
            case .noCredential: ("no-credential", "the device has no credential of this kind")
            default: ("declined", "start again; that word is the device's reason")
            }
        self.init(
            .declined, code: code, stage: .commandAnswered, cause: "the device answered \(quoted(refusal.rawValue))",
            hint: hint)
    }
}
