import CommandLine
import DesktopAuthenticator
import HybridTransport
import KeyPassthrough
import LinuxSupport
import PasskeyAuthenticator
import PasskeyExchange
import SecurityKey
import Vault
import WebAuthnClient

// The exit status and the hint of the errors that this program meets beside those that all do.

extension RelyingPartyErrorCode: ExplainedCode {
    /// A failed verification, or a file of registered public keys that cannot be used.
    var explanation: (ExitStatus, hint: Sentence) {
        switch self {
        case .fileDamaged, .fileNewerVersion, .fileInaccessible, .fileInUse: (.file, Hint.stateFile)
        case .noStateDirectory: (.file, "set HOME, or give the file with --state")
        case .invalidRelyingPartyID: (.usage, "give --rp-id as a domain name in lower case: example.com")
        case .invalidOrigin: (.usage, "give --origin as https:// and a name that is --rp-id or ends in it")
        case .noSuffixList: (.file, Hint.suffixList)
        case .relatedOriginsUnavailable:
            (
                .usage,
                "give an --origin of --rp-id or below it; or let the site serve the list to everybody, or give it with "
                    + "--related-origins"
            )
        case .relatedOriginsContentType: (.usage, "let the site serve the list as application/json")
        case .relatedOriginsMalformed: (.usage, "correct the list; hybrid inspect FILE explains it")
        case .relatedOriginsOverLimit:
            (.usage, "move the origin up in the list: only 5 labels count; hybrid inspect FILE shows them")
        case .originNotListed: (.usage, "give an --origin that the list names, or let the site list this one")
        case .invalidCredentialID, .invalidUserHandle, .invalidChallenge: (.usage, "check the arguments")
        case .unknownCredential: (.notVerified, "make a passkey first: hybrid client register")
        case .alreadyRegistered: (.notVerified, "sign in with it: hybrid client sign-in")
        case .counterWentBack: (.notVerified, "there may be a copy of the passkey: make a new one")
        case .libraryFailure: (.failure, "check the OpenSSL installation")
        default: (.notVerified, "do not trust this authenticator; it is faulty or malicious")
        }
    }
}

extension LinkFileErrorCode: ExplainedCode {
    /// A file of links that cannot be used.
    var explanation: (ExitStatus, hint: Sentence) {
        switch self {
        case .unknownLink: (.usage, "link a device first: hybrid client sign-in --link")
        case .full: (.file, "remove a link first: links list shows what there is")
        case .newerVersion: (.file, "update this program")
        case .damaged: (.file, "restore a copy of the file, or move it away and link the devices again")
        case .noDirectory: (.file, "set HOME, or give the file with --links")
        case .sealed: (.usage, "leave out --store and --ephemeral, or give a lab's own file with --links")
        case .otherVault:
            (.file, "give the vault with which the devices were linked, or move the file away and link them again")
        case .inUse: (.file, "try again when the other process has ended")
        case .libraryFailure: (.failure, "check the OpenSSL installation")
        default:
            (.file, Remedy.diskText(.init(rawValue: rawValue)) ?? "check the file given with --links")
        }
    }
}

extension CredentialStoreErrorCode: ExplainedCode {
    /// A file of passkeys that cannot be used, or a vault that failed after it was opened.
    var explanation: (ExitStatus, hint: Sentence) {
        (.file, Remedy.diskText(.init(rawValue: rawValue)) ?? Hint.storeFile)
    }
}

extension VaultErrorCode: ExplainedCode {
    var explanation: (ExitStatus, hint: Sentence) { Remedy.vault(self).explanation }
}

extension DialogueErrorCode: ExplainedCode {
    var explanation: (ExitStatus, hint: Sentence) { remedy.explanation }
}

extension AgentRefusalCode: ExplainedCode {
    var explanation: (ExitStatus, hint: Sentence) { remedy.explanation }
}

extension PortalErrorCode: ExplainedCode {
    var explanation: (ExitStatus, hint: Sentence) {
        switch self {
        case .unavailable, .noInterface:
            (.failure, "install the portal of this desktop: xdg-desktop-portal, with its backend")
        case .refused: (.failure, "read the journal of the portal: journalctl --user -u 'xdg-desktop-portal*'")
        case .noDesktopEntry:
            (
                .file,
                "install io.github.hybrid-transport.answer.desktop, which the packages have, into "
                    + "~/.local/share/applications"
            )
        case .declined: (.declined, Hint.startAgain)
        case .timeout: (.timeout, Hint.startAgain)
        case .ended: (.failure, Hint.startAgain)
        }
    }
}

extension KeyPassthroughErrorCode: ExplainedCode {
    var explanation: (ExitStatus, hint: Sentence) { Remedy.securityKey(self).explanation }
}

extension SecurityKeyErrorCode: ExplainedCode {
    /// A security key that cannot be had, or has ended.
    var explanation: (ExitStatus, hint: Sentence) {
        switch self {
        case .notAvailable: (.failure, "as root: modprobe uhid; a kernel without uhid has no such keys")
        case .notPermitted:
            (.usage, "install the package hybrid-key-broker, then as root: systemctl enable --now hybrid-key.socket")
        case .noSession:
            (.usage, "log in at the screen; systemctl cat hybrid-key.service says how to admit other users")
        case .tooMany: (.usage, "end one of the running hybrid key commands first")
        case .tooOften: (.failure, "wait some seconds, then start it again")
        case .ended: (.failure, "start it again; the journal of hybrid-key may say more")
        case .failed: (.failure, "as root, read the journal: journalctl -u hybrid-key")
        }
    }
}

extension PasskeyFormatErrorCode: ExplainedCode {
    /// A file of passkeys that cannot be read or written.
    var explanation: (ExitStatus, hint: Sentence) {
        switch self {
        case .encrypted:
            (.file, "export again from Bitwarden, as unencrypted JSON, and delete that file afterwards")
        case .unknownVersion:
            (.file, "use a newer version of this program, or export in version 1 of the format")
        case .tooLarge: (.file, "export in parts, and import one after another")
        case .wrongPassphrase:
            (.locked, "try again; databases with a key file or a hardware key are not supported")
        case .missingLibrary:
            (.file, "install it (Debian's package libargon2-1), or save the database with AES-KDF")
        case .unsupported, .costly:
            (
                .file,
                "save the database as KDBX 4, with AES-256 or ChaCha20 and Argon2 at its usual cost, or export "
                    + "it as XML"
            )
        default: (.file, "check the file, and the format that --format gives")
        }
    }
}

extension AgentError: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension RequestRefused: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension AgentFailure: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension DBusError: ExplainedError {
    var failure: Failure { Failure(self) }
}
