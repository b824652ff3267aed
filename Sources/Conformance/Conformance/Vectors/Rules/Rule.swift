internal import CRules
internal import Encodings

/// A rule of the protocol reference, or of a protocol of this project's own, as it stands in an article of a module's
/// documentation.
///
/// The articles are the rules' only source; `tools/trace/run --write` makes the files `rules.json` in `Vectors` of
/// them, and these are in the program.
public struct Rule: Sendable, Hashable {
    /// The strength of a requirement (RFC 2119).
    public enum Strength: String, Sendable {
        /// A requirement.
        case must = "MUST"
        /// A prohibition.
        case mustNot = "MUST NOT"
        /// A recommendation.
        case should = "SHOULD"
        /// A recommendation against something.
        case shouldNot = "SHOULD NOT"
        /// A permission.
        case may = "MAY"

        /// The word without NOT: a rule can state by MUST NOT a requirement that a case states by MUST.
        var affirmative: Self {
            switch self {
            case .must, .mustNot: .must
            case .should, .shouldNot: .should
            case .may: .may
            }
        }
    }

    /// Confidence in the requirement; see the article Sources.
    public enum Certainty: String, Sendable {
        /// Read in the code of implementations that agree, or in an RFC, or verified by published numbers.
        case certain
        /// An account of the specification's text says so, or a single implementation.
        case secondHand = "second-hand"
        /// The consequence of other rules.
        case implied
        /// Implementations differ.
        case disputed
        /// This project's own choice: a limit, a time, strictness beyond the known requirements.
        case policy
    }

    /// An edition of CTAP, of those that have the hybrid transport.
    public enum Edition: String, Sendable, CaseIterable {
        /// The proposed standard of 2025-07-14.
        case ctap22 = "2.2"
        /// The proposed standard of 2026-02-26.
        case ctap23 = "2.3"
    }

    /// The name, which is never used again for another rule: `HT-ADV-3`.
    public let id: String
    /// The requirement: one sentence with its subject.
    public let sentence: String
    /// The strength that the sentence states.
    public let strength: Strength
    /// The certainty.
    public let certainty: Certainty
    /// The editions of CTAP that it belongs to; empty for a rule of this project's own.
    public let editions: [Edition]
    /// The sources, by the keys of the article Sources; empty if there are none.
    public let sources: String
    /// The name of the article: `Advert`.
    public let article: String

    /// True of a requirement (MUST, MUST NOT) that is certain: to break it is to fail.
    var isCertainRequirement: Bool { strength.affirmative == .must && certainty == .certain }

    /// True if the rule binds a peer of an edition of CTAP.
    func binds(_ edition: Edition) -> Bool { editions.isEmpty || editions.contains(edition) }

    /// A rule of which nothing but the ID is known, and that demands nothing.
    init(unknown id: String) {
        self.init(id: id, sentence: "", strength: .may, certainty: .disputed, editions: [], sources: "", article: "")
    }

    private init(
        id: String, sentence: String, strength: Strength, certainty: Certainty, editions: [Edition], sources: String,
        article: String
    ) {
        self.id = id
        self.sentence = sentence
        self.strength = strength
        self.certainty = certainty
        self.editions = editions
        self.sources = sources
        self.article = article
    }

    private static let byID = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    /// The rule of this ID; nil if there is none.
    ///
    /// - Parameter id: also one of before the protocols of this project's own had prefixes of their own, as older
    ///   reports have it: `HT-HOV-…` for `PX-HOV-…`.
    package static func find(_ id: String) -> Self? {
        if let rule = byID[id] { return rule }
        let renamed = ["HT-HOV-": "PX-HOV-", "HT-CON-": "TS-CON-"].first { id.hasPrefix($0.key) }
        return renamed.flatMap { byID[$0.value + id.dropFirst($0.key.count)] }
    }

    /// The modules in whose documentation the articles are, by the prefix of the IDs of their rules: the field's, and
    /// those of protocols of this project's own.
    package static let modules = ["HT": "HybridProtocol", "PX": "PasskeyExchange", "TS": "TunnelService"]

    /// The module in whose documentation the article is.
    package var module: String { Self.modules[String(id.prefix { $0 != "-" })] ?? "" }
}

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
            let editions = json["editions"]?.arrayValue?.compactMap({ $0.stringValue.flatMap(Edition.init) }),
            let sources = json["sources"]?.stringValue, let article = json["article"]?.stringValue
        else { return nil }
        self.init(
            id: id, sentence: sentence, strength: strength, certainty: certainty, editions: editions,
            sources: sources, article: article)
    }
}
