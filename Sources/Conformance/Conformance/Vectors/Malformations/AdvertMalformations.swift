internal import Encodings
internal import HybridProtocol

/// Malformed adverts.
package enum AdvertMalformations {
    typealias Advert = Malformation<CraftedAdvert, [UInt8]>

    /// Adverts that are too short.
    package static let lengths: [Malformation<CraftedAdvert, [UInt8]>] = (0..<AdvertKey.advertByteCount).map { count in
        let isLongest = count == AdvertKey.advertByteCount - 1
        return Advert(
            "\(count)-bytes", "an advert of \(count) bytes", rule: "HT-ADV-8", failure: "too-short",
            flags: isLongest ? [.boundary] : []
        ) { try Array($0.bytes.prefix(count)) }
        .tested("ignore an advert of \(count) bytes; it has 20 at least", when: isLongest)
    }

    /// Adverts whose sealed block was changed.
    package static let blocks: [Malformation<CraftedAdvert, [UInt8]>] = [0, 7, 8, 63, 64, 120, 127].map { bit in
        forged("body-bit-\(bit)", "bit \(bit) of the sealed block flipped", flags: [.tamper]) {
            try $0.bytes.flipping(bit: bit)
        }.tested("ignore an advert whose ciphertext has a changed bit", as: "flipped-block", when: bit == 0)
    }

    // MARK: - Tags

    private static func forged(
        _ slug: String, _ comment: String, flags: [CaseFlag] = [],
        make: @escaping @Sendable (CraftedAdvert) throws -> [UInt8]
    ) -> Advert { Advert(slug, comment, rule: "HT-ADV-9", failure: "bad-tag", flags: flags, apply: make) }

    /// Adverts that were not made as they must be.
    package static let forgeries: [Malformation<CraftedAdvert, [UInt8]>] = [
        forged("tag-first", "the tag in front of the block", flags: [.order]) { try $0.tag + $0.block },
        forged("unsealed", "the plaintext with a tag of zeros") { $0.plaintext + .zeros(CraftedAdvert.tagByteCount) }
            .tested("ignore an advert that is not encrypted"),
        forged("zeros", "20 zero bytes") { _ in .zeros(AdvertKey.advertByteCount) },
        forged("tag-cut-last", "the last 4 bytes of the MAC instead of the first", make: endingInLastBytes),
        forged("tag-over-plaintext", "the MAC made over the plaintext") {
            $0.block + $0.code(of: $0.plaintext).prefix(CraftedAdvert.tagByteCount)
        },
    ]

    /// Adverts with a special tag.
    package static let tags: [Malformation<CraftedAdvert, [UInt8]>] = [
        forged("tag-zeros", "a tag of zeros", flags: [.tamper]) { $0.block + .zeros(CraftedAdvert.tagByteCount) }
            .tested("ignore an advert with a tag of zeros", as: "zero-tag"),
        forged("tag-ones", "a tag of ones", flags: [.tamper]) { $0.block + .ones(CraftedAdvert.tagByteCount) },
        forged("tag-reversed", "a tag of reversed", flags: [.tamper]) { try $0.block + $0.tag.reversed() },
        forged(
            "tag-last-bytes", "the last four bytes of the code instead of the first", flags: [.tamper],
            make: endingInLastBytes),
    ]

    @Sendable private static func endingInLastBytes(_ advert: CraftedAdvert) -> [UInt8] {
        advert.block + advert.code(of: advert.block).suffix(CraftedAdvert.tagByteCount)
    }

    // MARK: - Plaintexts

    private static let reserved = ([1, 2, 0x80, 0xFF] as [UInt8]).map { byte in
        let digits = Hexadecimal.encode([byte])
        return Advert(
            "reserved-\(digits)", "the first plaintext byte is \(digits)", rule: "HT-ADV-11", failure: "reserved-byte"
        ) {
            try $0.sealing([byte] + $0.plaintext.dropFirst())
        }.tested("ignore an advert whose reserved byte is \(byte)", as: "reserved-\(byte)", when: byte != 2)
    }

    private static let domains = ([2, 3, 127, 128, 254, 255] as [UInt16]).map { number in
        Advert(
            "domain-\(number)", "domain \(number) is unassigned", rule: "HT-ADV-12", failure: "unassigned-domain",
            flags: [2, 255].contains(number) ? [.boundary] : []
        ) { try $0.sealing($0.plaintext.dropLast(2) + number.littleEndianBytes) }
        .tested(
            "ignore an advert with the unassigned tunnel domain \(number)", when: ![128, 254].contains(number))
    }

    /// Adverts that are sealed as they must be, of plaintexts that no authenticator may seal.
    package static let plaintexts: [Malformation<CraftedAdvert, [UInt8]>] = reserved + domains
}
