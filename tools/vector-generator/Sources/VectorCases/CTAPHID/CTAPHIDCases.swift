internal import CTAP
internal import Conformance
internal import Encodings

/// The layer `ctaphid`: security keys on the USB bus (the article USBHID of HybridProtocol).
struct CTAPHIDCases {
    let seed: VectorSeed
    var layer = LayerCases(
        "ctaphid", prefix: "ctaphid",
        about: "CTAPHID: messages on a security key's reports, conversations with one, and its report descriptor.")

    static func layer(_ seed: VectorSeed) throws -> LayerCases {
        var cases = Self(seed: seed)
        try cases.addReports()
        try cases.addAnswers()
        try cases.addInitializations()
        try cases.addDescriptors()
        try cases.addChannels()
        try cases.addSequences()
        try cases.addTurns()
        try cases.addWaiting()
        try cases.addCommands()
        return cases.layer
    }

    /// A channel of the host's.
    static let channel = CTAPHIDChannel(rawValue: 0x0A0B_0C0D)

    /// So many bytes that belong to a label.
    func payload(_ label: String, _ count: Int) throws -> [UInt8] { seed.bytes("ctaphid/\(label)", count) }

    private mutating func addReports() throws {
        for count in [0, 1, 57, 58, 116, 117, 200] {
            try fragment("\(count)-bytes", "a message of \(count) bytes", rule: "HT-HID-3", count: count)
        }
        try fragment(
            "two-continuations", "the packets behind the first are numbered from 0", rule: "HT-HID-4", count: 57 + 60)
        try fragment(
            "longest", "a message of 7609 bytes, with the packets 0 to 127", rule: "HT-HID-4", count: 7_609,
            flags: [.boundary])
        try layer.invalid(
            "fragment-too-long", "a message of 7610 bytes cannot be sent", rule: "HT-HID-5",
            operation: "ctaphid.fragment",
            input: [
                "channel": .integer(Self.channel.rawValue), "command": 1, "payload": .hex(payload("too-long", 7_610)),
            ], failure: "too-long", flags: [.boundary])
    }

    private mutating func fragment(
        _ slug: String, _ comment: String, rule: String, count: Int, flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            "fragment-\(slug)", comment, rule: rule, operation: "ctaphid.fragment",
            input: [
                "channel": .integer(Self.channel.rawValue), "command": .integer(CTAPHIDCommand.cbor.rawValue),
                "payload": .hex(payload("fragment/\(slug)", count)),
            ], flags: flags)
    }

    private mutating func addInitializations() throws {
        let answer = try payload("answer", 8) + [0x0A, 0x0B, 0x0C, 0x0D, 2, 5, 4, 3, 0x0D]
        try read("initialization", "an answer to CTAPHID_INIT, of 17 bytes", rule: "HT-HID-9", answer)
        try read(
            "initialization-longer", "an answer with more behind it, as later editions may have it",
            rule: "HT-HID-10", answer + [1, 2, 3], flags: [.lenient])
        try layer.invalid(
            "initialization-16-bytes", "an answer without its capabilities", rule: "HT-HID-9",
            operation: "ctaphid.initialization", input: ["payload": .hex(answer.dropLast())], failure: "too-short",
            flags: [.boundary])
    }

    private mutating func read(
        _ slug: String, _ comment: String, rule: String, _ payload: [UInt8], flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            slug, comment, rule: rule, operation: "ctaphid.initialization", input: ["payload": .hex(payload)],
            flags: flags)
    }
}
