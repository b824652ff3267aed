/// The words of a question or a message in a window.
package struct DialogueWords: Sendable, Hashable {
    /// The question or the message in one sentence.
    package var title: String
    /// The site that asks, in ASCII; nil if none does.
    package var site: String?
    /// The text below the title, of one or more lines. A text of the peer's must be escaped already. Where a pinentry
    /// asks for a passphrase, what is longer than a line of its protocol, some 990 bytes, is cut.
    package var description: String
    /// The words before the field for a passphrase.
    package var prompt: String
    /// The words on the button of a yes.
    package var yes: String
    /// The words on the button of a no.
    package var no: String
    /// The objection to the answer before; nil without one.
    package var objection: String?

    package init(
        title: String = "Passphrase", site: String? = nil, description: String, prompt: String = "Passphrase:",
        yes: String = "OK", no: String = "Cancel", objection: String? = nil
    ) {
        self.title = title
        self.site = site
        self.description = description
        self.prompt = prompt
        self.yes = yes
        self.no = no
        self.objection = objection
    }
}
