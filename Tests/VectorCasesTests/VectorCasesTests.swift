import Conformance
import Encodings
import Foundation
import Testing

@testable import VectorCases

@Suite("The cases that the vectors are made of")
struct VectorCasesTests {
    /// The layers by their folders below `Vectors`.
    private static let folders = [(".", VectorLayer.all)] + VectorLayer.own.map { ($0, $1) }

    @Test(
        "make every layer's file as it is committed, byte for byte",
        arguments: folders.flatMap { folder, layers in layers.map { (folder, $0) } })
    func parity(folder: String, layer: VectorLayer) throws {
        let cases = try layer.cases(Repository.sources)
        #expect(cases.name == layer.name)
        try expectCommitted("\(folder)/\(cases.fileName)", cases.fileText)
    }

    @Test("make each index as it is committed", arguments: folders)
    func index(folder: String, layers: [VectorLayer]) throws {
        let index = VectorIndex(try layers.map { try $0.cases(Repository.sources) })
        let directory = try VectorDirectory(path: Repository.vectors.appending(path: folder).path)
        #expect(index.caseCount == directory.files.flatMap(\.cases).count)
        try expectCommitted("\(folder)/\(VectorIndex.fileName)", index.fileText)
    }

    private func expectCommitted(_ name: String, _ made: String) throws {
        let file = Repository.vectors.appending(path: name)
        let committed = try String(contentsOf: file, encoding: .utf8)
        guard made != committed else { return }
        let lines = zip(made.split(separator: "\n"), committed.split(separator: "\n"))
        let first = lines.enumerated().first { $1.0 != $1.1 }
        Issue.record("line \(first?.offset ?? 0): made \(first?.element.0 ?? ""), committed \(first?.element.1 ?? "")")
    }
}

@Suite("A layer that is being made")
struct LayerCasesTests {
    private static let encoding = "digits.encode"
    private static let decoding = "digits.decode"
    private static let failed = VectorError(.unexpectedOutcome, reason: "")
    private static let malformed = VectorError(.malformedCase, reason: "")

    private static func layer() -> LayerCases { LayerCases("qr-digits", prefix: "digits", about: "a test") }

    @Test("states a case's parts in the files' order, and what comes out")
    func valid() throws {
        var layer = Self.layer()
        let found = try layer.valid(
            "one", "a byte", rule: "HT-QR-1", operation: Self.encoding, input: ["bytes": "01"],
            flags: [.notCanonicalCBOR, .boundary],
            source: "somewhere")
        #expect(found == ["digits": "001"])
        let expected = """
            {"id":"digits-one","comment":"a byte","operation":"digits.encode","rule":"HT-QR-1","certainty":"certain",\
            "source":"somewhere","flags":["not-canonical-cbor","boundary"],"input":{"bytes":"01"},"result":"valid",\
            "expected":{"digits":"001"}}
            """
        #expect(layer.cases.map(\.text) == [expected])
        #expect(layer.validCount == 1)
    }

    @Test("states the failure of a refusal")
    func invalid() throws {
        var layer = Self.layer()
        try layer.invalid(
            "plus", "a sign", rule: "HT-QR-1", operation: Self.decoding, input: ["digits": "+12"], failure: "non-digit")
        let expected = """
            {"id":"digits-plus","comment":"a sign","operation":"digits.decode","rule":"HT-QR-1","certainty":"certain",\
            "input":{"digits":"+12"},"result":"invalid","failure":"non-digit"}
            """
        #expect(layer.cases.map(\.text) == [expected])
        #expect(layer.validCount == 0)
    }

    @Test(
        "is as sure of a case as its rule is",
        arguments: [
            ("HT-QR-1", "certain"), ("HT-QR-28", "second-hand"), ("HT-MSG-37", "implied"), ("HT-FRM-15", "disputed"),
            ("HT-MSG-39", "policy"),
        ])
    func certainty(rule: String, certainty: String) throws {
        var layer = Self.layer()
        try layer.invalid(
            "a", "refused", rule: rule, operation: Self.decoding, input: ["digits": "+12"], failure: "non-digit")
        #expect(layer.cases.first?["certainty"]?.stringValue == certainty)
    }

    @Test("is optional where its rule allows and demands nothing", arguments: [("HT-QR-18", true), ("HT-QR-1", false)])
    func optional(rule: String, isOptional: Bool) throws {
        var layer = Self.layer()
        try layer.invalid(
            "a", "refused", rule: rule, operation: Self.decoding, input: ["digits": "+12"], failure: "non-digit")
        #expect(layer.cases.first?["flags"] == (isOptional ? ["optional"] : nil))
    }

