/// Damage to something honest that every reader refuses: the vectors' generator makes a vector of it from seeded keys,
/// and the conformance runner a case from the keys of a live session.
package struct Malformation<Honest: Sendable, Damaged: Sendable>: Sendable {
    /// The runner's case of a malformation.
    package struct Test: Sendable {
        /// The last part of the case's ID.
        package let name: String
        /// The requirement in the words of RFC 2119, without its subject.
        package let requirement: String
        /// The certainty that the case reports.
        package let certainty: Certainty
    }

    /// The vector's identifier behind the layer's prefix: lower-case words with hyphens.
    package let slug: String
    /// Description of the damage: the vector's comment.
    package let comment: String
    /// The ID of the rule that vector and case are about.
    package let rule: String
    /// The kind of refusal.
    package let failure: String
    /// Remarks on the vector.
    package let flags: [CaseFlag]
    /// The certainty of the vector.
    package let certainty: Certainty
    /// The runner's case; nil where it has none.
    package private(set) var test: Test?
    /// Makes the damaged from the honest.
    package let apply: @Sendable (Honest) throws -> Damaged

    init(
        _ slug: String, _ comment: String, rule: String, failure: String, flags: [CaseFlag] = [],
        certainty: Certainty = .certain,
        apply: @escaping @Sendable (Honest) throws -> Damaged
    ) {
        self.slug = slug
        self.comment = comment
        self.rule = rule
        self.failure = failure
        self.flags = flags
        self.certainty = certainty
        self.apply = apply
    }

    /// The same, with a case of the runner.
    ///
    /// - Parameters:
    ///   - requirement: the sentence that the runner prints, without its subject.
    ///   - name: the case's name; nil if it is the vector's slug.
    ///   - certainty: the case's certainty where it is not that of the vector.
    ///   - isTested: false for one of a family that the runner leaves out.
    func tested(
        _ requirement: String, as name: String? = nil, certainty: Certainty? = nil, when isTested: Bool = true
    ) -> Self {
        guard isTested else { return self }
        var tested = self
        tested.test = Test(name: name ?? slug, requirement: requirement, certainty: certainty ?? self.certainty)
        return tested
    }
}
