internal import Conformance

// Adverts that must not open (HT-ADV-8 to HT-ADV-12).

extension AdvertCases {
    mutating func addRefusals() throws {
        try refuse(AdvertMalformations.lengths + AdvertMalformations.blocks)
        for bit in Self.someTagBits { try refuse(tagBit: bit) }
        try addWrongKeys()
        try refuse(AdvertMalformations.forgeries)
        try addTagOverSuffix()
        try refuse(AdvertMalformations.plaintexts)
    }

    private mutating func refuse(_ malformations: [Malformation<CraftedAdvert, [UInt8]>]) throws {
        try layer.invalid(
            malformations, of: CraftedAdvert(plaintext(), eidKey: eidKey), prefix: "open-",
            operation: "advert.open"
        ) { [self] in opening($0) }
    }

    private mutating func refuse(
        _ slug: String, _ comment: String, input: CaseFields, flags: [CaseFlag] = [], rule: String = Rule.badTag
    ) throws {
        try layer.invalid(
            "open-\(slug)", comment, rule: rule, operation: "advert.open", input: input, failure: "bad-tag",
            flags: flags)
    }

    private mutating func addWrongKeys() throws {
        let half = eidKey.count / 2
        let (cipherKey, tagKey) = (eidKey.prefix(half), eidKey.dropFirst(half))
        try refuse("wrong-key", "somebody else's advert", input: opening(advert, foreignKey))
        try refuse(
            "halves-exchanged", "the two halves of the key exchanged", input: opening(advert, Array(tagKey + cipherKey))
        )
        try refuse(
            "wrong-mac-key", "the right cipher key, another MAC key",
            input: opening(advert, Array(cipherKey + foreignKey.dropFirst(half))))
    }

    private mutating func addTagOverSuffix() throws {
        let (block, suffix): ([UInt8], [UInt8]) = (Array(advert.prefix(Size.block)), [0xA0])
        let code = try CraftedAdvert(plaintext(), eidKey: eidKey).code(of: block + suffix)
        try refuse(
            "tag-over-suffix", "the MAC made over block and suffix",
            input: opening(block + code.prefix(advert.count - block.count) + suffix), rule: Rule.bytesBehind)
    }

    /// The bits of the tag that the first cases turn over; ``addTags()`` has the others.
    private static let someTagBits = [128, 135, 136, 152, 159]

    private mutating func refuse(tagBit bit: Int) throws {
        try refuse(
            "tag-bit-\(bit)", "bit \(bit) (in the tag) flipped", input: opening(advert.flipping(bit: bit)),
            flags: [.tamper])
    }

    /// Every other bit of the tag, and special tags: an implementation that compares fewer than 32 bits accepts some.
    mutating func addTags() throws {
        let bits = (Size.block * UInt8.bitWidth)..<(advert.count * UInt8.bitWidth)
        for bit in bits where !Self.someTagBits.contains(bit) { try refuse(tagBit: bit) }
        try refuse(AdvertMalformations.tags)
    }
}
