import ArgumentParser

/// The options for digital-credential requests.
struct CredentialOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Take requests for digital credentials too, and let this program answer them: after your consent it gets \
            the request as JSON on its standard input, and writes the answer to its standard output.
            """, valueName: "program"))
    var credentialHandler: String?

    @Flag(help: "Offer digital credentials alone: no passkeys are opened. Needs --credential-handler.")
    var noPasskeys = false

    func validate() throws {
        guard !noPasskeys || credentialHandler != nil else {
            throw ValidationError("--no-passkeys leaves nothing to offer without --credential-handler")
        }
    }
}
