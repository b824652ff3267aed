/// The words of a pinentry's dialogue.
package struct PinentryDialogue: Sendable, Hashable {
    /// The window's title.
    package var title: String
    /// The question, of one or more lines. A text of the peer's must be escaped already. Where a passphrase is
    /// asked for, what is longer than a line of the protocol, some 990 bytes, is cut.
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
        title: String = "hybrid", description: String, prompt: String = "Passphrase:", yes: String = "OK",
        no: String = "Cancel", objection: String? = nil
    ) {
        self.title = title
        self.description = description
        self.prompt = prompt
        self.yes = yes
        self.no = no
        self.objection = objection
    }

    /// The commands that set the words.
    var commands: [String] {
        [
            AssuanText.line("SETTITLE", title), AssuanText.line("SETDESC", description),
            AssuanText.line("SETPROMPT", prompt), AssuanText.line("SETOK", yes), AssuanText.line("SETCANCEL", no),
        ] + (objection.map { [AssuanText.line("SETERROR", $0)] } ?? [])
    }
}