    @Test("has no case of a rule that is not there")
    func unknownRule() {
        var layer = Self.layer()
        #expect(throws: Self.malformed) {
            try layer.valid("a", "a byte", rule: "HT-QR", operation: Self.encoding, input: ["bytes": "01"])
        }
    }

    @Test("is not made if a case comes out differently than it must")
    func unexpectedOutcomes() {
        var layer = Self.layer()
        #expect(throws: Self.failed) {
            try layer.valid("a", "refused", rule: "HT-QR-1", operation: Self.decoding, input: ["digits": "+12"])
        }
        #expect(throws: Self.failed) {
            try layer.invalid(
                "b", "accepted", rule: "HT-QR-1", operation: Self.decoding, input: ["digits": "012"],
                failure: "non-digit")
        }
        #expect(throws: Self.failed) {
            try layer.invalid(
                "c", "another", rule: "HT-QR-1", operation: Self.decoding, input: ["digits": "+12"],
                failure: "digit-count")
        }
        #expect(layer.cases.isEmpty)
    }

    @Test(
        "takes no identifier that is not one, and none twice",
        arguments: ["One", "a_b", "a--b", "-a", "a-", "é", "there"]
    )
    func identifiers(slug: String) throws {
        var layer = Self.layer()
        try layer.valid("there", "the first", rule: "HT-QR-1", operation: Self.encoding, input: ["bytes": "01"])
        #expect(layer.has("there"))
        #expect(throws: Self.malformed) {
            try layer.valid(slug, "the second", rule: "HT-QR-1", operation: Self.encoding, input: ["bytes": "02"])
        }
        #expect(layer.cases.count == 1)
    }

    @Test("takes no operation of another layer, and no input that does not fit")
    func misfits() {
        var layer = Self.layer()
        #expect(throws: VectorError(.unknownOperation, reason: "")) {
            try layer.valid(
                "a", "of another layer", rule: "HT-QR-1", operation: "cbor.canonical", input: ["cbor": "00"])
        }
        #expect(throws: Self.malformed) {
            try layer.valid("b", "without its input", rule: "HT-QR-1", operation: Self.encoding, input: [:])
        }
        #expect(throws: Self.malformed) {
            try layer.valid("c", "of another type", rule: "HT-QR-1", operation: Self.encoding, input: ["bytes": 1])
        }
    }

    @Test("states only what a case asks for, in the order asked for")
    func chosenFields() throws {
        var layer = LayerCases("key-schedule", prefix: "keys", about: "a test")
        let input: CaseFields = ["root_secret": .hex(.zeros(32))]
        let names = ["public_key", "seed"]
        let found = try layer.valid(
            "a", "chosen", rule: "HT-KEY-10", operation: "root.identity-key", input: input, expecting: names)
        #expect(found.members.map(\.name) == ["seed", "private_key", "public_key"])
        #expect(layer.cases.first?["expected"]?.objectValue?.map(\.name) == names)
        #expect(throws: Self.malformed) {
            try layer.valid(
                "b", "not there", rule: "HT-KEY-10", operation: "root.identity-key", input: input, expecting: ["name"])
        }
    }
}

@Suite("Inputs of vectors")
struct VectorInputTests {
    @Test("a label's bytes and private key are those that Python computes")
    func seed() {
        let seed = VectorSeed()
        #expect(
            JSONValue.hex(seed.bytes("test", 40))
                == "4afc502bb8fa06d8596e9b4394a9cc8eddd80f7c9d3dbdadee7ea27ed25446fd8266799b5a1e54bf")
        #expect(
            JSONValue.hex(seed.privateKey("test"))
                == "be635be82a3a1c49091f397fb0596c93b2c9b34e3facdcaaa836e6101d8aca43")
    }

    @Test(
        "a slug is words of letters and digits", arguments: [("QR map: key 2 = 4567", "qr-map-key-2-4567"), ("é-", "")])
    func slugs(text: String, slug: String) {
        #expect(CaseSlug(text).text == slug)
    }

    @Test("fields keep their order when one of them changes")
    func fields() {
        let fields: CaseFields = ["b": 1, "a": 2]
        #expect(fields.with("b", 3).members.map(\.name) == ["b", "a"])
        #expect(fields.with(["a": 4, "c": 5]) == ["b": 1, "a": 4, "c": 5])
        #expect(fields.without("b") == ["a": 2])
    }

    @Test(
        "numbers of any size add, subtract and divide as those of the language do",
        arguments: [0, 1, 9, 0xffff_ffff, 0x1_0000_0000, UInt128(UInt64.max), 1 << 64, UInt128.max >> 1],
        [1, 3, 10, 0xffff_ffff, 0x1_0000_0000, UInt128(UInt64.max), 1 << 65, UInt128.max >> 1])
    func magnitudes(left: UInt128, right: UInt128) {
        let (large, small) = (Magnitude(left.bigEndianBytes), Magnitude(right.bigEndianBytes))
        #expect((large + small).decimal() == "\(left + right)")
        #expect((large % small).decimal() == "\(left % right)")
        #expect((large < small) == (left < right))
        #expect(Magnitude(large.bigEndianBytes(16)) == large)
        if left >= right { #expect((large - small).decimal() == "\(left - right)") }
    }

    @Test("a power of two has its digits, with zeros in front where they are fewer")
    func powers() {
        #expect(Magnitude.powerOfTwo(0).decimal(width: 3) == "001")
        #expect(Magnitude.powerOfTwo(56).decimal(width: 17) == "72057594037927936")
        #expect(Magnitude.powerOfTwo(127).decimal() == "\(UInt128(1) << 127)")
    }
}
