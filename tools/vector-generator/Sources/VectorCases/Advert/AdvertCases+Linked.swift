internal import Conformance

// State-assisted adverts, in which no routing ID and no domain is meant (HT-STA-46 to HT-STA-50).

extension AdvertCases {
    mutating func addLinked() throws {
        try openLinked("random", "15 random bytes after the zero", plaintext: linkedPlaintext())
        try openLinked("zeros", "all zero, as Clavertus sends", plaintext: .zeros(Size.block), flags: [.foreign])
        for domain: UInt16 in [2, 100, 255] {
            try openLinked(
                "domain-\(domain)", "bytes 14-15 read as \(domain): no domain is meant, a client does not look",
                plaintext: plaintext(domain: domain))
        }
        try layer.invalid(
            "linked-bad-tag", "the tag is checked as ever", rule: Rule.badTag, operation: "advert.open-linked",
            input: opening(advert.flipping(bit: 3)), failure: "bad-tag", flags: [.tamper])
        try layer.invalid(
            "linked-reserved", "the zero byte is checked as ever", rule: "HT-STA-49",
            operation: "advert.open-linked",
            input: opening(sealed(plaintext(reserved: 1))), failure: "reserved-byte")
        try layer.invalid(
            "linked-19-bytes", "the length is checked as ever", rule: Rule.shortData, operation: "advert.open-linked",
            input: opening(advert.dropLast()), failure: "too-short")
    }

    private mutating func openLinked(
        _ slug: String, _ comment: String, plaintext: [UInt8], flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            "linked-\(slug)", comment, rule: "HT-STA-50", operation: "advert.open-linked",
            input: opening(sealed(plaintext)),
            flags: flags)
    }

    /// The plaintext that an authenticator makes of 15 random bytes, so that every client takes it.
    mutating func addLinkedPlaintexts() throws {
        let first = seed.bytes("edges/linked", Size.linkedRandom - Size.domain)
        let numbers: [(slug: String, number: UInt16)] = [
            ("0", 0), ("1", 1), ("2", 2), ("255", 255), ("256", 256), ("512", 512), ("ffff", 0xFFFF),
        ]
        for (slug, number) in numbers {
            try layer.valid(
                "linked-plaintext-\(slug)",
                "what a phone adverts in a state-assisted session: never a number that Chromium's client refuses",
                rule: "HT-STA-48", operation: "advert.linked-plaintext",
                input: ["random": .hex(first + number.littleEndianBytes)],
                flags: [1, 2, 255, 256].contains(number) ? [.boundary] : [])
        }
        for count in [0, Size.linkedRandom - 1, Size.linkedRandom + 1] {
            try layer.invalid(
                "linked-plaintext-\(count)-bytes", "\(count) random bytes", rule: Rule.plaintextLength,
                operation: "advert.linked-plaintext", input: ["random": .hex(.zeros(count))], failure: "wrong-length")
        }
    }
}
