internal import CRules

/// The list of all IDs of cases that there are or ever were, `CRules/cases.txt`: results that somebody keeps by an
/// ID stay valid.
struct CaseList {
    /// A line: the rule, and the reason why the case is none any more; nil for one that there is.
    struct Entry: Equatable {
        let rule: String
        let retirement: String?
    }

    let entries: [String: Entry]

    /// The list that is compiled in.
    static let kept: CaseList = {
        let file = hybrid_cases_file()
        return CaseList(String(decoding: UnsafeBufferPointer(start: file.text, count: file.byte_count), as: UTF8.self))
    }()

    init(_ text: String) {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        entries = lines.reduce(into: [:]) { entries, line in
            let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
            guard parts.count >= 2 else { return }
            entries[parts[0]] = Entry(rule: parts[1], retirement: parts.count > 2 ? parts[2] : nil)
        }
    }

    /// The cases that are not as the list has them: new or gone, of another rule, or retired.
    func faults(of cases: [ConformanceCase]) -> [String] {
        let rules = Dictionary(cases.map { ($0.id, $0.rule.id) }, uniquingKeysWith: { first, _ in first })
        let changed = rules.compactMap { id, rule -> String? in
            guard let entry = entries[id] else { return "\(id) is new: tools/trace/run --write adds it" }
            if let retirement = entry.retirement { return "\(id) is used again, and was \(retirement)" }
            return entry.rule == rule ? nil : "\(id) is of \(rule), and was of \(entry.rule)"
        }
        let gone = entries.filter { rules[$0.key] == nil && $0.value.retirement == nil }
        return (changed + gone.keys.map { "\($0) is gone: write behind its rule why, as retired: REASON" }).sorted()
    }
}

extension ConformanceRunner {
    /// The reason why a case of an earlier runner is none any more, `retired: …`; nil for an ID that none had, or that
    /// this one has.
    public static func retirement(of id: String) -> String? { CaseList.kept.entries[id]?.retirement }
}
