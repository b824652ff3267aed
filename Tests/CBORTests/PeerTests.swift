import Encodings
import Testing

/// Random values as python-fido2 and cbor2 write them (Fixtures/make-fixtures).
@Suite struct PeerTests {
    struct Loose: Decodable, Sendable {
        let cbor: String
        let canonical: String
    }

    @Test("What python-fido2 encodes is canonical here and comes out the same")
    func canonical() throws {
        let values: [String] = try fixture("peer-canonical.json")
        #expect(values.count > 100)
        for value in values {
            #expect(try hex(strict(value).encoded()) == value)
            #expect(try lenient(value) == strict(value))
        }
    }

    @Test("What cbor2 decodes of arbitrary CBOR is what the lenient decoder reads")
    func loose() throws {
        let values: [Loose] = try fixture("peer-lenient.json")
        #expect(values.count > 100)
        for value in values {
            #expect(try hex(lenient(value.cbor).encoded()) == value.canonical, "\(value.cbor)")
        }
    }
}
