import ArgumentParser
import CommandLine
import LinuxSupport

/// The key to pass through.
enum SecurityKeyPlace: ExpressibleByArgument, Equatable, CustomStringConvertible {
    /// The only one that is plugged in, or the one of several that is touched.
    case only
    /// The one at this path.
    case path(String)

    /// Takes a path from the root or from this directory on; a QR code is none.
    init?(argument: String) {
        guard argument.hasPrefix("/") || argument.hasPrefix("./") || argument.hasPrefix("../") else { return nil }
        self = .path(argument)
    }

    /// The path; nil for the only one.
    var path: String? { if case .path(let path) = self { path } else { nil } }

    private static let onlyOne: Sentence = "the only one that is plugged in"

    var description: String { path ?? Self.onlyOne.localized }
}

/// The option for passkeys of a security key that is plugged in here.
struct SecurityKeyOption: ParsableArguments {
    @Option(
        defaultAsFlag: SecurityKeyPlace.only, parsing: .next,
        help: .saying(
            """
            Use the passkeys of a security key that is plugged in here: the only one, the one of several that you \
            touch, or the one at this path, as in --security-key=/dev/hidraw3. You approve each request here, and type \
            the key's PIN here.
            """, valueName: "path"), completion: .file())
    var securityKey: SecurityKeyPlace?

    /// Refuses options that are of no use, or contradict it: passkeys of this machine, and ways to verify or not to
    /// ask the user.
    ///
    /// - Throws: `ValidationError`.
    func validate(
        with vault: VaultOptions, _ newVault: NewVaultOption, _ verification: VerificationOption,
        _ linking: AuthenticatorLinkOptions, _ lab: LabOptions, _ keyLog: KeyLogOption
    ) throws {
        guard securityKey != nil else { return }
        guard vault.vault == nil, vault.passphraseFile == nil, !newVault.keyring, lab.usesVault else {
            throw ValidationError.saying(
                "--security-key opens no passkeys of this machine: leave out --vault, --passphrase-file, --keyring, "
                    + "--store and --ephemeral")
        }
        guard verification.verify == nil, !verification.presenceOnly else {
            throw ValidationError.saying(
                "the security key verifies you, by its PIN or by a finger: leave out --verify and --presence-only")
        }
        guard !lab.yes else {
            throw ValidationError.saying("you approve each request to a security key: leave out --yes")
        }
        guard linking.link != .yes else {
            throw ValidationError.saying("a client cannot be linked to a security key: leave out --link yes")
        }
        guard keyLog.keyLog == nil else {
            throw ValidationError.saying(
                "--key-log exposes sessions, and is not allowed with passkeys of a security key")
        }
    }
}
