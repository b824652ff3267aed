import Cryptography
import Encodings
import HybridProtocol
import Testing

/// The stored form of a link.
@Suite("A stored link")
struct LinkStorageTests {
    @Test("is the same when it is read again")
    func roundTrip() throws {
        let link = try LinkMaker.link()
        let stored = link.encoded().contents
        let again = try Link(decoding: stored.span)
        let read = again.encoded().contents
        #expect(read == stored)
        let same = again.contactID == link.contactID && again.linkID == link.linkID && again.name == link.name
        #expect(same)
        let sameAuthenticator = again.publicKey == link.publicKey && again.domain == link.domain
        #expect(sameAuthenticator)
    }

    @Test("of a clone is the same")
    func clone() throws {
        let link = try LinkMaker.link()
        let (one, other) = (link.clone().encoded().contents, link.encoded().contents)
        #expect(one == other)
    }

    @Test("is refused wherever it is cut short, and with a byte too many")
    func truncated() throws {
        let stored = try LinkMaker.link().encoded().contents
        for byteCount in 0..<stored.count {
            let cut = Array(stored.prefix(byteCount))
            #expect(refusal { _ = try Link(decoding: cut.span) } == .invalidCBOR)
        }
        let longer = stored + [0]
        #expect(refusal { _ = try Link(decoding: longer.span) } == .invalidCBOR)
    }

    @Test(
        "is refused with anything wrong in it",
        arguments: [
            (0, .unsigned(2), .unsupportedVersion), (0, .text("1"), .wrongType), (0, nil, .missingField),
            (1, .bytes([]), .wrongLength), (1, nil, .missingField), (2, .bytes([1]), .wrongLength),
            (3, .bytes([UInt8](repeating: 0, count: 31)), .wrongLength), (3, nil, .missingField),
            (4, .bytes([UInt8](repeating: 0, count: 65)), .invalidPoint), (4, .bytes([2]), .wrongLength),
            (5, .bytes([]), .wrongType), (5, .text(String(repeating: "x", count: 129)), .tooLong),
            (6, .unsigned(2), .unassignedDomain), (6, .unsigned(65_536), .unassignedDomain), (6, nil, .missingField),
            (7, .null, .unknownField),
        ] as [(Int, CBORValue?, HybridProtocolError.Code)])
    func wrong(key: Int, value: CBORValue?, code: HybridProtocolError.Code) throws {
        let stored = try LinkMaker.link().encoded().contents
        var map = try #require(try CBORValue.decode(stored.span).mapValue)
        map[key] = value
        let changed = map.encoded()
        #expect(refusal { _ = try Link(decoding: changed.span) } == code)
        let list = CBORValue.array([]).encoded()
        #expect(refusal { _ = try Link(decoding: list.span) } == .notAMap)
    }
}
