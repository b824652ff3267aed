extension PublishedReport {
    /// The result in one picture for a page of others: an SVG of 20 pixels' height that needs nothing besides, and is
    /// the same for the same report.
    ///
    /// It has the verdict, the counts, the profile and the date; its title also has the peer.
    public var badge: String {
        let name = "FIDO hybrid \(run.role.words)"
        let result = badgeText
        let widths = (Self.width(name), Self.width(result))
        let title = "\(String(run.peer.label.unicodeScalars.prefix(Self.longestLabel))): \(name), \(result)"
        let picture: HTML = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(widths.0 + widths.1)" height="20" role="img" \
            aria-label="\(title)">
            <title>\(title)</title>
            <rect width="\(widths.0)" height="20" fill="#1b2129"/>
            <rect x="\(widths.0)" width="\(widths.1)" height="20" fill="\(badgeColour)"/>
            <g fill="#ffffff" font-family="sans-serif" font-size="11">
            \(Self.words(name, from: 0))\(Self.words(result, from: widths.0))</g>
            </svg>

            """
        return picture.markup
    }

    /// The verdict in a few words: the worst outcome, and unaccepted outcomes before accepted ones.
    public var verdict: String {
        let counts = unacceptedCounts
        if !isFinished { return "interrupted" }
        if let count = counts[.fails] { return HTML.counted(count, "case fails", "cases fail") }
        if let count = counts[.deviates] { return HTML.counted(count, "case deviates", "cases deviate") }
        if let count = counts[.inconclusive] { return "\(count) inconclusive" }
        if judgedCount == 0 { return "nothing judged" }
        let accepted = cases.count { $0.known != nil }
        return accepted == 0 ? "no deviation" : HTML.counted(accepted, "accepted deviation", "accepted deviations")
    }

    private static let longestLabel = 100
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private var unacceptedCounts: [RuleOutcome: Int] {
        Dictionary(cases.filter { $0.known == nil }.map { ($0.outcome, 1) }, uniquingKeysWith: +)
    }

    private var badgeText: String {
        let part = run.selection.filters.isEmpty ? [] : [run.selection.count]
        let scope = (part + ["profile \(run.selection.profiles.text)"]).joined(separator: ", ")
        // A report of somebody else may have any text for a date.
        let date = run.started.prefix("2026-11-27".count)
        let isDate = date.utf8.map { Self.digits.contains($0) ? "0" : "\(UnicodeScalar($0))" }.joined() == "0000-00-00"
        return [verdict, "\(keptCount) of \(judgedCount) kept", scope, isDate ? String(date) : "no date"].joined(
            separator: ", ")
    }

    private var badgeColour: String {
        let counts = unacceptedCounts
        if !isFinished || judgedCount == 0 { return "#545e69" }
        if counts[.fails] != nil { return "#9c1228" }
        if counts[.deviates] != nil { return "#7a4b00" }
        return counts[.inconclusive] != nil ? "#5c3793" : "#1a6b34"
    }

    private static let margin = 6
    private static let letterWidth = 6

    /// The width of a text with its margins. It is stated, so that each font fills the same place.
    private static func width(_ text: String) -> Int { text.count * letterWidth + 2 * margin }

    private static func words(_ text: String, from left: Int) -> HTML {
        """
        <text x="\(left + margin)" y="14" textLength="\(text.count * letterWidth)" \
        lengthAdjust="spacingAndGlyphs">\(text)</text>

        """
    }
}
