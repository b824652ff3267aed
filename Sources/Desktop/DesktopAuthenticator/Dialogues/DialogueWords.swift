package import LinuxSupport

/// The words of a question or a message in a window.
package struct DialogueWords: Sendable, Hashable {
    /// The question or the message in one sentence.
    package var title: Sentence
    /// The site that asks, in ASCII; nil if none does.
    package var site: String?
    /// The text below the title, of one or more lines. A text of the peer's must be escaped already. Where a pinentry
    /// asks for a passphrase, a text longer than a line of its protocol, some 990 bytes, is cut.
    package var description: Sentence
    /// The words before the field for a passphrase.
    package var prompt: Sentence
    /// The words on the button of a yes.
    package var yes: Sentence
    /// The words on the button of a no.
    package var no: Sentence
    /// The objection to the answer before; nil without one.
    package var objection: Sentence?

    package init(
        title: Sentence = "Passphrase", site: String? = nil, description: Sentence, prompt: Sentence = "Passphrase:",
        yes: Sentence = "OK", no: Sentence = "Cancel", objection: Sentence? = nil
    ) {
        self.title = title
        self.site = site
        self.description = description
        self.prompt = prompt
        self.yes = yes
        self.no = no
        self.objection = objection
    }

    /// The words of a question for consent: in English too, until somebody has reviewed their translation.
    var consent: Self {
        var words = self
        words.title = title.consent(" / ")
        words.description = description.consent()
        (words.yes, words.no) = (yes.consent(" / "), no.consent(" / "))
        return words
    }
}
