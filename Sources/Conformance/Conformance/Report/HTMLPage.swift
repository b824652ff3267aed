internal import CRules

/// A page that stands alone: no script, no font and no picture from elsewhere, and none that a peer could smuggle in.
///
/// It has no script: so it opens from a file and in viewers of build artifacts, which run none, and its policy allows
/// none. Hence the rows are markup from here, and no JSON that the page shows by itself. The frame and the style sheet
/// are `CRules/page.html`, whose gaps `{{name}}` are filled here.
struct HTMLPage {
    /// The first bytes of each page, by which an earlier one is known again.
    static let beginning = template.prefix(upTo: template.firstRange(of: "<head>")?.lowerBound ?? template.startIndex)

    let title: String
    /// The subject of the test, in a line above the title.
    let kicker: String
    /// Links to the sections, by their IDs.
    let contents: [(id: String, title: String)]
    let lead: HTML
    let main: HTML
    let footer: HTML

    private static let template = String(
        decoding: UnsafeBufferPointer(start: hybrid_page_text(), count: hybrid_page_byte_count()), as: UTF8.self)
    /// The markup before the first gap; then, of each gap, the name and the markup behind it.
    private static let pieces = template.split(separator: "{{").map { $0.split(separator: "}}", maxSplits: 1) }

    /// The whole page. Markup that fills a gap is not searched for gaps.
    var text: String {
        let links = contents.map { "<li><a href=\"#\($0.id)\">\($0.title)</a></li>\n" as HTML }
        let gaps: [Substring: HTML] = [
            "title": "\(title)", "kicker": "\(kicker)", "lead": lead, "contents": "\(links)", "main": main,
            "footer": "\(footer)\(HTML.basis)",
        ]
        return Self.pieces.reduce(into: "") { page, piece in
            if piece.count == 2 { page += gaps[piece[0]]?.markup ?? "" }
            page += piece.last ?? ""
        }
    }
}

extension HTML {
    /// A section with a heading of the second level.
    static func section(_ id: String, _ title: String, _ content: HTML) -> HTML {
        """
        <section id="\(id)" aria-labelledby="\(id)-title">
        <h2 id="\(id)-title">\(title)</h2>
        \(content)</section>

        """
    }

    /// A sentence of the reference, with the text between backquotes as code.
    static func sentence(_ text: String) -> HTML {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        // A backquote without its other half is one.
        guard parts.count % 2 == 1 else { return "\(text)" }
        let marked = parts.enumerated().map { index, part in
            (index % 2 == 0 ? "\(part)" : "<code>\(part)</code>") as HTML
        }
        return "\(marked)"
    }

    /// A number and its noun.
    static func counted(_ number: Int, _ noun: String, _ nouns: String) -> String {
        "\(number) \(number == 1 ? noun : nouns)"
    }

    /// An outcome: a sign, the word and a colour.
    static func chip(_ outcome: RuleOutcome) -> HTML {
        """
        <span class="chip \(outcome.style)"><span aria-hidden="true">\(outcome.sign)</span> \(outcome.word)</span>
        """
    }

    /// Lines of foreign text as they were written.
    static func lines(_ lines: [String]) -> HTML {
        let rows = lines.enumerated().map { index, line in (index == 0 ? "\(line)" : "\n\(line)") as HTML }
        return "<pre dir=\"ltr\">\(rows)</pre>"
    }

    /// A list of facts, of which those without a value are left out.
    static func facts(_ facts: [(name: String, value: HTML?)]) -> HTML {
        let rows = facts.compactMap { name, value in value.map { "<dt>\(name)</dt><dd>\($0)</dd>\n" as HTML } }
        return "<dl>\n\(rows)</dl>\n"
    }

    /// The grounds of a verdict: the last sentence of each page.
    static let basis: HTML = """
        <p>The rules rest on public code and on clauses that others quote, not on the standard's text. A verdict is \
        not a certification.</p>

        """

    /// The meaning of the words.
    static var legend: HTML {
        let rows = RuleOutcome.inReadingOrder.map { outcome in
            "<dt>\(chip(outcome))</dt><dd>\(outcome.meaning)</dd>\n" as HTML
        }
        return """
            <p>A case tests one rule in one way. The outcome of a rule is the worst outcome of its cases. A refusal \
            counts only if its control case, the same flow without the mistake, succeeds in the same run.</p>
            <dl>
            \(rows)</dl>

            """
    }
}
