import ArgumentParser
import CommandLine
import LinuxSupport

/// The option for a key log. There is no environment variable for it: one that was set and forgotten would be
/// inherited.
struct KeyLogOption: ParsableArguments {
    @Option(
        help: .saying(
            """
            Append the keys of each session, and of its TLS connections, to this file. Anyone who has the file and a \
            capture can read everything: for labs only.
            """, valueName: "file"), completion: .file())
    var keyLog: String?

    /// Opens the file for a client.
    ///
    /// - Returns: nil without the option.
    /// - Throws: ``Failure``.
    func open(_ reporter: Reporter) throws(Failure) -> KeyLogFile? {
        guard let keyLog else { return nil }
        return try KeyLogFile(path: keyLog, reporter)
    }

    /// Opens the file for an authenticator; refused where its passkeys are real ones.
    ///
    /// - Returns: nil without the option.
    /// - Throws: ``Failure``.
    func open(for passkeys: PasskeyPlace, _ reporter: Reporter) throws(Failure) -> KeyLogFile? {
        guard keyLog == nil || !passkeys.isVault else {
            throw .usage(
                "--key-log exposes sessions, and is not allowed with the passkeys of a vault",
                hint: "give --ephemeral, or --store with a file of passkeys for tests")
        }
        return try open(reporter)
    }
}
