/// A case with its script.
struct ScriptedCase<Context: Sendable>: Sendable {
    typealias Script = @Sendable (Context) async throws -> Void

    let testCase: ConformanceCase
    let script: Script
}

/// The group of a role's cases that share a part of their IDs.
///
/// A case's requirement is written without its subject, which is the role: `MUST refuse a truncated map`.
struct CaseGroup<Context: Sendable>: Sendable {
    let role: ConformanceCase.Role
    let name: String
    /// The ID of the rule that the group's cases are about, where they do not name another.
    let rule: String

    typealias Cases = [ScriptedCase<Context>]

    /// A case that demands a behaviour of a peer.
    func behaves(
        _ name: String, _ requirement: String, _ certainty: ConformanceCase.Certainty = .certain,
        rule: String? = nil, script: @escaping ScriptedCase<Context>.Script
    ) -> ScriptedCase<Context> {
        make(name, requirement, kind: .behaves, certainty: certainty, rule: rule, script)
    }

    /// A case that demands a refusal.
    func refuses(
        _ name: String, _ requirement: String, _ certainty: ConformanceCase.Certainty = .certain,
        rule: String? = nil, script: @escaping ScriptedCase<Context>.Script
    ) -> ScriptedCase<Context> {
        make(name, requirement, kind: .refuses, certainty: certainty, rule: rule, script)
    }

    /// A case that demands that a peer survives.
    func survives(
        _ name: String, _ requirement: String, _ certainty: ConformanceCase.Certainty = .certain,
        rule: String? = nil, script: @escaping ScriptedCase<Context>.Script
    ) -> ScriptedCase<Context> {
        make(name, requirement, kind: .survives, certainty: certainty, rule: rule, script)
    }

    private func make(
        _ name: String, _ requirement: String, kind: ConformanceCase.Kind, certainty: ConformanceCase.Certainty,
        rule: String?, _ script: @escaping ScriptedCase<Context>.Script
    ) -> ScriptedCase<Context> {
        let rule = rule ?? self.rule
        let testCase = ConformanceCase(
            id: "\(role.rawValue)/\(self.name)/\(name)", rule: ConformanceCase.Rule(rule),
            requirement: "\(role.subject) \(requirement)", kind: kind, certainty: certainty.limited(by: rule))
        return ScriptedCase(testCase: testCase, script: script)
    }
}

extension String {
    /// A part of a case's ID in words: `link ID` for `link-id`.
    var words: String { replacing("-id", with: " ID").replacing("-", with: " ") }
}

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
    /// The certainty of a case of this rule: not certain where the rule is second-hand or disputed. What follows from
    /// other rules can be. A case of a disputed rule says by itself that it only observes.
    func limited(by rule: String) -> Self {
        switch (self, Conformance.Rule.find(rule)?.certainty) {
        case (.certain, .secondHand), (.certain, .disputed): .secondHand
        default: self
        }
    }

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
