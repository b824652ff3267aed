/// The words of a pinentry's dialogue.
package struct PinentryDialogue: Sendable, Hashable {
    /// The window's title.
    package var title: String
    /// The question, of one or more lines. A text of the peer's must be escaped already. Where a passphrase is
    /// asked for, what is longer than a line of the protocol, some 990 bytes, is cut.
    package var description: String
    /// The words before the field for a passphrase.
    package var prompt: String
    /// The words on the button of a yes.
    package var yes: String
    /// The words on the button of a no.
    package var no: String
    /// The objection to the answer before; nil without one.
    package var objection: String?

    package init(
        title: String = "hybrid", description: String, prompt: String = "Passphrase:", yes: String = "OK",
        no: String = "Cancel", objection: String? = nil
    ) {
        self.title = title
        self.description = description
        self.prompt = prompt
        self.yes = yes
        self.no = no
        self.objection = objection
    }

    /// The commands that set the words.
    var commands: [String] {
        [
            AssuanText.line("SETTITLE", title), AssuanText.line("SETDESC", description),
            AssuanText.line("SETPROMPT", prompt), AssuanText.line("SETOK", yes), AssuanText.line("SETCANCEL", no),
        ] + (objection.map { [AssuanText.line("SETERROR", $0)] } ?? [])
    }
}

extension PinentryDialogue {
    /// The most pages of a question: more are not read, and a peer could fill any number.
    static let mostPages = 24

    /// The question in pages, each of which is shown whole; those before the last have a button that leads to the next.
    ///
    /// - Throws: ``DialogueError`` `tooLong`.
    func pages() throws(DialogueError) -> [PinentryDialogue] {
        var filler = PageFiller()
        for line in description.split(separator: "\n", omittingEmptySubsequences: false) { filler.add(line) }
        let texts = filler.texts
        guard texts.count <= Self.mostPages else {
            throw DialogueError(
                .tooLong, reason: "the question has \(texts.count) pages; at most \(Self.mostPages) are shown")
        }
        guard texts.count > 1 else { return [self] }
        return texts.enumerated().map { index, text in
            var page = self
            page.description = "\(text)\n\npage \(index + 1) of \(texts.count)"
            if index < texts.count - 1 { page.yes = "Continue" }
            return page
        }
    }
}

/// Fills pages with lines: each line on one page if it fits there, and a longer one behind what is there already,
/// broken between two words.
private struct PageFiller {
    /// The most bytes of a page as a line of the protocol has them, so that the page's number fits too.
    private static let longestPage = 900
    /// The most rows of a page, and what a row takes at least: a window must not be higher than a screen.
    private static let (mostRows, rowLength) = (16, 64)
    /// The bytes of a line's end.
    private static let endByteCount = AssuanText.escapedByteCount("\n")

    private var pages: [[String]] = []
    private var page: [String] = []
    private var (room, rows) = (longestPage, mostRows)

    /// The pages.
    var texts: [String] { (pages + [page]).map { $0.joined(separator: "\n") } }

    mutating func add(_ line: Substring) {
        let size = AssuanText.escapedByteCount(String(line)) + Self.endByteCount
        let height = line.unicodeScalars.count / Self.rowLength + 1
        guard size <= Self.longestPage, height <= Self.mostRows else { return fill(with: line.unicodeScalars) }
        if size > room || height > rows { turn() }
        append(String(line), size, height)
    }

    private mutating func fill(with line: Substring.UnicodeScalarView) {
        var rest = line
        while !rest.isEmpty {
            var part = prefix(of: rest)
            if part.endIndex < rest.endIndex, let space = part.lastIndex(of: " ") {
                part = part[...space]
            } else if part.endIndex < rest.endIndex, !page.isEmpty {
                // A word that is longer than the rest of a page begins on the next one.
                turn()
                continue
            }
            let text = String(part)
            append(
                text, AssuanText.escapedByteCount(text) + Self.endByteCount, part.count / Self.rowLength + 1)
            rest = rest[part.endIndex...]
            if !rest.isEmpty { turn() }
        }
    }

    /// The longest beginning that fits on the page: something of it on an empty one.
    private func prefix(of rest: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        var (byteCount, scalarCount) = (Self.endByteCount, 0)
        return rest.prefix { scalar in
            byteCount += AssuanText.escapedByteCount(String(scalar))
            scalarCount += 1
            return byteCount <= room && scalarCount < rows * Self.rowLength
        }
    }

    private mutating func append(_ line: String, _ size: Int, _ height: Int) {
        page.append(line)
        room -= size
        rows -= height
    }

    private mutating func turn() {
        pages.append(page)
        (page, room, rows) = ([], Self.longestPage, Self.mostRows)
    }
}
