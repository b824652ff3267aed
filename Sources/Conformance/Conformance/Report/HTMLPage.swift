/// A page that stands alone: no script, no font and no picture from elsewhere, and none that a peer could smuggle in.
struct HTMLPage {
    /// The first bytes of each page, by which an earlier one is known again.
    static let beginning = "<!doctype html>\n<html lang=\"en\">\n<!-- hybrid conformance -->\n"

    let title: String
    /// The subject of the test, in a line above the title.
    let kicker: String
    /// Links to the sections, by their IDs.
    let contents: [(id: String, title: String)]
    let lead: HTML
    let main: HTML
    let footer: HTML

    /// The whole page.
    var text: String {
        let beginning = HTML(stringLiteral: Self.beginning)
        let links = contents.map { "<li><a href=\"#\($0.id)\">\($0.title)</a></li>\n" as HTML }
        let page: HTML = """
            \(beginning)<head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <style>
            \(Self.style)</style>
            </head>
            <body>
            <a class="skip" href="#main">Skip to the results</a>
            <header>
            <p class="kicker">\(kicker)</p>
            <h1><bdi>\(title)</bdi></h1>
            \(lead)</header>
            <nav aria-label="Contents">
            <ul>
            \(links)</ul>
            </nav>
            <main id="main" tabindex="-1">
            \(main)</main>
            <footer>
            \(footer)</footer>
            </body>
            </html>

            """
        return page.markup
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

    /// A sentence of the reference, with what is between backquotes as code.
    static func sentence(_ text: String) -> HTML {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        // A backquote without its other half is one.
        guard parts.count % 2 == 1 else { return "\(text)" }
        let marked = parts.enumerated().map { index, part in
            (index % 2 == 0 ? "\(part)" : "<code>\(part)</code>") as HTML
        }
        return "\(marked)"
    }

    /// A number and what it counts.
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

    /// The meaning of the words.
    static var legend: HTML {
        let rows = RuleOutcome.inReadingOrder.map { outcome in
            "<dt>\(chip(outcome))</dt><dd>\(outcome.meaning)</dd>\n" as HTML
        }
        return """
            <p>A case tests one rule in one way. Of the cases of a rule the worst one is the rule's. A refusal counts \
            only beside its control case: the same flow without the mistake, which must succeed in the same run.</p>
            <dl>
            \(rows)</dl>

            """
    }
}
