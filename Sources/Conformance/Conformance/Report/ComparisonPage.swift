extension Comparison {
    /// The matrix as one HTML page that needs nothing besides: no network, no script.
    ///
    /// - Parameters:
    ///   - version: the version of the runner that makes the page.
    ///   - date: the date of the page: `2026-11-23T03:16:08Z`.
    public func html(version: String, date: String) -> String {
        let items = remarks.map { "<li><bdi>\($0)</bdi></li>\n" as HTML }
        let notice: HTML? =
            items.isEmpty
            ? nil
            : """
            <div class="notice"><strong>Not all of the cases.</strong>
            <ul>
            \(items)</ul></div>

            """
        return HTMLPage(
            title: HTML.counted(reports.count, "implementation", "implementations") + ", "
                + HTML.counted(rows.count, "rule", "rules"),
            kicker: "Conformance to the FIDO hybrid transport",
            contents: [("summary", "Summary"), ("peers", "Peers"), ("matrix", "Rules"), ("words", "The words")],
            lead: "\(notice)",
            main: """
                \(HTML.section("summary", "Summary", summary))\
                \(HTML.section("peers", "Peers", peers))\
                \(HTML.section("matrix", "Rules", matrix))\
                \(HTML.section("words", "The words", HTML.legend))
                """,
            footer: "<p>Made by hybrid conformance \(version), \(date), from the report.json of each run.</p>\n"
        ).text
    }

    private func label(_ report: PublishedReport) -> HTML {
        let restriction: HTML? = report.restriction.map { " <span class=\"part\">\($0)</span>" }
        return "<bdi>\(report.run.peer.label)</bdi> <span class=\"part\">\(report.run.role.words)</span>\(restriction)"
    }

    private var summary: HTML {
        let byPeer = reports.indices.map(counts)
        let present = RuleOutcome.inReadingOrder.filter { outcome in byPeer.contains { ($0[outcome] ?? 0) > 0 } }
        let isEqual = hasEqualCases
        let all: HTML? = isEqual ? nil : "<th scope=\"col\" class=\"number\">Rules tested</th>"
        let head = present.map { "<th scope=\"col\" class=\"number\">\(HTML.chip($0))</th>" as HTML }
        let rows = reports.indices.map { peer in
            let sum: HTML? = isEqual ? nil : "<td class=\"number\">\(ruleCount(peer))</td>"
            let cells = present.map { byPeer[peer][$0] ?? 0 }.map { number in
                (number == 0 ? "<td class=\"number zero\">0</td>" : "<td class=\"number\">\(number)</td>") as HTML
            }
            return "<tr><th scope=\"row\">\(label(reports[peer]))</th>\(sum)\(cells)</tr>\n" as HTML
        }
        return """
            <div class="scroll" role="region" aria-label="Rules by peer and outcome" tabindex="0">
            <table>
            <caption>The number of rules of the field that the cases of a peer's run test, by peer and by \
            outcome</caption>
            <thead><tr><th scope="col">Peer</th>\(all)\(head)</tr></thead>
            <tbody>
            \(rows)</tbody>
            </table>
            </div>

            """
    }

    private var peers: HTML {
        let rows = reports.map { report in
            let environment = report.run.environment.map { "\($0.name): \($0.value)" }.joined(separator: "; ")
            return """
                <tr><th scope="row">\(label(report))</th><td><time>\(report.run.started)</time></td>\
                <td>hybrid \(report.run.runnerVersion)</td><td><bdi>\(report.run.selection.text)</bdi></td>\
                <td class="wide">\(environment)</td></tr>

                """ as HTML
        }
        return """
            <div class="scroll" role="region" aria-label="The runs" tabindex="0">
            <table>
            <caption>The runs that are compared</caption>
            <thead><tr><th scope="col">Peer</th><th scope="col">Date</th><th scope="col">Runner</th>\
            <th scope="col">Cases</th><th scope="col">Environment</th></tr></thead>
            <tbody>
            \(rows)</tbody>
            </table>
            </div>

            """
    }

    private var matrix: HTML {
        let head = reports.map { "<th scope=\"col\">\(label($0))</th>" as HTML }
        let isEqual = hasEqualCases
        let groups = articles.map { article in
            """
            <tbody>
            <tr><th scope="rowgroup" colspan="\(reports.count + 1)">\(article.name.articleTitle)</th></tr>
            \(article.rows.map { row($0, isEqual) })</tbody>

            """ as HTML
        }
        return """
            <p>If the cases of a rule differ, the worst outcome is shown, with the number of cases that have it.</p>
            <div class="scroll" role="region" aria-label="The matrix" tabindex="0">
            <table class="matrix">
            <caption>The outcome of each rule for each peer; empty if no case of a run tests the rule</caption>
            <thead><tr><th scope="col">Rule</th>\(head)</tr></thead>
            \(groups)</table>
            </div>

            """
    }

    /// - Parameter isEqual: true if the runs have the same cases; otherwise each outcome is told out of how many.
    private func row(_ row: Row, _ isEqual: Bool) -> HTML {
        let cells = row.cells.map { cell -> HTML in
            guard let cell else { return "<td></td>" }
            guard cell.count < cell.caseCount || !isEqual else { return "<td>\(HTML.chip(cell.outcome))</td>" }
            return "<td>\(HTML.chip(cell.outcome)) <span class=\"part\">\(cell.count) of \(cell.caseCount)</span></td>"
        }
        return """
            <tr><th scope="row"><details><summary><span class="id">\(row.rule.id)</span></summary>\
            \(HTML.sentence(row.rule.sentence))</details></th>\(cells)</tr>

            """
    }
}
