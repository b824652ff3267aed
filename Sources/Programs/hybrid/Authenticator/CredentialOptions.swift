import ArgumentParser
import CommandLine
import Glibc

/// The options for digital-credential requests.
struct CredentialOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Take requests for digital credentials too, and let this program answer them: after your consent it gets \
            the request as JSON on its standard input, and writes the answer to its standard output.
            """, valueName: "program"), completion: .file())
    var credentialHandler: String?

    @Flag(help: "Offer digital credentials alone: no passkeys are opened. Needs --credential-handler.")
    var noPasskeys = false

    /// Demands that the handler can be run, where its place is given.
    ///
    /// - Throws: ``Failure``.
    func checkHandler() throws(Failure) {
        guard let credentialHandler, credentialHandler.contains("/"), access(credentialHandler, X_OK) != 0 else {
            return
        }
        throw Failure(
            .file, code: "input-output", cause: "\(credentialHandler) cannot be run: \(SystemError.last)",
            hint: "check the program given with --credential-handler")
    }

    func validate() throws {
        guard !noPasskeys || credentialHandler != nil else {
            throw ValidationError("--no-passkeys leaves nothing to offer without --credential-handler")
        }
    }
}
