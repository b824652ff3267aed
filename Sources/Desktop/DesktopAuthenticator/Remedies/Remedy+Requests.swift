// Remedies for requests that were refused, and for QR codes that cannot be read.

extension Remedy {
    static let startAgain = Self("start-again", "start again when you are ready", for: .refusal)
    static let startAgainUnlessIntended = Self(
        "start-again-unless-intended", "start again on the client if that was not intended", for: .refusal)
    static let startAgainWithMoreTime = Self(
        "start-again-with-more-time", "start again on the client; --timeout gives you longer", for: .refusal)
    static let reportClient = Self(
        "report-client", "start again; if it happens again, the client is faulty", for: .violation)
    static let distrustSite = Self(
        "distrust-site", "nothing was shown; go to the site yourself, and do not go on where you came from",
        for: .violation)
    static let nothingShown = Self("nothing-shown", "nothing was shown to the site", for: .refusal)
    static let checkHandler = Self(
        "check-handler",
        "check the program given with --credential-handler; what it says on its standard error is shown")
    static let useVault = Self(
        "use-vault", "leave out --store and --ephemeral, or choose another --verify", for: .usage)
    static let setPassphrase = Self(
        "set-passphrase", "give it one with hybrid passkeys passphrase, or choose another --verify", for: .usage)
}

extension Remedy {
    static let checkPicture = Self(
        "check-picture", "check the picture, or give the text of the QR code instead", for: .file)
    static let showWholeCode = Self(
        "show-whole-code", "take a picture of the whole code, with the white edge around it", for: .file)
    static let findHybridCode = Self(
        "find-hybrid-code",
        "on the site, choose a passkey on another device, and take a picture of the code that it shows", for: .file)
    static let cropPicture = Self("crop-picture", "cut the picture down to the one that is meant", for: .file)
    static let showOneCode = Self("show-one-code", "cover all codes but the one that is meant", for: .file)
    static let installZbar = Self("install-zbar", "install zbar-tools, or give the text of the QR code instead")
    static let connectCamera = Self(
        "connect-camera", "connect a camera, close what else uses it, or give --image or --screen")
    static let holdCodeBeforeCamera = Self(
        "hold-code-before-camera",
        "hold the whole code before the camera, in good light; --timeout gives you longer", for: .timeout)
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
