import Testing

@testable import CTAP

@Suite("A host") struct CTAPHIDExchangeTests {
    private static let ours = CTAPHIDChannel(rawValue: 3)
    private static let theirs = CTAPHIDChannel(rawValue: 4)

    private func ping(_ payload: [UInt8] = [1]) throws -> CTAPHIDExchange {
        try CTAPHIDExchange(channel: Self.ours, command: .ping, payload: payload)
    }

    private func report(
        _ command: CTAPHIDCommand, _ payload: [UInt8] = [], on channel: CTAPHIDChannel = ours
    ) -> [UInt8] {
        CTAPHIDMessage(channel, command, payload).reports[0]
    }

    @Test("sends messages of at most 7,609 bytes")
    func limits() throws {
        #expect(try ping(pattern(7_609)).reports.count == 129)
        #expect(throws: CTAPHIDError(.tooLong, reason: "")) { try ping(pattern(7_610)) }
        #expect(throws: CTAPHIDError(.wrongLength, reason: "")) {
            try CTAPHIDExchange(initializing: .broadcast, nonce: [1])
        }
        #expect(try ping().cancelReport == report(.cancel))
    }

    @Test("hears its answer among others' (HT-HID-29)")
    func others() throws {
        var exchange = try ping()
        #expect(try exchange.receive(report(.ping, [9], on: Self.theirs)) == nil)
        #expect(try exchange.receive([1, 2, 3]) == nil)
        #expect(try exchange.receive(CTAPHIDMessage(Self.ours, .ping, pattern(58)).reports[1]) == nil)
        #expect(try exchange.receive(report(.keepAlive, [2])) == .keepAlive(.userPresenceNeeded))
        #expect(try exchange.receive(report(.ping, [1])) == .response([1]))
        #expect(try exchange.receive(report(.ping, [1])) == nil)
    }

    @Test("takes no answer but its own, whole (HT-HID-4, HT-HID-5, HT-HID-30)")
    func wrongAnswers() throws {
        let long = CTAPHIDMessage(Self.ours, .ping, pattern(200)).reports
        let wrong: [(CTAPHIDError.Code, [[UInt8]])] = [
            (.unexpectedMessage, [report(.wink)]), (.wrongSequence, [long[0], long[2]]),
            (.wrongSequence, [long[0], long[0]]),
            (.tooLong, [CTAPHIDMessage(Self.ours, .ping, pattern(7_610)).reports[0]]),
            (.wrongLength, [report(.error)]), (.wrongLength, [report(.keepAlive, [1, 2])]),
        ]
        for (code, reports) in wrong {
            var exchange = try ping()
            #expect(throws: CTAPHIDError(code, reason: "")) {
                for report in reports { _ = try exchange.receive(report) }
            }
            // It is over.
            #expect(try exchange.receive(report(.ping, [1])) == nil)
        }
    }

    @Test("takes the answer with its nonce (HT-HID-31)")
    func nonces() throws {
        var exchange = try CTAPHIDExchange(initializing: .broadcast, nonce: pattern(8))
        let other = CTAPHIDInitialization(
            nonce: [9] + pattern(7), channel: Self.theirs, version: Conversation.version, capabilities: [])
        let own = CTAPHIDInitialization(
            nonce: pattern(8), channel: Self.ours, version: Conversation.version, capabilities: [.cbor])
        #expect(try exchange.receive(report(.initialize, other.bytes, on: .broadcast)) == nil)
        let answer = try exchange.receive(report(.initialize, own.bytes + [1, 2], on: .broadcast))
        #expect(answer == .response(own.bytes + [1, 2]))
        #expect(try CTAPHIDInitialization(own.bytes + [1, 2]) == own)
        #expect(throws: CTAPHIDError(.tooShort, reason: "")) { try CTAPHIDInitialization(own.bytes.dropLast()) }
    }

    @Test("an error says what is wrong")
    func description() {
        #expect(CTAPHIDError(.tooLong, reason: "so long").description == "too-long: so long")
    }
}
