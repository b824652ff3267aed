/// A question, a code, a step or an outcome, which a window shows one at a time, as `hybrid` sends it with `show`.
struct Question {
    /// The number that its answer has to name.
    let id: Int
    /// One sentence.
    let title: String
    /// The site that asks; nil where none does.
    var site: String?
    /// Paragraphs.
    let lines: [String]
    /// The word on the button that answers no.
    let no: String
    /// The word on the button that answers something else; nil where nothing is asked.
    var yes: String?
    /// The members of this kind alone.
    var kind: Kind

    /// The kinds, by their names in the contract.
    enum Kind {
        case code(ModuleMatrix)
        case approval
        case choice(accounts: [String])
        case secret(SecretRequest)
        case digits(count: Int, objection: String?)
        case step
        case outcome(good: Bool)
    }

    /// A passphrase or a PIN that is asked for.
    struct SecretRequest {
        let prompt: String
        /// The fault of the answer before.
        let objection: String?
        /// True if it has to be typed two times.
        let twice: Bool
    }
}
