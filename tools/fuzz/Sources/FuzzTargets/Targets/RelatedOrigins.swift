internal import WebAuthnClient

extension FuzzTarget {
    static let relatedOrigins = FuzzTarget("related-origins", "lists of related origins, and lists of suffixes") {
        input in
        guard input.number(below: 8) > 0 else {
            _ = try? PublicSuffixList(String(decoding: input.rest(), as: UTF8.self))
            return
        }
        let list = try PublicSuffixList("com\nuk\nco.uk\n*.ck\n!www.ck\n公司.cn\ngithub.io")
        guard let origins = try? RelatedOrigins(file: input.rest(), suffixes: list) else { return }
        var labels: Set<String> = []
        for entry in origins.entries {
            expect((entry.text == nil) == (entry.standing == .noText), "an entry is text and is not")
            switch entry.standing {
            case .counts(let label): labels.insert(label)
            case .overLimit(let label):
                expect(labels.count == RelatedOrigins.maxLabelCount, "a label is over a limit that is not reached")
                expect(!labels.contains(label), "a label that counts does not")
            default: break
            }
        }
        expect(labels.count <= RelatedOrigins.maxLabelCount, "too many labels count")
    }
}
