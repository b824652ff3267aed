import ArgumentParser
import CTAP
import CommandLine
import HybridProtocol
import HybridTransport
import LinuxSupport
import WebAuthnClient

/// Signs in with a passkey of another device.
struct SignInCommand: LinkedCeremonyCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        summary: "Show a QR code, sign in with a passkey of the device that reads it, and verify the assertion.",
        details: """
            example:
              hybrid client sign-in --rp-id example.com \\
                --radio udp:127.0.0.1:9999
              hybrid client sign-in --rp-id example.com --link
              hybrid client sign-in --rp-id example.com \\
                --origin https://example.co.uk

            An origin of another domain than --rp-id is accepted if --rp-id lists it in /.well-known/webauthn, as in \
            browsers.

            Prints the assertion in WebAuthn's JSON serialisation, or at a terminal only the outcome in words. The \
            assertion is verified against the public keys that register kept.
            """)

    @OptionGroup(title: OptionTitle.request) var relyingParty: RelyingPartyOptions
    @OptionGroup(title: OptionTitle.request) var relatedOrigins: RelatedOriginsOption
    @OptionGroup(title: OptionTitle.request) var allowed: AllowOption
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
        let site = try await relyingParty.site(relatedOrigins, tunnel, reporter)
        let file = try relyingParty.credentialFile()
        let known = try file.credentials(of: site.id).map(\.credential)
        guard !known.isEmpty else {
            throw RelyingPartyError(.unknownCredential, reason: "\(file.path) has no passkey for \(site.id)")
        }
        let signIn = try site.beginSignIn(
            allow: allowed.allow.map(\.bytes), prf: relyingParty.prfInputs)
        let request = signIn.request
        let once = Once(signIn)
        try await send(.getAssertion(request), .getAssertion, reporter) { answer in
            guard let signIn = once.take() else { return }
            let response = try decoded(answer.payload) { (payload) throws(CTAPError) in
                try GetAssertionResponse(decoding: payload.span)
            }
            let verified = try signIn.verify(response) { id in known.first { $0.id == id } }
            try file.record(verified, of: site.id)
            let done = RequestWords(.getAssertion, site: site.id, account: verified.credential.user.name).done
            reporter.result(verified, saying: "\(done); verified")
        }
    }
}

/// The credentials that may be used.
struct AllowOption: ParsableArguments {
    // One ID in 64 begins with a dash.
    @Option(
        parsing: .unconditionalSingleValue,
        help: .saying("A credential that may be used, base64url. (default: any of the site's)", valueName: "id"))
    var allow: [CredentialID] = []
}
