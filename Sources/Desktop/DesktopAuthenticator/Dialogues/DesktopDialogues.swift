package import Cryptography
package import LinuxSupport

/// The ways to ask the user of a desktop: a window for everything; without one, a pinentry for passphrases alone.
package struct DesktopDialogues: Sendable {
    /// The window; nil if there is no program for it.
    package let window: Window?
    private let pinentry: Pinentry

    /// Makes them. Nothing is started.
    package init(window: Window?, pinentry: Pinentry = Pinentry()) {
        self.window = window
        self.pinentry = pinentry
    }

    /// True if there is a way to ask for a passphrase.
    package var canAskForPassphrases: Bool { window != nil || pinentry.isInstalled }

    /// The window.
    ///
    /// - Throws: ``DialogueError`` `missing`.
    package func needWindow() throws(DialogueError) -> Window {
        guard let window else {
            throw DialogueError(.missing, reason: "there is no window to ask you in: hybrid-window is not installed")
        }
        return window
    }

    /// Asks for a passphrase or a PIN.
    ///
    /// - Parameters:
    ///   - words: the question.
    ///   - limit: the longest time for the answer.
    /// - Returns: the typed passphrase: UTF-8, 0 to 1024 bytes.
    /// - Throws: ``DialogueError``; `cancelled` soon after its task is cancelled.
    package func passphrase(
        _ words: DialogueWords, within limit: Duration
    ) async throws(DialogueError) -> SecretBytes {
        if let window { return try await window.secret(words, within: limit) }
        return try await pinentry.passphrase(words, within: limit)
    }

    /// Asks for a new passphrase, twice.
    ///
    /// - Parameters:
    ///   - words: the question.
    ///   - limit: the longest time for the answer.
    ///   - objection: tells why a passphrase is not taken; nil if it is.
    /// - Returns: the passphrase that was typed twice, and has met no objection.
    /// - Throws: ``DialogueError``; `declined` after three attempts.
    package func newPassphrase(
        _ words: DialogueWords, within limit: Duration,
        unless objection: @escaping @Sendable (borrowing SecretBytes) -> Sentence?
    ) async throws(DialogueError) -> SecretBytes {
        if let window { return try await window.newSecret(words, within: limit, unless: objection) }
        return try await pinentry.newPassphrase(words, within: limit, unless: objection)
    }
}
