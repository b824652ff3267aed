internal import Conformance

// Adverts that must not open (PROTOCOL.md 4.2).

extension AdvertCases {
    mutating func addRefusals() throws {
        for count in advert.indices {
            try refuse(
                "open-\(count)-bytes", "an advert of \(count) bytes", opening(Array(advert.prefix(count))), "too-short",
                count == advert.count - 1 ? [.boundary] : [])
        }
        for bit in [0, 7, 8, 63, 64, 120, 127] {
            try refuse(
                "open-body-bit-\(bit)", "bit \(bit) of the sealed block flipped", opening(advert.flipping(bit: bit)),
                "bad-tag", [.tamper])
        }
        for bit in Self.someTagBits { try refuse(tagBit: bit) }
        try addWrongKeys()
        try addWrongTags()
        for value: UInt8 in [1, 2, 0x80, 0xFF] {
            let digits = hexDigits([value])
            try refuse(
                "open-reserved-\(digits)", "the first plaintext byte is \(digits)",
                opening(sealed(plaintext(reserved: value))), "reserved-byte")
        }
        for domain: UInt16 in [2, 3, 127, 128, 254, 255] {
            try refuse(
                "open-domain-\(domain)", "domain \(domain) is unassigned", opening(sealed(plaintext(domain: domain))),
                "unassigned-domain", [2, 255].contains(domain) ? [.boundary] : [])
        }
    }

    private mutating func refuse(
        _ slug: String, _ comment: String, _ input: CaseFields, _ failure: String, _ flags: [CaseFlag] = [],
        rule: String = Rule.sealing
    ) throws {
        try layer.invalid(slug, comment, rule: rule, "advert.open", input, failure: failure, flags: flags)
    }

    /// The block and the tag of the honest advert.
    private var parts: (block: [UInt8], tag: [UInt8]) {
        (Array(advert.prefix(Size.block)), Array(advert.dropFirst(Size.block)))
    }

    private mutating func addWrongKeys() throws {
        let half = eidKey.count / 2
        let (cipherKey, tagKey) = (eidKey.prefix(half), eidKey.dropFirst(half))
        try refuse("open-wrong-key", "somebody else's advert", opening(advert, foreignKey), "bad-tag")
        try refuse(
            "open-halves-exchanged", "the two halves of the key exchanged",
            opening(advert, Array(tagKey + cipherKey)), "bad-tag")
        try refuse(
            "open-wrong-mac-key", "the right cipher key, another MAC key",
            opening(advert, Array(cipherKey + foreignKey.dropFirst(half))), "bad-tag")
    }

    private mutating func addWrongTags() throws {
        let (block, tag) = parts
        let suffix: [UInt8] = [0xA0]
        try refuse("open-tag-first", "the tag in front of the block", opening(tag + block), "bad-tag", [.order])
        try refuse(
            "open-unsealed", "the plaintext with a tag of zeros", opening(plaintext() + .zeros(tag.count)), "bad-tag")
        try refuse("open-zeros", "20 zero bytes", opening(.zeros(advert.count)), "bad-tag")
        try refuse(
            "open-tag-cut-last", "the last 4 bytes of the MAC instead of the first",
            opening(block + code(of: block).suffix(tag.count)), "bad-tag")
        try refuse(
            "open-tag-over-plaintext", "the MAC made over the plaintext",
            opening(block + code(of: plaintext()).prefix(tag.count)), "bad-tag")
        try refuse(
            "open-tag-over-suffix", "the MAC made over block and suffix",
            opening(block + code(of: block + suffix).prefix(tag.count) + suffix), "bad-tag", rule: Rule.suffix)
    }

    /// The whole authentication code of a message, under the session's key.
    private func code(of message: [UInt8]) throws -> [UInt8] {
        try CraftedAdvert.authenticationCode(of: message, eidKey: eidKey)
    }

    /// The bits of the tag that the first cases turn over; ``addTags()`` has the others.
    private static let someTagBits = [128, 135, 136, 152, 159]

    private mutating func refuse(tagBit bit: Int) throws {
        try refuse(
            "open-tag-bit-\(bit)", "bit \(bit) (in the tag) flipped", opening(advert.flipping(bit: bit)), "bad-tag",
            [.tamper])
    }

    /// Every other bit of the tag, and tags that are special: whoever compares fewer than 32 bits takes some of them.
    mutating func addTags() throws {
        let (block, tag) = parts
        let bits = (block.count * UInt8.bitWidth)..<(advert.count * UInt8.bitWidth)
        for bit in bits where !Self.someTagBits.contains(bit) { try refuse(tagBit: bit) }
        let tags: [(slug: String, bytes: [UInt8])] = [
            ("zeros", .zeros(tag.count)), ("ones", .ones(tag.count)), ("reversed", tag.reversed()),
        ]
        for (slug, bytes) in tags {
            try refuse("open-tag-\(slug)", "a tag of \(slug)", opening(block + bytes), "bad-tag", [.tamper])
        }
        try refuse(
            "open-tag-last-bytes", "the last four bytes of the code instead of the first",
            opening(block + code(of: block).suffix(tag.count)), "bad-tag", [.tamper])
    }
}
