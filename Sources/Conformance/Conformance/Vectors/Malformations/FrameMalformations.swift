internal import Cryptography

/// Malformed frames of the transport phase.
package enum FrameMalformations {
    typealias Frame = Malformation<[UInt8], [UInt8]>

    /// The length of the vectors' frame, of one block and the tag: 48 bytes.
    private static let byteCount = 32 + AES256GCM.tagByteCount
    private static let bitCount = byteCount * UInt8.bitWidth

    private static func damaged(
        _ slug: String, _ comment: String, flags: [CaseFlag] = [.tamper],
        change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Frame { Frame(slug, comment, rule: "HT-FRM-16", failure: "bad-tag", flags: flags, apply: change) }

    private static let shorterThanTag = [0, 1, AES256GCM.tagByteCount - 1].map { count in
        Frame(
            "\(count)-bytes", "\(count) bytes: not even a tag", rule: "HT-FRM-17", failure: "too-short",
            flags: count == AES256GCM.tagByteCount - 1 ? [.boundary] : []
        ) { Array($0.prefix(count)) }
        .tested("refuse a frame of one byte: the tag alone has 16", as: "one-byte", when: count == 1)
    }

    private static let cuts = [16, 17, 32, 47].map { count in
        damaged("cut-\(count)", "the first \(count) bytes of a frame") { $0.dropLast(byteCount - count) }
            .tested("refuse a frame whose last byte is missing", as: "truncated", when: count == 47)
    }

    /// A bit of the vectors' frame; in longer frames the tag's bits are counted from the end.
    private static func flipped(_ bit: Int) -> Frame {
        damaged("bit-\(bit)", "bit \(bit) of \(bitCount) flipped") { frame in
            let isInTag = bit >= bitCount - AES256GCM.tagByteCount * UInt8.bitWidth
            return frame.flipping(bit: isInTag ? frame.count * UInt8.bitWidth - (bitCount - bit) : bit)
        }
    }

    /// Frames that were changed.
    package static let frames: [Malformation<[UInt8], [UInt8]>] =
        shorterThanTag + cuts + [
            damaged("extended", "one byte behind the tag") { $0 + [0] }
                .tested("refuse a frame with a trailing byte", as: "longer"),
            damaged("without-first", "the first byte is missing") { Array($0.dropFirst()) },
            flipped(0).tested("refuse a frame whose first bit is flipped", as: "flipped-first-bit"),
            flipped(9), flipped(255), flipped(256),
            flipped(383).tested("refuse a frame whose last bit is flipped", as: "flipped-last-bit"),
            damaged("zeros", "48 zero bytes", flags: []) { _ in .zeros(byteCount) }
                .tested("refuse a frame of 48 zero bytes", as: "48-zero-bytes"),
        ]

    /// Plaintexts, made of a message of 31 bytes or more, that are not a padded message.
    package static let plaintexts: [Malformation<[UInt8], [UInt8]>] = [
        Frame("empty-plaintext", "a good tag over nothing: no count byte", rule: "HT-FRM-4", failure: "empty") { _ in []
        }.tested("refuse a sealed message without a padding count"),
        Frame(
            "bad-padding", "a good tag over a count larger than the plaintext", rule: "HT-FRM-5", failure: "bad-padding"
        ) {
            $0.prefix(31) + [32]
        }.tested("refuse a padding count that exceeds the plaintext", as: "padding-count-too-large"),
    ]
}
