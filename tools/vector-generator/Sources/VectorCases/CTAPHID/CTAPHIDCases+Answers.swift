internal import CTAP
internal import Conformance
internal import Encodings

// The host's side of a message.

extension CTAPHIDCases {
    private static let foreign = CTAPHIDChannel(rawValue: 0x0A0B_0C0E)

    /// The reports of a message on the host's channel, or another.
    private func reports(
        _ command: CTAPHIDCommand, _ payload: [UInt8] = [], on channel: CTAPHIDChannel = Self.channel
    ) throws -> [[UInt8]] {
        try CTAPHIDMessage(channel: channel, command: command, payload: payload).reports
    }

    private func input(
        _ command: CTAPHIDCommand, _ payload: [UInt8], _ reports: [[UInt8]], on channel: CTAPHIDChannel
    ) -> CaseFields {
        [
            "channel": .integer(channel.rawValue), "command": .integer(command.rawValue), "payload": .hex(payload),
            "reports": .hexes(reports),
        ]
    }

    private mutating func hears(
        _ slug: String, _ comment: String, rule: String, _ reports: [[UInt8]], response: [UInt8]? = nil,
        error: CTAPHIDErrorCode? = nil, command: CTAPHIDCommand = .ping, payload: [UInt8] = [1],
        on channel: CTAPHIDChannel = Self.channel, flags: [CaseFlag] = []
    ) throws {
        let found = try layer.valid(
            "exchange-\(slug)", comment, rule: rule, operation: "ctaphid.exchange",
            input: input(command, payload, reports, on: channel), flags: flags)
        try found.check("response", is: response.map { .hex($0) } ?? .null, in: slug)
        try found.check("error", is: error.map { .integer($0.rawValue) } ?? .null, in: slug)
    }

    private mutating func refuses(
        _ slug: String, _ comment: String, rule: String, _ reports: [[UInt8]], failure: String,
        flags: [CaseFlag] = []
    ) throws {
        try layer.invalid(
            "exchange-\(slug)", comment, rule: rule, operation: "ctaphid.exchange",
            input: input(.ping, [1], reports, on: Self.channel), failure: failure, flags: flags)
    }

    mutating func addAnswers() throws {
        let long = try payload("answer/long", 200)
        let packets = try reports(.ping, long)
        try hears("short", "an answer in one report", rule: "HT-HID-3", reports(.ping, [1]), response: [1])
        try hears("empty", "an answer without a payload", rule: "HT-HID-3", reports(.ping), response: [])
        try hears("long", "an answer in four reports", rule: "HT-HID-4", packets, response: long)
        let longest = try payload("answer/longest", 7_609)
        try hears(
            "longest", "an answer of 7609 bytes", rule: "HT-HID-4", reports(.ping, longest), response: longest,
            flags: [.boundary])
        try hears(
            "filled", "what stands behind the payload is not zero", rule: "HT-HID-6",
            [reports(.ping, [1, 2])[0].dropLast(50) + payload("answer/fill", 50)], response: [1, 2], flags: [.lenient])
        try hears("begun", "the rest of the answer has not come yet", rule: "HT-HID-4", packets.dropLast())
        try hears(
            "keep-alives", "keep-alives do not end anything", rule: "HT-HID-22",
            reports(.keepAlive, [1]) + reports(.keepAlive, [2]) + reports(.keepAlive, [9]) + packets, response: long)
        try hears(
            "error", "the device refuses the message", rule: "HT-HID-13", reports(.error, [6]), error: .channelBusy)
        try hears(
            "others", "other programs' answers among the reports", rule: "HT-HID-29",
            reports(.error, [1], on: Self.foreign) + packets.prefix(1)
                + reports(.ping, long.reversed(), on: Self.foreign)
                + packets.dropFirst() + reports(.wink), response: long)
        try hears(
            "rest-of-another", "what is left of an earlier answer is passed over", rule: "HT-HID-16",
            packets.dropFirst() + reports(.ping, [1]), response: [1])
        try addWrongAnswers(packets)
        try addNonces()
    }

    private mutating func addWrongAnswers(_ packets: [[UInt8]]) throws {
        try refuses(
            "missing", "the second of four reports is missing", rule: "HT-HID-4", [packets[0], packets[2]],
            failure: "wrong-sequence", flags: [.order])
        try refuses(
            "repeated", "a report comes twice", rule: "HT-HID-4", [packets[0], packets[1], packets[1]],
            failure: "wrong-sequence", flags: [.order])
        try refuses(
            "begun-twice", "an answer begins inside another", rule: "HT-HID-4", [packets[0], packets[0]],
            failure: "wrong-sequence", flags: [.order])
        try refuses(
            "other-command", "an answer to CTAPHID_PING with the command CTAPHID_CBOR", rule: "HT-HID-30",
            reports(.cbor, [1]), failure: "unexpected-message")
        try refuses(
            "too-long", "7610 bytes are announced", rule: "HT-HID-5",
            [Array(packets[0].prefix(5)) + [0x1D, 0xBA] + packets[0].dropFirst(7)], failure: "too-long",
            flags: [.boundary])
        try refuses(
            "error-without-code", "an error without its code", rule: "HT-HID-3", reports(.error),
            failure: "wrong-length")
    }

    private mutating func addNonces() throws {
        let nonce = try payload("nonce", 8)
        let tail: [UInt8] = [0, 0, 0, 7, 2, 5, 4, 3, 0x0C]
        let own = nonce + tail
        let other = try payload("other-nonce", 8) + tail
        try hears(
            "nonces", "the first answer has another program's nonce", rule: "HT-HID-31",
            reports(.initialize, other, on: .broadcast) + reports(.initialize, own, on: .broadcast), response: own,
            command: .initialize, payload: nonce, on: .broadcast)
        try hears(
            "other-nonce", "only another program's answer has come", rule: "HT-HID-31",
            reports(.initialize, other, on: .broadcast), command: .initialize, payload: nonce, on: .broadcast)
        try layer.invalid(
            "exchange-short-nonce", "a nonce of 7 bytes is not sent", rule: "HT-HID-20",
            operation: "ctaphid.exchange",
            input: input(.initialize, nonce.dropLast(), [], on: .broadcast), failure: "wrong-length")
    }
}
