import ArgumentParser
import CTAP
import CommandLine
import HybridProtocol
import HybridTransport
import LinuxSupport
import WebAuthnClient

/// The relying party in whose name the client's commands for passkeys ask, and what it wants besides.
struct RelyingPartyOptions: ParsableArguments {
    @Option(
        name: .customLong("rp-id"),
        help: .saying("The relying party's identifier, a domain name: example.com.", valueName: "domain"))
    var id: String

    @Option(
        help: .saying("The origin in the client data. (default: https:// and the identifier)", valueName: "url"))
    var origin: String?

    @Option(
        help: .saying(
            "The file of registered public keys. (default: ~/.local/state/hybrid/credentials.json)", valueName: "file"),
        completion: .file())
    var state: String?

    @Option(
        help: .saying(
            "Evaluate the passkey's pseudo-random function for this text (the extension prf).",
            valueName: "text"))
    var prf: String?

    /// The relying party. Where its origin is of another domain, its list of related origins is asked for.
    ///
    /// - Throws: ``Failure``, ``RelyingPartyError``; ``DataChannelError`` for a bad file of authorities.
    func site(
        _ relatedOrigins: RelatedOriginsOption, _ tunnel: TunnelOptions, _ reporter: Reporter
    ) async throws -> RelyingParty {
        guard let origin else {
            try RelyingParty.refusePublicSuffix(id)
            return try RelyingParty(id: id)
        }
        let source = try RelatedOriginsSource(relatedOrigins.place, authorityFiles: tunnel.ca, proxies: tunnel.proxies)
        let site = try await RelyingParty(id: id, origin: origin, related: source)
        if site.isRelatedOrigin {
            let text: Sentence = "\(origin) is listed as a related origin of \(id)"
            reporter.write(.notice("related-origin", text), orSay: text)
        }
        return site
    }

    /// The inputs of the passkey's pseudo-random function.
    var prfInputs: PRFInputs? { prf.map { PRFInputs(first: Array($0.utf8)) } }

    /// The file of registered public keys.
    ///
    /// - Throws: ``RelyingPartyError`` if there is no place for it.
    func credentialFile() throws -> CredentialRecordFile {
        CredentialRecordFile(path: try state ?? CredentialRecordFile.defaultPath())
    }
}

/// An authenticator's answer to a command, and what it is.
struct PasskeyAnswer: Sendable {
    /// The bytes behind the status byte.
    let payload: [UInt8]
    /// The transports that the authenticator names.
    let transports: [String]
}

/// A command of the client that sends an authenticator one command for passkeys.
protocol PasskeyClientCommand: CeremonyCommand {
    var relyingParty: RelyingPartyOptions { get }
    var relatedOrigins: RelatedOriginsOption { get }
    var links: LinkOptions { get }
    var linkFile: LinkFileOption { get }
}

extension PasskeyClientCommand {
    /// Runs a ceremony with an authenticator and sends it one command.
    ///
    /// - Parameter use: takes the answer as soon as it has come: to end the session takes a round trip more.
    /// - Throws: ``Failure``, ``HybridTransportError``, ``LinkFileError``; otherwise what `use` throws.
    func send(
        _ request: CTAPRequest, _ hint: RequestHint, _ reporter: Reporter,
        use: @escaping @Sendable (PasskeyAnswer) throws -> Void
    ) async throws {
        let keeper = try links.keeper(linkFile, reporter)
        let linking = try links.linking(keeper, reporter)
        try await runCeremony(
            hint, linking: linking, showsCode: !links.linkedOnly, reporter
        ) { connection in
            let getInfo = try decoded(connection.firstMessage.getInfo ?? []) { (map) throws(CTAPError) in
                try GetInfoResponse(decoding: map.span)
            }
            let payload = try successPayload(of: await connection.send(request.encoded()))
            if let link = connection.link { keeper?.noteUse(of: link) }
            try use(PasskeyAnswer(payload: payload, transports: getInfo.transports))
        }
    }
}

/// The bytes behind the status byte of an answer.
///
/// - Throws: ``Failure`` for an answer that is a refusal, or none at all.
func successPayload(of answer: [UInt8]) throws -> [UInt8] {
    let response = try decoded(answer) { (answer) throws(CTAPError) in
        try CTAPResponse(decoding: answer.span)
    }
    guard response.status.isSuccess else { throw Failure(response.status) }
    return response.payload
}

/// Reads an authenticator's answer; one that cannot be read breaks the protocol.
///
/// - Throws: ``Failure``.
func decoded<Response>(_ payload: [UInt8], _ read: ([UInt8]) throws(CTAPError) -> Response) throws -> Response {
    do {
        return try read(payload)
    } catch {
        throw Failure(
            .protocolViolation, error, stage: .commandAnswered,
            hint: "start again; if it happens again, the authenticator is faulty")
    }
}
