import CTAP
import Testing

@Suite struct DecodingOfArraysTests {
    @Test("An array decodes as its span does")
    func arrays() throws {
        let request = CTAPRequest.getInfo.encoded()
        #expect(try CTAPRequest(decoding: request) == CTAPRequest(decoding: request.span))
        #expect(try CTAPResponse(decoding: [0x2E]) == CTAPResponse(decoding: [0x2E].span))
        #expect(throws: CTAPError.self) { try CTAPResponse(decoding: []) }
        let info: [UInt8] =
            [0xA2, 0x01, 0x81, 0x68] + Array("FIDO_2_0".utf8) + [0x03, 0x50] + [UInt8](repeating: 0, count: 16)
        #expect(try GetInfoResponse(decoding: info) == GetInfoResponse(decoding: info.span))
    }
}
