import CommandLine
import DesktopAuthenticator

extension Failure {
    /// A failure of the authenticator's agent.
    init(_ error: AgentError) {
        self.init(
            error.advice.status, code: error.code, cause: error.cause, hint: error.advice.hint,
            ctapStatus: error.ctapStatus)
    }

    /// A session whose last request was refused.
    init(_ refused: RequestRefused) {
        let answer = refused.answer
        self = Failure(refused.reason)
            .saying("\(answer.command) was answered \(answer.outcome.text): \(refused.reason.cause)")
    }
}

extension AgentError.Advice {
    fileprivate var status: ExitStatus {
        switch self {
        case .startAgain, .startAgainUnlessIntended, .startAgainWithMoreTime, .verification, .nothingShown,
            .allowScreenshot:
            .declined
        case .reportClient, .distrustSite: .protocolViolation
        case .checkHandler, .installZbar, .connectCamera, .useDesktopSession, .installScreenshotProgram,
            .installClipboardProgram:
            .failure
        case .checkPicture, .showWholeCode, .findHybridCode, .cropPicture, .showOneCode, .showCodeOnScreen, .copyCode,
            .checkRuntimeDirectory:
            .file
        case .holdCodeBeforeCamera: .timeout
        case .useVault, .setPassphrase: .usage
        case .securityKey(let code): code.status
        }
    }

    /// One thing that the user can do.
    fileprivate var hint: String {
        switch self {
        case .startAgain: Hint.startAgain
        case .startAgainUnlessIntended: "start again on the client if that was not intended"
        case .startAgainWithMoreTime: "start again on the client; --timeout gives you longer"
        case .verification(let code): code.hint
        case .securityKey(let code): code.hint
        case .reportClient: "start again; if it happens again, the client is faulty"
        case .distrustSite: "nothing was shown; go to the site yourself, and do not go on where you came from"
        case .nothingShown: "nothing was shown to the site"
        case .checkHandler:
            "check the program given with --credential-handler; what it says on its standard error is shown"
        case .checkPicture: "check the picture, or give the text of the QR code instead"
        case .showWholeCode: "take a picture of the whole code, with the white edge around it"
        case .findHybridCode:
            "on the site, choose a passkey on another device, and take a picture of the code that it shows"
        case .cropPicture: "cut the picture down to the one that is meant"
        case .showOneCode: "cover all codes but the one that is meant"
        case .installZbar: "install zbar-tools, or give the text of the QR code instead"
        case .connectCamera: "connect a camera, close what else uses it, or give --image or --screen"
        case .holdCodeBeforeCamera:
            "hold the whole code before the camera, in good light; --timeout gives you longer"
        case .useDesktopSession: "run this in your desktop session, or give --image"
        case .installScreenshotProgram:
            "install grim (Wayland), imagemagick (X11), gnome-screenshot or spectacle; "
                + "or take it yourself and give --image"
        case .allowScreenshot: "allow it in the desktop's settings, or give --image, --clipboard or --camera"
        case .showCodeOnScreen: "bring the window with the whole code to the front, then start again"
        case .installClipboardProgram: "install wl-clipboard (Wayland) or xclip (X11), or give --image"
        case .copyCode: "copy the picture of the code, or its text, FIDO:/…, then start again"
        case .checkRuntimeDirectory: "check XDG_RUNTIME_DIR, or take the picture yourself and give --image"
        case .useVault: "leave out --store and --ephemeral, or choose another --verify"
        case .setPassphrase: "give it one with hybrid passkeys passphrase, or choose another --verify"
        }
    }
}
