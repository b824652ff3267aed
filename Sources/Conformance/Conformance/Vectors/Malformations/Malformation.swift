/// Damage to something honest that every reader refuses: the vectors' generator makes a vector of it from seeded keys,
/// and the conformance runner a case from the keys of a live session.
package struct Malformation<Honest: Sendable, Damaged: Sendable>: Sendable {
    /// The runner's case of a malformation.
    package struct Test: Sendable {
        /// The last part of the case's ID.
        package let name: String
        /// The behaviour that the case demands, as in ``ConformanceCase``.
        package let requirement: String
        /// True if the case only observes.
        package let isObservation: Bool
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
    /// The runner's case; nil where it has none.
    package private(set) var test: Test?
    /// Makes the damaged from the honest.
    package let apply: @Sendable (Honest) throws -> Damaged

    init(
        _ slug: String, _ comment: String, rule: String, failure: String, flags: [CaseFlag] = [],
        apply: @escaping @Sendable (Honest) throws -> Damaged
    ) {
        self.slug = slug
        self.comment = comment
        self.rule = rule
        self.failure = failure
        self.flags = flags
        self.apply = apply
    }

    /// The same, with a case of the runner.
    ///
    /// - Parameters:
    ///   - requirement: the behaviour that the case demands: `refuse a truncated map`.
    ///   - name: the case's name; nil if it is the vector's slug.
    ///   - isTested: false for one of a family that the runner leaves out.
    ///   - isObservation: true if right implementations do otherwise, whatever the rule.
    func tested(
        _ requirement: String, as name: String? = nil, when isTested: Bool = true, isObservation: Bool = false
    ) -> Self {
        guard isTested else { return self }
        var tested = self
        tested.test = Test(name: name ?? slug, requirement: requirement, isObservation: isObservation)
        return tested
    }
}
