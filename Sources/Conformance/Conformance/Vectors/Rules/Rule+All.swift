internal import CRules
internal import Encodings

extension Rule {
    /// All rules, article by article: those of `Vectors/rules.json` when this was compiled. They are read when they are
    /// first asked for.
    package static let all: [Rule] = {
        let text = UnsafeBufferPointer(start: hybrid_rules_text(), count: hybrid_rules_byte_count())
        // A test holds that there are as many as in the file.
        return (try? JSONValue(parsing: text.span))?["rules"]?.arrayValue?.compactMap(Rule.init) ?? []
    }()

    /// Reads a rule; nil unless it has each member.
    private init?(_ json: JSONValue) {
        guard
            let id = json["id"]?.stringValue, let sentence = json["sentence"]?.stringValue,
            let strength = json["strength"]?.stringValue.flatMap(Strength.init),
            let certainty = json["certainty"]?.stringValue.flatMap(Certainty.init),
            let sources = json["sources"]?.stringValue, let article = json["article"]?.stringValue
        else { return nil }
        self.init(
            id: id, sentence: sentence, strength: strength, certainty: certainty, sources: sources, article: article)
    }
}
