import Cryptography
import Encodings
import HybridProtocol
import HybridTransport
import Testing

@Suite("An error")
struct CodedErrorTests {
    @Test("is another one's equal by its code alone")
    func equality() {
        let error = CBORError(.truncated, reason: "the input ends inside an item")
        #expect(error == CBORError(.truncated, reason: "another one"))
        #expect(error != CBORError(.malformed, reason: error.reason))
        #expect(error.description == "truncated: the input ends inside an item")
    }

    @Test("says where it was made, by file and line, without the folders of the machine that built it")
    func place() throws {
        let line = #line + 1
        let error = CBORError(.truncated, reason: "")
        #expect(error.place.description == "ErrorsTests/CodedErrorTests.swift:\(line)")
        let read = #expect(throws: CBORError.self) { try CBORValue.decode([0x82, 0x01].span) }
        #expect(try #require(read).place.description.hasPrefix("Encodings/"))
    }

    @Test("keeps the place and the reason of the one that it comes from")
    func cause() {
        let cause = CryptographyError(.invalidPoint, reason: "no point")
        let error = HybridProtocolError(.invalidPoint, from: cause)
        #expect(error.place.line == cause.place.line)
        #expect(error.reason == cause.reason)
    }

    @Test("is thrown as one of another kind, and named for its subject, with the place of the cause")
    func rethrown() throws {
        let cause = CryptographyError(.invalidPoint, reason: "no point")
        func value(_ error: CryptographyError?) throws(CryptographyError) -> Int {
            if let error { throw error }
            return 1
        }
        let one = try CryptographyError.rethrown(value(nil), as: HybridProtocolError.init)
        #expect(one == 1)
        let read = #expect(throws: HybridProtocolError.self) {
            try CryptographyError.rethrown(value(cause), as: { HybridProtocolError($0).naming("file") })
        }
        let error = try #require(read)
        #expect(error.code == .invalidPoint && error.reason == "file: no point")
        #expect(error.place.line == cause.place.line)
    }

    @Test("of a ceremony has the place of its cause, or its own")
    func ceremony() {
        let cause = HybridProtocolError(.badTag, reason: "an authentication tag does not match")
        let error = HybridTransportError(cause, reaching: .handshaken)
        #expect(error.place.description == cause.place.description)
        let line = #line + 1
        let own = HybridTransportError(.timeout, stage: .ready, cause: "", advice: .startAgain)
        #expect(own.place.description == "ErrorsTests/CodedErrorTests.swift:\(line)")
    }
}
