internal import Cryptography

/// Malformed handshake messages: a point of 65 bytes and a tag of 16.
package enum HandshakeMalformations {
    typealias Message = Malformation<[UInt8], [UInt8]>

    private static let byteCount = 81

    // MARK: - Lengths

    private static func cut(to count: Int) -> Message {
        Message(
            "\(count)-bytes", "cut to \(count) bytes", rule: "HT-HS-13", failure: "wrong-length",
            flags: count == byteCount - 1 ? [.boundary] : [.tamper]
        ) { Array($0.prefix(count)) }
    }

    /// Messages that are too short.
    package static let lengths: [Malformation<[UInt8], [UInt8]>] = [
        cut(to: 0),
        cut(to: 1).tested("refuse a handshake message of 1 byte; it has 81", as: "one-byte"),
        cut(to: 16), cut(to: 33), cut(to: 49), cut(to: 64),
        cut(to: 65).tested("refuse a handshake message without a tag", as: "point-only"),
        cut(to: 66),
        cut(to: 80).tested("refuse a handshake message of 80 bytes; it has 81"),
        Message(
            "compressed", "the point compressed, so 49 bytes", rule: "HT-HS-13", failure: "wrong-length",
            flags: [.curve]
        ) {
            try CraftedPoint.compressed(point($0)) + tag($0)
        },
    ]

    // MARK: - Points

    private static func point(_ message: [UInt8]) -> [UInt8] { Array(message.prefix(P256.uncompressedByteCount)) }

    private static func tag(_ message: [UInt8]) -> [UInt8] { Array(message.dropFirst(P256.uncompressedByteCount)) }

    private static func replaced(
        _ slug: String, _ comment: String, rule: String, _ change: @escaping @Sendable ([UInt8]) throws -> [UInt8]
    ) -> Message {
        Message(slug, comment, rule: rule, failure: "invalid-point", flags: [.curve]) {
            try change(point($0)) + tag($0)
        }
    }

    /// Receivers refuse a key that is not a point of the curve, another form, and a coordinate that is not
    /// below the prime.
    private enum Rule {
        static let point = "HT-HS-14"
        static let form = "HT-HS-15"
        static let coordinate = "HT-HS-16"
    }

    /// 65 bytes that are not a point of P-256, in place of one.
    package static let points: [Malformation<[UInt8], [UInt8]>] = [
        replaced("off-curve-y", "Y changed: not on the curve", rule: Rule.point) {
            CraftedPoint.offCurveByY($0, bitOfLastByte: 0)
        }.tested("refuse an ephemeral key that is not a point of the curve", as: "off-curve"),
        replaced("off-curve-x", "an X that no point has", rule: Rule.point) { CraftedPoint.offCurveByX($0) },
        replaced("identity-zeros", "65 zero bytes", rule: Rule.point) { .zeros($0.count) }
            .tested("refuse the point at infinity as an ephemeral key", as: "point-at-infinity"),
        replaced("identity-04-zeros", "04 and zeros: (0, 0) is not on the curve", rule: Rule.point) { _ in
            CraftedPoint.uncompressedZeros
        }.tested("refuse an ephemeral key with the coordinates 0, 0", as: "zero-coordinates"),
        replaced("coordinate-above-prime", "coordinates not below the field's prime", rule: Rule.coordinate) { _ in
            CraftedPoint.uncompressedOnes
        },
        replaced("x-plus-prime", "X equals the field's prime", rule: Rule.coordinate) { CraftedPoint.primeAsX($0) }
            .tested("refuse an ephemeral key whose X is the prime of P-256", as: "x-of-prime"),
        replaced("form-02", "form byte 02 in front of 64 bytes", rule: Rule.form) { CraftedPoint.compressedForm($0) }
            .tested("refuse an ephemeral key in compressed form", as: "compressed-form"),
        replaced("form-05", "form byte 05", rule: Rule.form) { CraftedPoint.unknownForm($0) },
        replaced("hybrid-form", "the hybrid form 06/07, which some libraries take", rule: Rule.form) {
            CraftedPoint.hybridForm($0)
        }.tested("refuse an ephemeral key in hybrid form (06 or 07)"),
        replaced("compressed-padded", "a compressed point and zeros", rule: Rule.form) {
            try CraftedPoint.compressedAndPadded($0)
        },
    ]

    // MARK: - Tags

    private static func flipped(_ bit: Int) -> Message {
        Message(
            "tag-bit-\(bit)", "bit \(bit) (in the tag) flipped", rule: "HT-HS-17", failure: "bad-tag", flags: [.tamper]
        ) {
            $0.flipping(bit: bit)
        }
    }

    /// Tags that were changed.
    package static let tags: [Malformation<[UInt8], [UInt8]>] = [
        flipped(520).tested("refuse a tag whose first byte is changed", as: "tag-first-byte"),
        flipped(527),
        flipped(647).tested("refuse a tag whose last byte is changed", as: "tag-last-byte"),
        Message("zero-tag", "a tag of zeros", rule: "HT-HS-17", failure: "bad-tag", flags: [.tamper]) {
            point($0) + .zeros(tag($0).count)
        }.tested("refuse a tag of zeros", as: "tag-zero"),
    ]
}
