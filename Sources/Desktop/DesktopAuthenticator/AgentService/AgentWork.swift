/// Work of the program for the agent: its questions to the user, its ceremonies and its sentences.
package struct AgentWork: Sendable {
    /// Way on which a QR code has come, by its name on the bus.
    package enum CodeSource: String, Sendable, CaseIterable {
        case text, link, screen, clipboard, picture
    }

    /// Waits for linked clients, with the vault, until it is cancelled, and reports how many of them can reach this
    /// machine.
    package typealias Listening =
        @Sendable (OpenVault, _ reachable: @escaping @Sendable (Int) -> Void) async throws -> Void

    /// Asks for the vault's passphrase.
    let passphrase: OpenVault.Asking
    /// Answers a QR code, once the user has confirmed it, with the vault; returns a sentence on the outcome.
    let answer: @Sendable (_ code: String, CodeSource, OpenVault) async throws -> String
    /// nil to wait for no linked clients.
    let listen: Listening?
    /// A failure in words.
    let explain: @Sendable (any Error) -> AgentFailure

    package init(
        passphrase: @escaping OpenVault.Asking,
        answer: @escaping @Sendable (_ code: String, CodeSource, OpenVault) async throws -> String,
        listen: Listening?,
        explain: @escaping @Sendable (any Error) -> AgentFailure
    ) {
        self.passphrase = passphrase
        self.answer = answer
        self.listen = listen
        self.explain = explain
    }
}
