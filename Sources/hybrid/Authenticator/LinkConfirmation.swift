/// The question that stands before everything else where the code came by a link.
///
/// A web page can open a FIDO:/ link. If that were enough to start the authenticator, a page could show the code of an attacker's own
/// sign-in, and the person would sign the attacker in: nearness would be proven by the victim's own machine (CVE-2024-9956). A
/// camera that is held before another screen has somebody who means it; a link has not. So nothing is opened, sent or
/// advertised, and no vault asked for, until somebody says that they mean it.
enum LinkConfirmation {
    private static let question = """

        A link asks this machine to sign in, or to make a passkey, for another device.

          Go on only if you are signing in on another device now, and followed the link yourself for that. If a web page,
          a message or somebody on the telephone made you come here, answer n: they would be signed in as you.

        was it you?
        """

    /// Asks at the terminal.
    ///
    /// - Throws: ``Failure`` for everything but a yes; `CancellationError`.
    static func ask() throws {
        guard try TerminalQuestion.ask(question) else {
            throw Failure(
                .declined, code: "declined", cause: "the link was not confirmed",
                hint: "nothing was sent; close the page that the link came from")
        }
    }
}
