extension CaseGroup {
    /// The cases of those malformations that are tested on peers.
    ///
    /// - Parameter script: takes the context, and what makes the damaged from the honest.
    func refuses<Honest, Damaged>(
        _ malformations: [Malformation<Honest, Damaged>],
        script: @escaping @Sendable (Context, @escaping @Sendable (Honest) throws -> Damaged) async throws -> Void
    ) -> Cases {
        malformations.compactMap { malformation in
            guard let test = malformation.test else { return nil }
            return refuses(
                test.name, test.requirement, ConformanceCase.Certainty(test.certainty), rule: malformation.rule
            ) { context in
                try await script(context, malformation.apply)
            }
        }
    }
}

extension ConformanceCase.Certainty {
    /// The certainty of a vector; what follows from other rules alone is second-hand here.
    init(_ certainty: Certainty) {
        self =
            switch certainty {
            case .certain: .certain
            case .secondHand, .implied: .secondHand
            case .disputed: .disputed
            }
    }
}
