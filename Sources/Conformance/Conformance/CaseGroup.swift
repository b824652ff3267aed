/// A case with its script.
struct ScriptedCase<Context: Sendable>: Sendable {
    typealias Script = @Sendable (Context) async throws -> Void

    let testCase: ConformanceCase
    let script: Script

    /// The same as an observation: the peer's behaviour is described, and never a deviation.
    var observed: Self {
        var observation = testCase
        observation.isObservation = true
        return Self(testCase: observation, script: script)
    }
}

/// The group of a role's cases that share a part of their IDs.
///
/// A case's demand is written without its subject, which is the role, and without its strength, which is its rule's:
/// `refuse a truncated map`, `not join a tunnel`.
struct CaseGroup<Context: Sendable>: Sendable {
    let role: ConformanceCase.Role
    let name: String
    /// The ID of the rule that the group's cases are about, where they do not name another.
    let rule: String
    /// The flow that its cases play, which a peer may lack.
    var profile = Profile.qr

    typealias Cases = [ScriptedCase<Context>]

    /// A case that demands a behaviour of a peer.
    func behaves(
        _ name: String, _ demand: String, rule: String? = nil,
        script: @escaping ScriptedCase<Context>.Script
    ) -> ScriptedCase<Context> {
        make(name, demand, kind: .behaves, rule: rule, script)
    }

    /// A case that demands a refusal.
    func refuses(
        _ name: String, _ demand: String, rule: String? = nil,
        script: @escaping ScriptedCase<Context>.Script
    ) -> ScriptedCase<Context> {
        make(name, demand, kind: .refuses, rule: rule, script)
    }

    /// A case that demands that a peer survives.
    func survives(
        _ name: String, _ demand: String, rule: String? = nil,
        script: @escaping ScriptedCase<Context>.Script
    ) -> ScriptedCase<Context> {
        make(name, demand, kind: .survives, rule: rule, script)
    }

    private func make(
        _ name: String, _ demand: String, kind: ConformanceCase.Kind, rule: String?,
        _ script: @escaping ScriptedCase<Context>.Script
    ) -> ScriptedCase<Context> {
        let testCase = ConformanceCase(
            id: "\(role.rawValue)/\(self.name)/\(name)", rule: rule ?? self.rule, demand: demand, kind: kind,
            profile: profile)
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
    /// - Parameter script: takes the context, and the function that makes the damaged value from the honest one.
    func refuses<Honest, Damaged>(
        _ malformations: [Malformation<Honest, Damaged>],
        script: @escaping @Sendable (Context, @escaping @Sendable (Honest) throws -> Damaged) async throws -> Void
    ) -> Cases {
        malformations.compactMap { malformation in
            guard let test = malformation.test else { return nil }
            let scripted = refuses(test.name, test.requirement, rule: malformation.rule) { context in
                try await script(context, malformation.apply)
            }
            return test.isObservation ? scripted.observed : scripted
        }
    }
}
