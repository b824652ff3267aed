import HybridProtocol
import Testing

@Suite("The headers of a client that asks for its linked authenticator")
struct ContactHeadersTests {
    @Test("come back as they were", arguments: [true, false])
    func roundTrip(asksForSignal: Bool) {
        let headers = ContactHeaders(clientPayload: [0xA0, 0x0F], asksForSignal: asksForSignal)
        let fields = headers.fields
        #expect(fields.first?.name == "X-caBLE-Client-Payload" && fields.first?.value == "a00f")
        #expect(fields.dropFirst().map(\.name) == (asksForSignal ? ["X-caBLE-Signal-Connection"] : []))
        let signals = fields.dropFirst().map(\.value)
        #expect(ContactHeaders(clientPayloads: ["A00f"], signals: signals) == headers)
    }

    @Test(
        "are refused without one payload of 1 to 256 bytes",
        arguments: [[], [""], ["a"], ["zz"], ["00", "00"], [String(repeating: "00", count: 257)]])
    func refused(payloads: [String]) {
        #expect(ContactHeaders(clientPayloads: payloads, signals: []) == nil)
    }

    @Test("ask for the signal by one value alone", arguments: [["true", "true"], ["1"], ["", "true"]])
    func otherSignals(signals: [String]) {
        #expect(ContactHeaders(clientPayloads: ["00"], signals: signals)?.asksForSignal == false)
        #expect(ContactHeaders(clientPayloads: ["00"], signals: ["TRUE"])?.asksForSignal == true)
    }
}
