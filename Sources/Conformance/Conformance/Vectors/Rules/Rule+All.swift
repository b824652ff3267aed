internal import CRules
internal import Encodings

extension Rule {
    /// All rules, article by article, the field's first: those of the files `rules.json` in `Vectors` when this was
    /// compiled. They are read when they are first asked for.
    package static let all: [Rule] = {
        let files = sequence(state: 0) { index -> hybrid_rules? in
            defer { index += 1 }
            let file = hybrid_rules_file(index)
            return file.text == nil ? nil : file
        }
        // A test holds that there are as many as in the files.
        return files.flatMap { file -> [Rule] in
            let text = UnsafeBufferPointer(start: file.text, count: file.byte_count)
            return (try? JSONValue(parsing: text.span))?["rules"]?.arrayValue?.compactMap(Rule.init) ?? []
        }
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
