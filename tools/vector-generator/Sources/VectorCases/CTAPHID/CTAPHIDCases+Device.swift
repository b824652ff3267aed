internal import CTAP
internal import Conformance

// Conversations with a device: its channels, and the reports of messages.

extension CTAPHIDCases {
    private static let (one, two) = (CTAPHIDConversation.first, CTAPHIDConversation.second)
    private static let initialized = LastAction.message(.initialize)
    private static let ping = LastAction.message(.ping)

    mutating func addChannels() throws {
        try device("allocates", "a program asks for a channel", rule: "HT-HID-9", last: [Self.initialized]) { _ in }
        try device(
            "allocates-silent", "a device without CTAPHID_WINK says so", rule: "HT-HID-9", last: [Self.initialized],
            canWink: false
        ) { _ in }
        try device(
            "allocates-others", "each program gets a channel of its own", rule: "HT-HID-11", last: [Self.initialized],
            channels: 5
        ) { _ in }
        try device(
            "many-channels", "a hundred programs later the first channel is still there", rule: "HT-HID-12",
            last: [Self.ping], channels: 101
        ) { try $0.send(.ping, [1], on: Self.one) }
        for (slug, channel) in [
            ("reserved", CTAPHIDChannel.reserved), ("broadcast", .broadcast), ("unknown", CTAPHIDConversation.unknown),
        ] {
            try device(
                "\(slug)-channel", "a message on \(slug == "unknown" ? "a" : "the") channel that is nobody's (\(slug))",
                rule: slug == "reserved" ? "HT-HID-2" : "HT-HID-7", last: [.error(.invalidChannel)], channels: 2
            ) { try $0.send(.ping, [1], on: channel) }
        }
        try device(
            "initializes-unknown", "CTAPHID_INIT on a channel that is nobody's", rule: "HT-HID-7",
            last: [.error(.invalidChannel)]
        ) { try $0.initialize(CTAPHIDConversation.unknown) }
        try device(
            "initializes-own", "CTAPHID_INIT on a channel that was allocated", rule: "HT-HID-18",
            last: [Self.initialized], channels: 2
        ) { try $0.initialize(Self.two) }
        for count in [0, 7, 9] {
            try device(
                "nonce-\(count)-bytes", "CTAPHID_INIT with \(count) bytes", rule: "HT-HID-20",
                last: [.error(.invalidLength)], flags: count == 0 ? [] : [.boundary]
            ) { try $0.send(.initialize, [UInt8](repeating: 1, count: count), on: .broadcast) }
        }
    }

    mutating func addSequences() throws {
        let long = try payload("device/long", 200)
        for count in [0, 57, 58, 117] {
            try device(
                "ping-\(count)", "a ping of \(count) bytes", rule: "HT-HID-3",
                last: [Self.ping] + [LastAction](repeating: .continuation, count: (count + 1) / 59)
            ) { try $0.send(.ping, long.prefix(count) + [], on: Self.one) }
        }
        let longest = try payload("device/longest", 7_609)
        try device(
            "ping-7609", "a ping of 7609 bytes", rule: "HT-HID-4",
            last: [Self.ping] + [LastAction](repeating: .continuation, count: 128), flags: [.boundary]
        ) { try $0.send(.ping, longest, on: Self.one) }
        try device(
            "too-long", "7610 bytes are announced", rule: "HT-HID-5", last: [.error(.invalidLength)], flags: [.boundary]
        ) { $0.report(Self.one.head + [0x81, 0x1D, 0xBA] + [UInt8](repeating: 0, count: 57)) }
        try device(
            "filled", "what stands behind the payload is not zero, and is not returned", rule: "HT-HID-6",
            last: [Self.ping], flags: [.lenient]
        ) { $0.report(Self.one.head + [0x81, 0, 2, 0xAA, 0xBB] + [UInt8](repeating: 0xFF, count: 55)) }
        for count in [0, 63, 65] {
            try device("report-\(count)-bytes", "a report of \(count) bytes is ignored", rule: "HT-HID-1", last: []) {
                $0.report([UInt8](repeating: 0xFF, count: count))
            }
        }
        try device(
            "missing-packet", "the second of four packets is missing", rule: "HT-HID-15",
            last: [.error(.invalidSequence)], flags: [.order]
        ) {
            try $0.send(.ping, long, on: Self.one, only: 0..<1)
            try $0.send(.ping, long, on: Self.one, only: 2..<3)
        }
        try device(
            "repeated-packet", "a packet comes twice", rule: "HT-HID-15", last: [.error(.invalidSequence)],
            flags: [.order]
        ) {
            try $0.send(.ping, long, on: Self.one, only: 0..<2)
            try $0.send(.ping, long, on: Self.one, only: 1..<2)
        }
        try device(
            "message-inside", "a message begins inside another of its channel", rule: "HT-HID-15",
            last: [.error(.invalidSequence)], flags: [.order]
        ) {
            try $0.send(.ping, long, on: Self.one, only: 0..<2)
            try $0.send(.cbor, [4], on: Self.one)
        }
        try device(
            "after-wrong-packet", "what follows a wrong packet is ignored, and the next message is taken",
            rule: "HT-HID-16", last: [Self.ping], flags: [.order]
        ) {
            try $0.send(.ping, long, on: Self.one, only: 0..<1)
            try $0.send(.ping, long, on: Self.one, only: 2..<4)
            try $0.send(.ping, [1], on: Self.one)
        }
        try device(
            "nothing-continued", "a continuation packet without a message is ignored", rule: "HT-HID-16", last: [],
            channels: 2
        ) {
            try $0.send(.ping, long, on: Self.one, only: 1..<2)
            try $0.send(.ping, long, on: CTAPHIDConversation.unknown, only: 1..<2)
            try $0.send(.ping, long, on: Self.one, only: 0..<1)
            try $0.send(.ping, long, on: Self.two, only: 1..<2)
        }
        try device("timeout", "the rest of a message does not come", rule: "HT-HID-17", last: [.error(.messageTimeout)])
        {
            try $0.send(.ping, long, on: Self.one, only: 0..<2)
            $0.wait(499)
            $0.tick()
            $0.wait(1)
            $0.tick()
        }
        try device(
            "late-packet", "a packet that comes too late is judged by when it comes", rule: "HT-HID-17",
            last: [.error(.messageTimeout)]
        ) {
            try $0.send(.ping, long, on: Self.one, only: 0..<1)
            $0.wait(500)
            try $0.send(.ping, long, on: Self.one, only: 1..<2)
        }
    }
}

extension CTAPHIDChannel {
    /// The first bytes of a report.
    fileprivate var head: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) } }
}
