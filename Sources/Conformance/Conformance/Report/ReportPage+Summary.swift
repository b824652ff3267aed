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
