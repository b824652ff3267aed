import ArgumentParser
import CommandLine
import LinuxSupport
import WebAuthnClient

/// The relying party in whose name the client's commands for passkeys ask, and its other requirements.
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
