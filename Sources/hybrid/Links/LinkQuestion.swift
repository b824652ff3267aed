/// The question before a client is linked.
enum LinkQuestion {
    private static let question = """

        The client would like to be linked: from then on it can ask this machine without a QR code, when it is near, \
        and you
        decide each time. `hybrid authenticator listen` waits for it, `hybrid authenticator links revoke` ends it.

        link it?
        """

    /// Asks at the terminal.
    ///
    /// - Throws: ``Failure`` if there is none; `CancellationError`.
    static func ask() throws -> Bool { try TerminalQuestion.ask(question) }
}
