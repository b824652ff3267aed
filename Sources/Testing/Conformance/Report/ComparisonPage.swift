extension Comparison {
    /// The matrix as one HTML page that needs nothing besides: no network, no script.
    ///
    /// - Parameters:
    ///   - version: the version of the runner that makes the page.
    ///   - date: the date of the page: `2026-11-23T03:16:08Z`.
    public func html(version: String, date: String) -> String {
        let incomplete = reports.filter { !$0.isComplete }.map(\.run.peer.label)
        let notice: HTML? =
            incomplete.isEmpty
            ? nil
            : """
            <p class="notice"><strong>Incomplete:</strong> \
            <bdi>\(incomplete.joined(separator: ", "))</bdi>. These runs were interrupted.</p>

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
        "<bdi>\(report.run.peer.label)</bdi> <span class=\"part\">\(report.run.role.words)</span>"
    }

    private var summary: HTML {
        let byPeer = reports.indices.map(counts)
        let present = RuleOutcome.inReadingOrder.filter { outcome in byPeer.contains { ($0[outcome] ?? 0) > 0 } }
        let head = present.map { "<th scope=\"col\" class=\"number\">\(HTML.chip($0))</th>" as HTML }
        let rows = reports.indices.map { peer in
            let cells = present.map { byPeer[peer][$0] ?? 0 }.map { number in
                (number == 0 ? "<td class=\"number zero\">0</td>" : "<td class=\"number\">\(number)</td>") as HTML
            }
            return "<tr><th scope=\"row\">\(label(reports[peer]))</th>\(cells)</tr>\n" as HTML
        }
        return """
            <div class="scroll" role="region" aria-label="Rules by peer and outcome" tabindex="0">
            <table>
            <caption>The number of rules by peer and by outcome, of those that cases of its run test</caption>
            <thead><tr><th scope="col">Peer</th>\(head)</tr></thead>
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
                <td>hybrid \(report.run.runnerVersion)</td><td class="number">\(report.cases.count)</td>\
                <td class="wide">\(environment)</td></tr>

                """ as HTML
        }
        return """
            <div class="scroll" role="region" aria-label="The runs" tabindex="0">
            <table>
            <caption>The runs that are compared</caption>
            <thead><tr><th scope="col">Peer</th><th scope="col">Date</th><th scope="col">Runner</th>\
            <th scope="col" class="number">Cases</th><th scope="col">Environment</th></tr></thead>
            <tbody>
            \(rows)</tbody>
            </table>
            </div>

            """
    }

    private var matrix: HTML {
        let head = reports.map { "<th scope=\"col\">\(label($0))</th>" as HTML }
        let groups = articles.map { article in
            """
            <tbody>
            <tr><th scope="rowgroup" colspan="\(reports.count + 1)">\(article.name.articleTitle)</th></tr>
            \(article.rows.map(row))</tbody>

            """ as HTML
        }
        return """
            <p>Where cases of one rule differ, the worst is told, with the number of cases that came to it.</p>
            <div class="scroll" role="region" aria-label="The matrix" tabindex="0">
            <table class="matrix">
            <caption>The outcome of each rule with each peer; empty where no case of a run is about the rule</caption>
            <thead><tr><th scope="col">Rule</th>\(head)</tr></thead>
            \(groups)</table>
            </div>

            """
    }

    private func row(_ row: Row) -> HTML {
        let cells = row.cells.map { cell -> HTML in
            guard let cell else { return "<td></td>" }
            guard cell.count < cell.caseCount else { return "<td>\(HTML.chip(cell.outcome))</td>" }
            return "<td>\(HTML.chip(cell.outcome)) <span class=\"part\">\(cell.count) of \(cell.caseCount)</span></td>"
        }
        return """
            <tr><th scope="row"><details><summary><span class="id">\(row.rule.id)</span></summary>\
            \(HTML.sentence(row.rule.sentence))</details></th>\(cells)</tr>

            """
    }
}
