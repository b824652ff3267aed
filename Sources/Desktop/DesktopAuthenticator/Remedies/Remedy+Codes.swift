package import KeyPassthrough
package import LinuxSupport
package import UserVerification
package import Vault

// Remedies for the errors of other modules, by their codes.

extension Remedy {
    /// Remedy for a user who was not verified.
    package static func verification(_ code: VerificationError.Code) -> Self {
        let text: Sentence =
            switch code {
            case .declined: startAgainUnlessIntended.text
            case .timeout: startAgainWithMoreTime.text
            case .notEnrolled: "enrol a finger first, with fprintd-enroll or in the desktop's settings"
            case .noMatch: "start again on the client to try once more"
            case .tooManyAttempts: "make sure that you are the user who is asked, then start again on the client"
            case .noAgent:
                "run this inside the desktop's session, with its authentication agent; or choose another --verify"
            case .notInstalled, .notPermitted:
                "install the policy for this user: \(PolicyInstaller.command); or choose another --verify"
            case .notAsked:
                "install the policy as it is shipped: \(PolicyInstaller.command); root is never asked, and cannot be "
                    + "verified"
            case .noService: "install and start polkitd or fprintd, whichever was chosen; or choose another --verify"
            case .untrustedService:
                "check its owner on the system bus, with busctl status; or choose another --verify"
            case .noDevice: "connect a fingerprint reader that libfprint knows, or choose another --verify"
            case .tooLong:
                "run this at a terminal, or install the package hybrid-desktop; the question is long"
            case .countNotKept:
                "free some disk space, and let this user write beside the vault; then start again on the client"
            case .deviceBusy: "end the other program that waits for a finger, then start again on the client"
            default: "start again on the client, or choose another --verify"
            }
        return Self("verification-\(code.rawValue)", text, for: .refusal)
    }

    /// Remedy for a security key that cannot be passed through.
    package static func securityKey(_ code: KeyPassthroughError.Code) -> Self {
        let (fault, text): (Fault, Sentence) =
            switch code {
            case .noLibrary: (.machine, "install libfido2 (Debian's package libfido2-1)")
            case .noKey: (.machine, "plug a security key in, or give the path of its node, such as /dev/hidraw3")
            case .severalKeys:
                (.usage, "touch one while they blink, or give the path of one: --security-key=PATH")
            case .notAKey:
                (
                    .usage,
                    "give the node of a security key, such as /dev/hidraw3; without a path the only one is taken"
                )
            case .notPermitted:
                (
                    .machine,
                    "systemd gives a key to the user at the screen; elsewhere an administrator must, by a udev rule"
                )
            case .inUse: (.machine, "end the other program that uses the key, then start again on the client")
            case .u2fOnly: (.usage, "take another security key: this one holds no passkeys")
            case .removed: (.machine, "plug the key in again, then start again on the client")
            case .notTouched: (.refusal, "start again on the client, and touch the key while it blinks")
            case .fault: (.machine, "plug the key in again; if it happens again, the key is faulty")
            case .wrongPIN:
                (
                    .refusal,
                    "if the key accepts no PIN, unplug it and plug it in again; then start again on the client"
                )
            case .pinLocked: (.refusal, "unplug the key and plug it in again, then start again on the client")
            case .pinBlocked:
                (
                    .refusal,
                    "only a reset helps, which erases the passkeys of the key: fido2-token -R and its path"
                )
            case .notVerified: (.refusal, "start again on the client, with a finger that the key knows")
            case .refused: (.refusal, startAgainUnlessIntended.text)
            }
        return Self("security-key-\(code.rawValue)", text, for: fault)
    }

    /// Remedy for a vault that cannot be used.
    package static func vault(_ code: VaultError.Code) -> Self {
        let (fault, text): (Fault, Sentence) =
            switch code {
            case .wrongPassphrase:
                (
                    .lock,
                    "try again; if you forgot it, move the vault away, and import an export of it: hybrid passkeys "
                        + "import"
                )
            case .wrongKeyring, .noSecret:
                (.lock, "give the passphrase, if the vault has one; import an export otherwise")
            case .noKeyring: (.lock, "run this in a desktop session with a keyring, or use a passphrase")
            case .keyringLocked, .keyringTimeout: (.lock, "start again, and unlock the keyring when it asks")
            case .keyringFailed: (.lock, "check the desktop's keyring")
            case .noVault: (.file, "check --vault; the vault is made with the first passkey")
            case .exists: (.file, "give the path of a file that does not exist yet")
            case .exposed: (.file, "chmod 600 the vault, and consider whether its passphrase is still secret")
            case .wrongOwner: (.file, "give the file back to its user with chown, or give another file with --vault")
            case .damaged:
                (.file, "check --vault; if it is the vault, restore a copy, or import an export into a new one")
            case .costly: (.file, "do not use this file: it is malicious")
            case .newerVersion: (.file, "update this program")
            case .inUse: (.file, "wait for hybrid authenticator to end, or end it")
            case .noDirectory: (.file, "set HOME, or give the file with --vault")
            case .full: (.file, "remove a passkey first: hybrid passkeys remove")
            case .libraryFailure: (.machine, "check the OpenSSL installation")
            default: (.file, diskText(code) ?? "check the file given with --vault")
            }
        return Self("vault-\(code.rawValue)", text, for: fault)
    }

    /// The words for a failure of the disk; nil for other codes.
    package static func diskText(_ code: VaultError.Code) -> Sentence? {
        switch code {
        case .noSpace: "free some disk space; nothing was changed"
        case .readOnly: "mount the disk for writing, or give a file elsewhere with --vault; nothing was changed"
        default: nil
        }
    }
}
