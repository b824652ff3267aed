internal import Encodings

extension PublishedReport {
    /// The rules of an article, each with its sentence, its outcome and its cases.
    func table(_ article: Article) -> HTML {
        let byRule = casesByRule
        let rows = article.rules.map { row($0, byRule[$0.id] ?? []) }
        return """
            <h3 id="article-\(article.name)">\(article.name.articleTitle)</h3>
            <table class="rules">
            <caption>The rules of the article that cases of this run test</caption>
            <thead><tr><th scope="col">Rule</th><th scope="col">Requirement</th>\
            <th scope="col">Outcome</th></tr></thead>
            <tbody>
            \(rows)</tbody>
            </table>

            """
    }

    private func row(_ rule: Rule, _ cases: [Case]) -> HTML {
        let outcome = cases.map(\.outcome).min() ?? .skipped
        let alike = cases.count { $0.outcome == outcome }
        let part: HTML? = alike == cases.count ? nil : "<br><span class=\"part\">\(alike) of \(cases.count)</span>"
        let count = HTML.counted(cases.count, "case", "cases")
        return """
            <tr id="\(rule.id)"><th scope="row"><span class="id">\(rule.id)</span></th>\
            <td>\(HTML.sentence(rule.sentence))
            <details><summary>\(count)</summary>
            <ul class="cases">
            \(cases.map(item))</ul></details></td><td>\(HTML.chip(outcome))\(part)</td></tr>

            """
    }

    /// A case among those of its rule; a deviation stands in its own section.
    private func item(_ testCase: Case) -> HTML {
        let isFinding = testCase.verdict == .deviates || testCase.verdict == .inconclusive
        let name: HTML =
            isFinding ? "<a href=\"#case-\(testCase.id)\">\(testCase.id)</a>" : "<span>\(testCase.id)</span>"
        let detail: HTML? =
            isFinding ? nil : testCase.detail.map { "<br><span class=\"says\"><bdi>\($0)</bdi></span>" }
        let requirement: HTML? =
            testCase.requirement.isEmpty || isFinding ? nil : "<br>\(testCase.requirement.capitalizedFirst)"
        return "<li>\(HTML.chip(testCase.outcome)) <span class=\"id\">\(name)</span>\(requirement)\(detail)</li>\n"
    }

    /// A deviation, or a case that is inconclusive: the expected and the observed behaviour.
    func finding(_ testCase: Case) -> HTML {
        let sentence = rules.first { $0.id == testCase.rule }?.sentence ?? ""
        let expected = testCase.requirement.isEmpty ? "" : testCase.requirement.capitalizedFirst + "."
        let errors = testCase.standardError
        return """
            <article class="finding" id="case-\(testCase.id)" aria-labelledby="case-\(testCase.id)-title">
            <h3 id="case-\(testCase.id)-title"><span class="id">\(testCase.id)</span> \
            \(HTML.chip(testCase.outcome))</h3>
            \(HTML.facts([
                ("Expected", expected.isEmpty ? nil : "\(expected)"),
                ("Observed", testCase.detail.map { "<bdi>\($0)</bdi>" }),
                ("Rule", "<a href=\"#\(testCase.rule)\">\(testCase.rule)</a> \(HTML.sentence(sentence))"),
                ("Certainty", "\(testCase.certainty.rawValue)"),
                ("Accepted", testCase.known.map { "<bdi>\($0)</bdi>" }),
                ("Standard error", errors.isEmpty ? nil : HTML.lines(errors)),
                ("Transcript", testCase.transcript.isEmpty ? nil : transcript(testCase)),
                ("Repeat", HTML.lines([run.command(repeating: testCase.id)])),
            ]))</article>

            """
    }

    /// The transcript of a case: its messages, decrypted, and its events.
    private func transcript(_ testCase: Case) -> HTML {
        let rows = testCase.transcript.map { entry -> HTML in
            let more: HTML? = entry.more == 0 ? nil : "… and \(entry.more) bytes more"
            let raw: HTML = "<code>\(entry.hex)\(more)</code>"
            let bytes: HTML? =
                if entry.hex.isEmpty { nil } else if let message = ReadableMessage(entry) {
                    """
                    \(HTML.lines(message.lines))<details><summary>\(Self.byteCount(of: entry))</summary>\(raw)</details>
                    """
                } else { "<br>\(raw)" }
            return """
                <tr><td class="number">\(Self.milliseconds(entry.microseconds))</td><td>\(entry.direction)</td>\
                <td>\(entry.channel)</td><td><bdi>\(entry.what)</bdi>\(bytes)</td></tr>

                """
        }
        return """
            <details><summary>\(HTML.counted(testCase.transcript.count, "entry", "entries"))</summary>
            <table class="transcript">
            <caption>The messages on each channel, decrypted, with their times</caption>
            <thead><tr><th scope="col" class="number">ms</th><th scope="col">Direction</th><th scope="col">Channel</th>\
            <th scope="col">Message or event</th></tr></thead>
            <tbody>
            \(rows)</tbody>
            </table></details>
            """
    }

    private static func byteCount(of entry: Entry) -> String {
        HTML.counted(entry.hex.utf8.count / Hexadecimal.digitsPerByte + entry.more, "byte", "bytes")
    }

    private static func milliseconds(_ microseconds: Int) -> String {
        "\(microseconds / 1_000).\(microseconds / 100 % 10)"
    }
}
