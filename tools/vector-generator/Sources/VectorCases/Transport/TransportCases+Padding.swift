internal import Conformance
internal import Encodings
internal import HybridProtocol

// The padding alone.

extension TransportCases {
    mutating func addPadding() throws {
        for count in Array(0..<34) + [62, 63, 64, 65, 511, 512, 1024] {
            let zeroCount = Padding.paddedByteCount(count) - count - 1
            try layer.valid(
                "pad-\(count)", "\(count) bytes and \(zeroCount) zeros",
                rule: [0, 31].contains(zeroCount) ? "HT-FRM-2" : "HT-FRM-1", operation: "transport.pad",
                input: ["message": .hex(seed.bytes("transport/message", count))],
                flags: [0, 31, 32].contains(count) ? [.boundary] : [])
        }
    }

    mutating func addUnpadding() throws {
        for count in 0..<32 {
            try unpad(
                "zeros-\(count)", "\(count) zeros", rule: "HT-FRM-3",
                padded: CraftedFrame.padded(seed.bytes("transport/unpad", 31 - count)))
        }
        for count: UInt8 in [32, 63, 127, 254, 255] {
            try unpad(
                "count-\(count)",
                "a count of \(count): more than a block, but it fits (Firefox and microG refuse it)",
                rule: "HT-FRM-8", padded: CraftedFrame.padded(Self.getInfo, zeroCount: count), flags: [.lenient])
        }
        try unpad(
            "not-multiple-33", "33 bytes: libwebauthn puts the type byte outside the padding",
            rule: "HT-FRM-6", padded: [0x01] + CraftedFrame.padded([0x04]), flags: [.lenient, .foreign])
        try unpad(
            "not-multiple-65", "65 bytes, likewise", rule: "HT-FRM-6",
            padded: [0x01] + CraftedFrame.padded(seed.bytes("t", 40)), flags: [.lenient, .foreign])
        try unpad(
            "one-byte", "the count byte alone, so an empty message", rule: "HT-FRM-7", padded: [0],
            flags: [.lenient, .boundary])
        try unpad(
            "all-padding", "32 bytes of padding, so an empty message", rule: "HT-FRM-3", padded: .zeros(31) + [31],
            flags: [.boundary])
        try unpad(
            "all-zero", "32 zero bytes: a count of zero, and 31 bytes of message", rule: "HT-FRM-3", padded: .zeros(32))
        try unpad(
            "dirty-zeros", "the dropped bytes are not zero: nobody looks", rule: "HT-FRM-9",
            padded: Self.getInfo + [UInt8](repeating: 0xAA, count: 29) + [29], flags: [.lenient])
    }

    private mutating func unpad(
        _ slug: String, _ comment: String, rule: String, padded: [UInt8], flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            "unpad-\(slug)", comment, rule: rule, operation: "transport.unpad", input: ["padded": .hex(padded)],
            flags: flags)
    }

    mutating func addOverlongPadding() throws {
        try layer.invalid(
            "unpad-empty", "no plaintext at all", rule: "HT-FRM-4", operation: "transport.unpad",
            input: ["padded": .hex([])],
            failure: "empty")
        let overlong: [(slug: String, padded: [UInt8])] = [
            ("one-byte", [1]), ("32-in-32", .zeros(31) + [32]), ("255-in-32", .zeros(31) + [255]),
            ("64-in-64", .zeros(63) + [64]), ("two-bytes", [0, 2]),
        ]
        for (slug, padded) in overlong {
            try layer.invalid(
                "unpad-overlong-\(slug)", "the count is larger than what is there", rule: "HT-FRM-5",
                operation: "transport.unpad",
                input: ["padded": .hex(padded)], failure: "bad-padding", flags: [.boundary])
        }
    }
}
