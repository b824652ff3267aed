internal import CTAP
internal import HybridProtocol
internal import HybridTransport
package import LinuxSupport

/// One thing that a user can do about a fault, by its name and in words. Failures of commands have one, and so have the
/// faults that doctor finds: each fact has its words once.
package struct Remedy: Sendable, Hashable {
    /// The kind of a fault, by which a program chooses its exit code.
    package enum Fault: Sendable {
        /// Something of this machine.
        case machine
        /// A refusal: the user's, or the verifier's.
        case refusal
        /// A violation of the protocol by the other side.
        case violation
        case file, timeout, usage
        /// A cancelled task.
        case interruption
        /// A vault that stays locked.
        case lock
    }

    /// The name, for programs: lower case with hyphens.
    package let code: String
    /// For people: one sentence, lower case, no full stop.
    package let text: Sentence
    /// The kind of fault that it is for.
    package let fault: Fault

    package init(_ code: String, _ text: Sentence, for fault: Fault = .machine) {
        self.code = code
        self.text = text
        self.fault = fault
    }
}

// Remedies for windows without an answer, and for refusals of the agent.

extension DialogueErrorCode {
    /// One thing that the user can do.
    package var remedy: Remedy {
        let (fault, text): (Remedy.Fault, Sentence) =
            switch self {
            case .declined, .closed: (.refusal, "start again if that was not intended")
            case .timeout: (.timeout, "start again, and answer the window sooner")
            case .cancelled: (.interruption, "start again")
            case .missing:
                (.usage, "install the package hybrid-desktop, or run this in a terminal")
            case .noDisplay: (.usage, "run this in your desktop's session, or in a terminal")
            case .tooLong: (.usage, "run this in a terminal, which shows the whole")
            case .failed:
                (.machine, "try another program with --window, or give --ask terminal")
            }
        return Remedy("dialogue-\(rawValue)", text, for: fault)
    }
}

extension AgentRefusalCode {
    /// One thing that the user can do.
    package var remedy: Remedy {
        let (fault, text): (Remedy.Fault, Sentence) =
            switch self {
            case .locked: (.lock, "open it: hybrid agent unlock")
            case .lockedMeanwhile: (.lock, "start again, and unlock the vault when you are asked")
            case .busy: (.machine, "wait until the other request is over, or end it: hybrid agent lock")
            case .tooMany:
                (.machine, "wait a minute; if it was not you, look for the program that keeps asking")
            case .runsAlready: (.usage, "use that one, or end it first: hybrid agent stop")
            case .notRunning: (.machine, "start one: hybrid agent run; or do without it")
            case .otherVersion: (.machine, "end it, so that the next command starts the new one: hybrid agent stop")
            case .otherVault: (.usage, "leave out --vault, or do without the agent: --no-agent")
            case .busEnded: (.machine, "log in again, or start the session bus")
            case .replaced: (.machine, "start it again: the new version is in its place")
            }
        return Remedy("agent-\(rawValue)", text, for: fault)
    }
}

extension Remedy {
    package static let setUpVerification = Self("set-up-verification", setUpText)
    /// For a command that needs a verification.
    package static let setUpAnyVerification = Self("set-up-verification", "set one up: \(setUpText)", for: .usage)
    private static let setUpText: Sentence =
        "enrol a finger (fprintd-enroll), or \(PolicyInstaller.command), or give the vault a passphrase (hybrid "
        + "passkeys passphrase)"
}

// Remedies for requests that were refused, and for QR codes that cannot be read.

extension Remedy {
    package static let startAgain = Self("start-again", "start again when you are ready", for: .refusal)
    static let startAgainUnlessIntended = Self(
        "start-again-unless-intended", "start again on the client if that was not intended", for: .refusal)
    static let useOtherWay = Self(
        "use-other-way",
        "hybrid passkeys list shows what there is; sign in to the site in another way, then make a passkey here",
        for: .refusal)
    static let startAgainWithMoreTime = Self(
        "start-again-with-more-time", "start again on the client; --timeout gives you longer", for: .refusal)
    static let reportClient = Self(
        "report-client", "start again; if it happens again, the client is faulty", for: .violation)
    static let distrustSite = Self(
        "distrust-site", "nothing was shown; go to the site yourself, and leave the page that led you here",
        for: .violation)
    static let nothingShown = Self("nothing-shown", "nothing was shown to the site", for: .refusal)
    static let checkHandler = Self(
        "check-handler",
        "check the program given with --credential-handler; its standard error is shown")
    static let useVault = Self(
        "use-vault", "leave out --store and --ephemeral, or choose another --verify", for: .usage)
    static let setPassphrase = Self(
        "set-passphrase", "give it one with hybrid passkeys passphrase, or choose another --verify", for: .usage)
}

extension Remedy {
    /// Remedy for a request that was refused with a status, and not by a failed verification.
    static func refusal(_ status: CTAPStatus) -> Self {
        switch status {
        case .userActionTimeout: startAgainWithMoreTime
        case .noCredentials: useOtherWay
        case .credentialExcluded: useExisting
        default: startAgainUnlessIntended
        }
    }

    private static let useExisting = Self(
        "use-existing", "there is already a passkey for this site here: sign in with it", for: .refusal)
}

extension Remedy {
    static let checkPicture = Self(
        "check-picture", "check the picture, or give the text of the QR code instead", for: .file)
    static let showWholeCode = Self(
        "show-whole-code", "take a picture of the whole code, with the white edge around it", for: .file)
    static let findHybridCode = Self(
        "find-hybrid-code",
        "on the site, choose a passkey on another device, and take a picture of the code that it shows", for: .file)
    static let cropPicture = Self("crop-picture", "crop the picture to the code that you mean", for: .file)
    static let showOneCode = Self("show-one-code", "cover all codes except the one that you mean", for: .file)
    package static let installZbar = Self(
        "install-zbar",
        "install zbar's library and libpng: sudo apt install --no-install-recommends libzbar0 libpng16-16; for other "
            + "pictures than PNG, and for the camera, zbar-tools; or give the text of the QR code")
    static let connectCamera = Self(
        "connect-camera", "connect a camera, close other programs that use it, or give --image or --screen")
    static let holdCodeBeforeCamera = Self(
        "hold-code-before-camera",
        "hold the whole code in front of the camera, in good light; --timeout gives you longer", for: .timeout)
    static let showScreen = Self("show-screen", "run this in your desktop session, or give --image")
    static let installScreenshotProgram = Self(
        "install-screenshot-program",
        "install grim (Wayland), imagemagick (X11), gnome-screenshot or spectacle; or take it yourself and give --image"
    )
    static let allowScreenshot = Self(
        "allow-screenshot", "allow it in the desktop's settings, or give --image, --clipboard or --camera",
        for: .refusal)
    static let showCodeOnScreen = Self(
        "show-code-on-screen", "bring the window with the whole code to the front, then start again", for: .file)
    static let installClipboardProgram = Self(
        "install-clipboard-program", "install wl-clipboard (Wayland) or xclip (X11), or give --image")
    static let copyCode = Self(
        "copy-code", "copy the picture of the code, or its text, FIDO:/…, then start again", for: .file)
    static let checkRuntimeDirectory = Self(
        "check-runtime-directory", "check XDG_RUNTIME_DIR, or take the picture yourself and give --image", for: .file)
}
