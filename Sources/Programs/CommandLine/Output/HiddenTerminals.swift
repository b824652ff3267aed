import Glibc
import Synchronization
package import SystemPackage

/// The terminals that do not echo input, until a passphrase is known or the process ends.
package enum HiddenTerminals {
    /// With their settings before: the latest last.
    private static let hidden = Mutex<[(file: Int32, settings: termios)]>([])

    /// Stops the echo of a terminal. Input before that does not count.
    ///
    /// - Throws: `Errno`.
    package static func hide(_ file: Int32) throws(Errno) {
        var shown = termios()
        guard tcgetattr(file, &shown) == 0 else { throw .last }
        let settings = shown
        // From here on a second signal puts it back.
        hidden.withLock { $0.append((file, settings)) }
        shown.c_lflag &= ~tcflag_t(ECHO)
        guard tcsetattr(file, TCSAFLUSH, &shown) == 0 else {
            let error = Errno.last
            _ = hidden.withLock { $0.popLast() }
            throw error
        }
    }

    /// Lets the terminal that was hidden last echo input again. Input typed meanwhile is dropped.
    package static func showLast() {
        if let last = hidden.withLock({ $0.popLast() }) { show(last) }
    }

    /// Lets the terminal echo input again, if any is hidden.
    static func showAll() {
        hidden.withLock { hidden in
            if let first = hidden.first { show(first) }
            hidden = []
        }
    }

    private static func show(_ terminal: (file: Int32, settings: termios)) {
        var settings = terminal.settings
        tcflush(terminal.file, TCIFLUSH)
        tcsetattr(terminal.file, TCSANOW, &settings)
    }
}
