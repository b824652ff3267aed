/// A sentence for a person: in English, and in the language of the catalogue where that has it.
///
/// It is written as a literal. Its English, with a mark for each value, `{0}` and on, is its key in the catalogue
/// (gettext's msgid), so that a value is never taken for words: text that others have written stays as it is. A
/// sentence in a sentence is translated by itself.
package struct Sentence: Sendable {
    /// A value in a sentence.
    private enum Value: Sendable {
        case text(String)
        case sentence(Sentence)
    }

    /// The English of one thing and of several, where the number of things chooses the words.
    private struct Plural: Sendable {
        let form: String
        let count: Int
    }

    private var form = ""
    private var plural: Plural?
    private var values: [Value] = []
    private var isCapitalised = false

    private init() {}

    /// A text that is no sentence of ours, and stays as it is.
    package init(verbatim text: String) { add(.text(text)) }

    /// A reason of an error of a library: it is translated if the catalogue has the whole of it.
    package init(reason text: String) { form = Self.escaped(text) }

    /// One of two sentences by a number of things: catalogues of other languages may have more than two.
    ///
    /// - Parameters:
    ///   - count: the number, 0 or more.
    ///   - one: the sentence for one thing, with the values of the other.
    ///   - other: the sentence for another number of things.
    package init(count: Int, one: Sentence, other: Sentence) {
        self = other
        if count == 1 { values = one.values }
        form = one.form
        plural = Plural(form: other.form, count: count)
    }

    private mutating func add(_ value: Value) {
        form += "{\(values.count)}"
        values.append(value)
    }

    /// The sentence in English: for programs, and for logs.
    package var english: String {
        guard let plural, plural.count != 1 else { return text(form, \.english) }
        return text(plural.form, \.english)
    }

    /// The sentence in the language of the catalogue.
    package var localized: String {
        guard hasWords else { return text(form, \.localized) }
        guard let plural else { return text(Catalogue.text(form), \.localized) }
        return text(Catalogue.text(form, plural.form, plural.count), \.localized)
    }

    /// True if the catalogue says it in other words than English.
    package var isTranslated: Bool { localized != english }

    /// The sentence with a capital letter.
    package var capitalised: Sentence {
        var sentence = self
        sentence.isCapitalised = true
        return sentence
    }

    /// The sentence with other words in the place of a value.
    package func replacing(_ value: String, with words: Sentence) -> Sentence {
        var sentence = self
        sentence.values = values.map { if case .text(value) = $0 { .sentence(words) } else { $0 } }
        return sentence
    }

    /// The sentence as a question, or a part of one, that asks for consent: with its English beside it until somebody
    /// has reviewed the catalogue's questions.
    ///
    /// - Parameter separator: the text between the two.
    package func consent(_ separator: String = "\n\n") -> Sentence {
        isTranslated && !Catalogue.isConsentReviewed ? "\(self)\(separator)\(english)" : self
    }

    /// True if there is something to translate beside the values.
    private var hasWords: Bool { form.contains(where: \.isLetter) }

    /// Puts the values in the place of their marks.
    private func text(_ form: String, _ read: (Sentence) -> String) -> String {
        var text = ""
        var rest = form[...]
        while let index = rest.utf8.firstIndex(where: Self.isBrace) {
            text += rest[..<index]
            let mark = rest.utf8[index...]
            if mark.dropFirst().first == mark.first {
                text += Substring(mark.prefix(1))
                rest = Substring(mark.dropFirst(2))
            } else if let end = mark.firstIndex(of: UInt8(ascii: "}")),
                let number = Int(Substring(mark[..<end].dropFirst())), values.indices.contains(number)
            {
                switch values[number] {
                case .text(let value): text += value
                case .sentence(let value): text += read(value)
                }
                rest = Substring(mark[end...].dropFirst())
            } else {
                // A translation with a mark for which there is no value.
                text += Substring(mark.prefix(1))
                rest = Substring(mark.dropFirst())
            }
        }
        text += rest
        return isCapitalised ? text.prefix(1).uppercased() + text.dropFirst() : text
    }

    /// A text with each brace twice. Nearly none has one, and a program makes hundreds before it does anything.
    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: isBrace) else { return text }
        return String(decoding: text.utf8.flatMap { isBrace($0) ? [$0, $0] : [$0] }, as: UTF8.self)
    }

    private static func isBrace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") }
}

extension Sentence: ExpressibleByStringInterpolation {
    /// The parts of a literal.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sentence = Sentence()

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ text: String) { sentence.form += Sentence.escaped(text) }

        /// Puts in a sentence, which is translated by itself.
        package mutating func appendInterpolation(_ value: Sentence) { sentence.add(.sentence(value)) }

        /// Puts in the reason of an error of a library.
        package mutating func appendInterpolation(reason text: String) {
            sentence.add(.sentence(Sentence(reason: text)))
        }

        /// Puts in a value, which stays as it is.
        package mutating func appendInterpolation(_ value: some Any) { sentence.add(.text("\(value)")) }
    }

    package init(stringLiteral text: String) { form = Self.escaped(text) }

    package init(stringInterpolation parts: StringInterpolation) { self = parts.sentence }

    /// One literal that is written in two lines.
    package static func + (one: Self, other: Self) -> Self {
        var sum = one
        sum.form += other.shifted(by: one.values.count)
        sum.values += other.values
        return sum
    }

    /// The form with marks of higher numbers.
    private func shifted(by count: Int) -> String {
        guard count > 0 else { return form }
        var marked = self
        marked.values = values.indices.map { .text("{\($0 + count)}") }
        return marked.text(form.replacing("{{", with: "{{{{").replacing("}}", with: "}}}}"), \.english)
    }
}

extension Sentence: Hashable {
    /// Two are the same if their English is, however they were put together.
    package static func == (one: Self, other: Self) -> Bool { one.english == other.english }

    package func hash(into hasher: inout Hasher) { english.hash(into: &hasher) }
}

extension Sentence: CustomStringConvertible {
    /// The sentence in the language of the catalogue.
    package var description: String { localized }
}

extension Sequence<Sentence> {
    /// The sentences one after another.
    package func joined(_ separator: String) -> Sentence {
        reduce(into: Sentence?.none) { all, next in
            all = all.map { "\($0)\(separator)\(next)" } ?? next
        } ?? ""
    }
}
