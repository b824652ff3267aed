import Conformance
import JSON
import Testing
import VectorCases

@Suite("The cases of a layer, as they are made")
struct LayerCasesTests {
    private let unexpected = ConformanceError(.unexpectedOutcome, reason: "")
    private let malformed = ConformanceError(.malformedCase, reason: "")

    private var layer: LayerCases { LayerCases("qr-digits", prefix: "digits", about: "") }

    @Test("state what comes out, and give it back for further cases")
    func valid() throws {
        var layer = layer
        let found = try layer.valid(
            "encode", "a comment", rule: "1.2", "digits.encode", ["bytes": "00"], flags: [.boundary, .lenient],
            certainty: .implied, source: "somebody")
        #expect(found == ["digits": "000"])
        let expected: JSON.JSONValue = [
            "id": "digits-encode", "comment": "a comment", "operation": "digits.encode", "rule": "1.2",
            "certainty": "implied", "source": "somebody", "flags": ["boundary", "lenient"], "input": ["bytes": "00"],
            "result": "valid", "expected": ["digits": "000"],
        ]
        #expect(layer.cases == [expected])
        #expect(layer.validCount == 1)
    }

    @Test("state a refusal by its kind")
    func invalid() throws {
        var layer = layer
        try layer.invalid("letter", "", rule: "1.2", "digits.decode", ["digits": "00a"], failure: "non-digit")
        #expect(layer.cases.first?["result"] == "invalid")
        #expect(layer.cases.first?["failure"] == "non-digit")
        #expect(layer.cases.first?["expected"] == nil)
        #expect(layer.validCount == 0)
    }

    @Test("state what is asked for, in the order in which it is asked")
    func order() throws {
        var layer = LayerCases("advert", prefix: "advert", about: "")
        let plaintext = String(repeating: "00", count: 16)
        let found = try layer.valid(
            "parse", "", rule: "4.1", "advert.parse", ["plaintext": .string(plaintext)],
            expecting: ["domain_id", "nonce"])
        #expect(layer.cases.first?["expected"]?.objectValue?.map(\.name) == ["domain_id", "nonce"])
        #expect(found["domain"] == "cable.ua5v.com")
        #expect(throws: malformed) {
            try layer.valid(
                "parse-again", "", rule: "4.1", "advert.parse", ["plaintext": .string(plaintext)], expecting: ["psm"])
        }
    }

    @Test("are not made where the implementation accepts what it must refuse, or the other way round")
    func otherResult() {
        var layer = layer
        #expect(throws: unexpected) {
            try layer.invalid("good", "", rule: "1.2", "digits.decode", ["digits": "000"], failure: "non-digit")
        }
        #expect(throws: unexpected) {
            try layer.valid("bad", "", rule: "1.2", "digits.decode", ["digits": "00a"])
        }
        #expect(layer.cases.isEmpty)
    }

    @Test("are not made where the implementation refuses for another reason")
    func otherFailure() {
        var layer = layer
        #expect(throws: unexpected) {
            try layer.invalid("letter", "", rule: "1.2", "digits.decode", ["digits": "00a"], failure: "digit-range")
        }
        #expect(layer.cases.isEmpty)
    }

    @Test(
        "have identifiers of lower-case words with hyphens", arguments: ["Letter", "a--b", "a-", "a b", "ä", "a_b", ""])
    func identifiers(slug: String) {
        var layer = layer
        #expect(throws: malformed) {
            try layer.valid(slug, "", rule: "1.2", "digits.encode", ["bytes": "00"])
        }
    }

    @Test("have each identifier once")
    func twice() throws {
        var layer = layer
        try layer.valid("zero", "", rule: "1.2", "digits.encode", ["bytes": "00"])
        #expect(layer.has("zero"))
        #expect(throws: malformed) { try layer.valid("zero", "", rule: "1.2", "digits.encode", ["bytes": "01"]) }
        #expect(layer.cases.count == 1)
    }

    @Test("ask for operations of their layer alone", arguments: ["advert.open", "digits.guess"])
    func operations(name: String) {
        var layer = layer
        #expect(throws: ConformanceError(.unknownOperation, reason: "")) {
            try layer.valid("other", "", rule: "1.2", name, ["bytes": "00"])
        }
    }

    @Test("need inputs of the operation's types")
    func inputs() {
        var layer = layer
        #expect(throws: malformed) { try layer.valid("number", "", rule: "1.2", "digits.encode", ["bytes": 0]) }
        #expect(throws: malformed) { try layer.valid("missing", "", rule: "1.2", "digits.encode", [:]) }
    }
}

@Suite("The fields of a case")
struct CaseFieldsTests {
    private let fields: CaseFields = ["b": "00", "a": 1]

    @Test("keep their places when they change, and new ones stand at the end")
    func places() {
        #expect(fields.with("b", "01") == ["b": "01", "a": 1])
        #expect(fields.with(["c": true, "a": 2]) == ["b": "00", "a": 2, "c": true])
        #expect(fields.without("b") == ["a": 1])
        #expect(fields.without("c") == fields)
        #expect(fields != ["a": 1, "b": "00"])
    }

    @Test("are chosen by their names, in the order of the names")
    func only() throws {
        #expect(try fields.only(["a", "b"]) == ["a": 1, "b": "00"])
        #expect(throws: ConformanceError(.malformedCase, reason: "")) { try fields.only(["c"]) }
    }

    @Test("are read by type")
    func types() throws {
        #expect(try fields.bytes("b") == [0])
        #expect(try fields.text("b") == "00")
        #expect(throws: ConformanceError(.malformedCase, reason: "")) { try fields.bytes("a") }
        #expect(throws: ConformanceError(.malformedCase, reason: "")) { try fields.text("c") }
    }
}

@Suite("The seed of the vectors")
struct VectorSeedTests {
    /// Made with the reference, `tools/vectors/reference/curve.py`.
    @Test(
        "gives the same bytes as the reference",
        arguments: [
            ("session/sign-in/secret", "c6c4f93fb9a10b7e6a7c8d3e32e0de71"),
            ("contact", "74210747ccff6ec1016e6e5e7c79f92f6e4bb098c9f80890ddd138277bba24bd4ea5370ceaf1d7e5"),
        ])
    func bytes(label: String, digits: String) throws {
        #expect(try VectorSeed().bytes(label, digits.utf8.count / 2) == Conformance.bytes(hexDigits: digits))
    }

    @Test("gives the same private key as the reference")
    func privateKey() throws {
        let digits = "dfcb1dfcb9d6219ea35cb7ddecf61077fe58d64043b7ab581cd6ea833576dc57"
        #expect(try VectorSeed().privateKey("session/sign-in/client") == Conformance.bytes(hexDigits: digits))
    }
}
