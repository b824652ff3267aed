import CommandLine
import Conformance

extension Explanation {
    /// Explains a rule of the protocol reference, or of a protocol of this project's own.
    ///
    /// - Parameter id: the rule's name, in any case: `HT-ADV-3`.
    /// - Throws: ``Failure`` if there is no such rule.
    static func rule(_ id: String) throws -> Self {
        guard let rule = Rule.find(id.uppercased()) else {
            let family = id.uppercased().split(separator: "-").prefix(2).joined(separator: "-") + "-"
            let relatives = Rule.all.filter { $0.id.hasPrefix(family) }.map(\.id)
            throw Failure.usage(
                "there is no rule \(quoted(id))",
                hint: relatives.isEmpty
                    ? "the families are " + families.joined(separator: ", ")
                    : "the rules of this family are \(relatives.first ?? "") to \(relatives.last ?? "")")
        }
        return Self(
            .rule, "\(rule.id): \(rule.sentence)",
            [
                ("strength", rule.strength.rawValue),
                ("certainty", certainties[rule.certainty] ?? rule.certainty.rawValue),
                ("sources", rule.sources.isEmpty ? "none" : rule.sources),
                ("article", "\(rule.article), in the documentation of \(rule.module)"),
            ])
    }

    private static var families: [String] {
        Rule.all.reduce(into: [String]()) { families, rule in
            let family = rule.id.split(separator: "-").prefix(2).joined(separator: "-")
            if !families.contains(family) { families.append(family) }
        }
    }

    private static let certainties: [Rule.Certainty: String] = [
        .certain: "certain: implementations that agree, an RFC, or published numbers",
        .secondHand: "second-hand: an account of the specification, or a single implementation",
        .implied: "implied: it follows from other rules",
        .disputed: "disputed: implementations differ",
        .policy: "policy: this project's own choice",
    ]
}
