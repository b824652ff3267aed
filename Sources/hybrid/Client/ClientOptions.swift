import ArgumentParser
import CTAP
import FoundationEssentials
import HybridProtocol
import HybridTransport
import RelyingParty

/// What both of the client's commands take.
struct ClientOptions: ParsableArguments {
    @Option(name: .customLong("rp-id"), help: ArgumentHelp("The relying party's identifier.", valueName: "domain"))
    var relyingPartyID: String

    @Option(
        help: ArgumentHelp("The origin in the client data; https:// and the identifier otherwise.", valueName: "url"))
    var origin: String?

    @Option(help: ArgumentHelp("The file of registered public keys.", valueName: "file"))
    var state: String?

    @OptionGroup var radio: RadioOption
    @OptionGroup var tunnel: TunnelOptions
    @OptionGroup var time: TimeLimitOption
    @OptionGroup var code: QROption
    @OptionGroup var output: OutputOptions

    /// The relying party that the client is for itself.
    ///
    /// - Throws: ``Failure``.
    func relyingParty() throws -> RelyingParty {
        do {
            return try RelyingParty(id: relyingPartyID, origin: origin)
        } catch {
            throw Failure(.usage, code: error.code.rawValue, cause: error.reason)
        }
    }

    /// Where registered public keys are kept.
    ///
    /// - Throws: ``RelyingPartyError`` if there is no place for it.
    func credentialFile() throws -> CredentialFile { CredentialFile(path: try state ?? CredentialFile.defaultPath()) }

    /// An authenticator's answer to a command, and what it is.
    struct Answer: Sendable {
        /// What follows the status byte.
        let payload: [UInt8]
        /// How the authenticator says that it can be reached.
        let transports: [String]
    }

    /// Shows a QR code and sends one command to the authenticator that answers it.
    ///
    /// - Throws: ``Failure``, ``HybridTransportError``.
    func send(_ request: CTAPRequest, _ hint: RequestHint, _ reporter: Reporter) async throws -> Answer {
        let ceremony = ClientCeremony(
            scanner: try radio.scanner(), opener: try tunnel.opener(), service: tunnel.service, limits: time.limits,
            observe: reporter.observer(.client))
        let code = code
        return try await ceremony.run(hint: hint, timestamp: Self.now()) { url in
            try code.show(url, reporter)
        } session: { connection in
            let getInfo = try decoded(connection.firstMessage.getInfo ?? []) { (map) throws(CTAPError) in
                try GetInfoResponse(decoding: map.span)
            }
            let payload = try Self.payload(of: await connection.send(request.encoded()))
            return Answer(payload: payload, transports: getInfo.transports)
        }
    }

    /// What follows the status byte of an answer.
    ///
    /// - Throws: ``Failure`` for an answer that is a refusal, or none at all.
    static func payload(of answer: [UInt8]) throws -> [UInt8] {
        let response: CTAPResponse
        do {
            response = try CTAPResponse(decoding: answer.span)
        } catch {
            throw Failure(.protocolViolation, code: error.code.rawValue, cause: error.reason)
        }
        guard response.status.isSuccess else {
            throw Failure(
                .declined, code: "refused", stage: .commandAnswered,
                cause: "the authenticator answered \(response.status)",
                hint: hint(response.status))
        }
        return response.payload
    }

    /// The time in seconds since 1970.
    static func now() -> UInt64 { UInt64(max(0, Date().timeIntervalSince1970)) }

    private static func hint(_ status: CTAPStatus) -> String {
        switch status {
        case .credentialExcluded: "the device has a passkey for this site already: sign in with it"
        case .noCredentials: "the device has no passkey for this site: register first"
        case .operationDenied: "it was declined on the device: start again to ask once more"
        case .userActionTimeout, .timeout: "nobody answered on the device in time: start again"
        default: "start again; the status says what the device made of the request"
        }
    }
}

extension Failure {
    /// A failed verification, or a file of registered public keys that cannot be used.
    init(_ error: RelyingPartyError) {
        let isFile = error.code.rawValue.hasPrefix("file-") || error.code == .noStateDirectory
        self.init(isFile ? .file : .notVerified, code: error.code.rawValue, cause: error.reason)
    }
}
