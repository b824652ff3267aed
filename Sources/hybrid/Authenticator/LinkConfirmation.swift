/// The question before a code that came by a link is answered.
///
/// A web page can open a FIDO:/ link. If that were enough to start the authenticator, a page could show the code of an
/// attacker's own sign-in, and the user would sign the attacker in: the victim's own machine would prove its proximity
/// (CVE-2024-9956). A user who holds a camera before a screen intends it; a user who opens a link may not. So nothing
/// is opened, sent or advertised, and no vault asked for, until the user confirms it.
enum LinkConfirmation {
    private static let question = """

        A link asks this machine to sign in, or to make a passkey, for another device.

          Go on only if you are signing in on another device now, and followed the link yourself for that. If a web \
        page,
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
