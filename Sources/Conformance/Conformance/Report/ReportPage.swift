extension PublishedReport {
    /// The report as one HTML page that needs nothing besides: no network, no script.
    public var html: String {
        let findings = cases.filter { $0.verdict == .deviates }
        let unclear = cases.filter { $0.verdict == .inconclusive }
        var contents = [("summary", "Summary"), ("run", "The run"), ("deviations", "Deviations")]
        if !unclear.isEmpty { contents.append(("inconclusive", "Inconclusive cases")) }
        contents += [("rules", "Rules"), ("words", "The words")]
        let none: HTML = "<p>None of the cases deviates.</p>\n"
        let shown = findings.isEmpty ? [none] : findings.map(finding)
        let main: HTML = """
            \(HTML.section("summary", "Summary", summary))\
            \(HTML.section("run", "The run", facts))\
            \(HTML.section("deviations", "Deviations", "\(shown)"))\
            \(unclear.isEmpty ? nil : HTML.section("inconclusive", "Inconclusive cases", "\(unclear.map(finding))"))\
            \(HTML.section("rules", "Rules", "\(articles.map(table))"))\
            \(HTML.section("words", "The words", HTML.legend))
            """
        return HTMLPage(
            title: run.peer.label + (restriction.map { ": \($0)" } ?? ""),
            kicker: "Conformance to the FIDO hybrid transport: \(run.role.words)",
            contents: contents.map { (id: $0.0, title: $0.1) }, lead: lead, main: main,
            footer: """
                <p>Made by hybrid conformance \(run.runnerVersion), \(run.started). The same results are in \
                report.json; hybrid conformance compare compares several runs.</p>

                """
        ).text
    }

    /// The run in a sentence, with the choice of its cases, and whether it came to its end.
    private var lead: HTML {
        let counts = counts
        let broken = [
            "fail": counts[.fails] ?? 0, "deviate": counts[.deviates] ?? 0,
            "are inconclusive": counts[.inconclusive] ?? 0,
        ]
        .filter { $0.value > 0 }.sorted { $0.key > $1.key }
        let selected: HTML? =
            run.selection.isWhole
            ? nil
            : """
            <p class="notice"><strong>A part of the cases.</strong> The run has <bdi>\(run.selection.text)</bdi>. \
            The others were not tested.</p>

            """
        let incomplete: HTML? =
            isFinished
            ? nil
            : """
            <p class="notice"><strong>Incomplete.</strong> The run was interrupted after \(cases.count) of \
            \(plannedCount) cases.</p>

            """
        let sentences = broken.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        return """
            \(selected)\(incomplete)<p class="lead">Of \(judgedCount) judged cases, \(keptCount) are kept\
            \(sentences.isEmpty ? "." : "; \(sentences).")</p>

            """
    }

    private var facts: HTML {
        let peer = run.peer
        return HTML.facts(
            [
                ("Peer", "<bdi>\(peer.name)</bdi>"),
                ("Version", peer.version.map { "<bdi>\($0)</bdi>" } ?? "not stated"),
                ("Role", "\(run.role.words)"),
                ("Edition", run.edition.map { "CTAP \($0.rawValue), as the peer shows it" }),
                (run.role == .tunnelService ? "URL" : "Command", HTML.lines([RunDescription.line(peer.command)])),
                ("Profile", "\(run.selection.profiles.text)"), ("Cases", "<bdi>\(run.selection.text)</bdi>"),
                ("Repeat", HTML.lines([run.repeatingCommand])),
                ("Runner", "hybrid \(run.runnerVersion)"), ("Date", "<time>\(run.started)</time>"),
                ("Duration", "\(Self.duration(milliseconds))"),
            ] + run.environment.map { ($0.name.capitalizedFirst, "<bdi>\($0.value)</bdi>" as HTML) })
    }

    static func duration(_ milliseconds: Int) -> String {
        let seconds = milliseconds / 1_000
        return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }
}

extension ConformanceCase.Role {
    /// The role in words.
    var words: String { self == .tunnelService ? "tunnel service" : rawValue }
}

extension String {
    /// The text with a capital in front.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension PublishedReport {
    /// The rules of one article.
    struct Article {
        let name: String
        let rules: [Rule]
    }

    /// The rules by article, in the order in which they come.
    var articles: [Article] {
        var names: [String] = []
        for rule in rules where !names.contains(rule.article) { names.append(rule.article) }
        return names.map { name in Article(name: name, rules: rules.filter { $0.article == name }) }
    }

    /// The counts of outcomes: a bar for the eye, and tables that say the same.
    var summary: HTML {
        let counts = counts
        let all = RuleOutcome.inReadingOrder.filter { (counts[$0] ?? 0) > 0 }
        let bar = all.map { outcome in
            "<span class=\"\(outcome.style)\" style=\"flex-grow: \(counts[outcome] ?? 0)\"></span>" as HTML
        }
        let head = all.map { "<th scope=\"col\" class=\"number\">\(HTML.chip($0))</th>" as HTML }
        let rows = articles.map { article in
            let byRule = casesByRule
            let counts = Dictionary(
                article.rules.flatMap { byRule[$0.id] ?? [] }.map { ($0.outcome, 1) }, uniquingKeysWith: +)
            return row(
                "<a href=\"#article-\(article.name)\">\(article.name.articleTitle)</a>", all.map { counts[$0] ?? 0 })
        }
        return """
            <div class="share" aria-hidden="true">\(bar)</div>
            <div class="scroll" role="region" aria-label="Cases by article and outcome" tabindex="0">
            <table>
            <caption>Cases by article of the protocol reference, and by outcome</caption>
            <thead><tr><th scope="col">Article</th>\(head)</tr></thead>
            <tbody>
            \(rows)</tbody>
            <tfoot>
            \(row("All", all.map { counts[$0] ?? 0 }))</tfoot>
            </table>
            </div>

            """
    }

    private func row(_ name: HTML, _ numbers: [Int]) -> HTML {
        let cells = numbers.map { number in
            (number == 0 ? "<td class=\"number zero\">0</td>" : "<td class=\"number\">\(number)</td>") as HTML
        }
        return "<tr><th scope=\"row\">\(name)</th>\(cells)</tr>\n"
    }
}
