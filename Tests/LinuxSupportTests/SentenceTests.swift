import Testing

@testable import LinuxSupport

/// Sentences without a catalogue; the effect of one is seen in the script `languages`.
@Suite("A sentence")
struct SentenceTests {
    @Test("is its English, however it was put together")
    func english() {
        let name = "alice"
        let sentence: Sentence = "signed in as \(name)"
        #expect(sentence.english == "signed in as alice")
        #expect(sentence == "signed in as alice")
        #expect(("signed in " + "as \(name)" as Sentence).english == "signed in as alice")
        #expect(("\(name) and \(1), " + "\(2) {x}" as Sentence).english == "alice and 1, 2 {x}")
        #expect(("\(sentence); verified" as Sentence).english == "signed in as alice; verified")
        #expect(sentence.capitalised.english == "Signed in as alice")
        let parts: [Sentence] = ["one", "\(name)", "three"]
        #expect(parts.joined(", ") == "one, alice, three")
        #expect(([] as [Sentence]).joined(", ") == "")
    }

    @Test(
        "takes no value for words",
        arguments: ["{0}", "{1}", "{", "}}", "{{0}}", "%s", "{-1}", "{99999999999999999999}"])
    func hostileValue(value: String) {
        #expect(("a \(value) b \(value)" as Sentence).english == "a \(value) b \(value)")
        #expect(("a \("x \(value)" as Sentence)" as Sentence).english == "a x \(value)")
        #expect(Sentence(verbatim: value).english == value)
        #expect(Sentence(reason: value).english == value)
        let sentence: Sentence = "\(value) cannot be read"
        #expect(sentence.replacing(value, with: "the picture").english == "the picture cannot be read")
    }

    @Test("is of one thing or of several", arguments: [(0, "0 cases"), (1, "1 case"), (2, "2 cases")])
    func plural(count: Int, text: String) {
        let sentence = Sentence(count: count, one: "\(count) case", other: "\(count) cases")
        #expect(sentence.english == text)
        #expect(("in all: \(sentence)" as Sentence).localized == "in all: \(text)")
    }

    @Test("has no English beside it where that is what is shown")
    func consent() {
        let question: Sentence = "Sign in?"
        #expect(!question.isTranslated && question.consent() == question)
    }

    @Test("has the columns of a terminal", arguments: [("abc", 3), ("", 0)])
    func columns(text: String, count: Int) {
        #expect(text.columnCount == count)
        #expect(text.padded(to: 5).count == 5)
        #expect(text.padded(to: 1).hasSuffix(" "))
    }
}
