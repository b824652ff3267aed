import CommandLine
import DesktopAuthenticator

extension Failure {
    /// A window in which the user was asked, and gave no answer.
    init(_ error: DialogueError) {
        let (status, hint): (ExitStatus, String) =
            switch error.code {
            case .declined, .closed: (.declined, "start again if that was not intended")
            case .timeout: (.timeout, "start again, and answer the window sooner")
            case .cancelled: (.interrupted, "start again")
            case .missing:
                (.usage, "install pinentry for your desktop, and zenity or kdialog; or run this in a terminal")
            case .noDisplay: (.usage, "run this in your desktop's session, or in a terminal")
            case .unsuited: (.usage, "install pinentry-qt, pinentry-gtk2 or zenity; or run this in a terminal")
            case .tooLong: (.usage, "run this in a terminal, which shows the whole")
            case .failed: (.failure, "try pinentry by itself: echo GETPIN | pinentry; or give --ask terminal")
            }
        self.init(status, code: error.code.rawValue, cause: error.reason, hint: hint)
    }
}
