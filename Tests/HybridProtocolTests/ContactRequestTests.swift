import Encodings
import HybridProtocol
import Testing

/// Request of a linked client to its authenticator through the tunnel service (HT-STA-1).
@Suite("A contact request")
struct ContactRequestTests {
    static let map: CBORMap = [
        1: .bytes([UInt8](1...8)), 2: .bytes([UInt8](1...16)), 3: .text("ga"),
    ]

    @Test("travels as hexadecimal digits, read in either case", arguments: [RequestHint.getAssertion, .makeCredential])
    func roundTrip(hint: RequestHint) throws {
        let request = try ContactRequest(
            linkID: LinkID([UInt8](1...8)), nonce: ClientNonce([UInt8](repeating: 0xab, count: 16)), hint: hint)
        #expect(request.headerValue.count == 66)
        #expect(request.headerValue == request.headerValue.lowercased())
        #expect(try ContactRequest(headerValue: request.headerValue) == request)
        #expect(try ContactRequest(headerValue: request.headerValue.uppercased()) == request)
    }

    @Test("is for ga or mc only", arguments: [RequestHint.digitalCredentialPresentation, .digitalCredentialIssuance])
    func hints(hint: RequestHint) {
        let made = refusal {
            _ = try ContactRequest(
                linkID: LinkID([UInt8](1...8)), nonce: ClientNonce([UInt8](1...16)), hint: hint)
        }
        #expect(made == .unsupportedHint)
        #expect(refusalOf(3, .text(hint.rawValue)) == .unsupportedHint)
    }

    @Test("is read as it is, with unknown keys ignored")
    func unknownKeys() {
        #expect(refusalOf(4, .null) == nil)
        #expect(refusalOf(3, .text("mc")) == nil)
    }

    @Test(
        "is refused with anything wrong in it",
        arguments: [
            (1, nil, .missingField), (2, nil, .missingField), (3, nil, .missingField),
            (1, .text("12345678"), .wrongType), (2, .unsigned(1), .wrongType), (3, .bytes([103, 97]), .wrongType),
            (1, .bytes([UInt8](1...7)), .wrongLength), (1, .bytes([UInt8](1...9)), .wrongLength),
            (2, .bytes([UInt8](1...15)), .wrongLength), (2, .bytes([UInt8](1...17)), .wrongLength),
            (3, .text("GA"), .unsupportedHint), (3, .text(""), .unsupportedHint),
            (4, .bytes([UInt8](repeating: 0, count: 300)), .tooLong),
        ] as [(Int, CBORValue?, HybridProtocolError.Code)])
    func wrong(key: Int, value: CBORValue?, code: HybridProtocolError.Code) {
        #expect(refusalOf(key, value) == code)
    }

    @Test("is refused if it is not a map, not canonical, or no hexadecimal digits at all")
    func nonsense() {
        #expect(refusal { _ = try ContactRequest(headerValue: "80") } == .notAMap)
        #expect(refusal { _ = try ContactRequest(headerValue: "") } == .invalidCBOR)
        #expect(refusal { _ = try ContactRequest(headerValue: "xy") } == .invalidHex)
        #expect(refusal { _ = try ContactRequest(headerValue: "a") } == .invalidHex)
        #expect(refusal { _ = try ContactRequest(headerValue: String(repeating: "a0", count: 1 << 20)) } == .tooLong)
    }

    private func refusalOf(_ key: Int, _ value: CBORValue?) -> HybridProtocolError.Code? {
        var map = Self.map
        map[key] = value
        let encoded = map.encoded()
        return refusal { _ = try ContactRequest(decoding: encoded.span) }
    }
}
