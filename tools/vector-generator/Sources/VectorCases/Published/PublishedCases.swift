internal import Conformance
internal import Encodings

/// The numbers of other implementations' unit tests, one case each, behind the cases of their layer.
enum PublishedCases {
    /// Adds the numbers that belong to a layer.
    ///
    /// - Throws: `unexpectedOutcome` for a number that does not come out as it was published; the errors of
    ///   ``VectorSources/published(layer:)``.
    static func add(_ sources: VectorSources, to layer: inout LayerCases) throws(VectorError) {
        for number in try sources.published(layer: layer.name) { try add(number, to: &layer) }
    }

    private static func add(_ number: PublishedNumber, to layer: inout LayerCases) throws(VectorError) {
        let operation = number.operation
        var slug = "published-\(CaseSlug(number.name).text)"
        while layer.has(slug) { slug += "-again" }
        let comment = number.name + (number.note.map { "; \($0)" } ?? "")
        let flags: [CaseFlag] = operation == "l2cap.split" ? [.published, .optional] : [.published]
        switch number.answer {
        case .gives(let published):
            try layer.valid(
                slug, comment, rule: number.rule, operation: operation, input: number.input, published: published,
                flags: flags, source: number.source)
        case .refuses(let failure):
            try layer.invalid(
                slug, comment, rule: number.rule, operation: operation, input: number.input, failure: failure,
                flags: flags, source: number.source)
        }
    }
}
