internal import Conformance

extension LayerCases {
    /// Adds the vectors of the catalogue's malformations.
    ///
    /// - Parameters:
    ///   - honest: the value that is damaged.
    ///   - prefix: the beginning of the slugs.
    ///   - about: the beginning of the comments.
    ///   - operation: the name of the operation.
    ///   - input: makes the operation's input of the damaged.
    mutating func invalid<Honest, Damaged>(
        _ malformations: [Malformation<Honest, Damaged>], of honest: Honest, prefix: String = "",
        about: String = "", operation: String, input: (Damaged) throws -> CaseFields
    ) throws {
        for malformation in malformations {
            try invalid(
                prefix + malformation.slug, about + malformation.comment, rule: malformation.rule, operation: operation,
                input: input(malformation.apply(honest)), failure: malformation.failure, flags: malformation.flags)
        }
    }
}
