/// A case with its script.
struct ScriptedCase<Context: Sendable>: Sendable {
    typealias Script = @Sendable (Context) async throws -> Void

    let testCase: ConformanceCase
    let script: Script
}

/// The group of a role's cases that share a part of their IDs and a source.
///
/// A case's rule is written without its subject, which is the role: `MUST refuse a truncated map`.
struct CaseGroup<Context: Sendable>: Sendable {
    let role: ConformanceCase.Role
    let name: String
    let source: String

    typealias Cases = [ScriptedCase<Context>]

    /// A case that demands a behaviour of a peer.
    func behaves(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        source: String? = nil, script: @escaping ScriptedCase<Context>.Script
    ) -> ScriptedCase<Context> {
        make(name, rule, kind: .behaves, certainty: certainty, source: source, script)
    }

    /// A case that demands a refusal.
    func refuses(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        source: String? = nil, script: @escaping ScriptedCase<Context>.Script
    ) -> ScriptedCase<Context> {
        make(name, rule, kind: .refuses, certainty: certainty, source: source, script)
    }

    /// A case that demands that a peer survives.
    func survives(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        source: String? = nil, script: @escaping ScriptedCase<Context>.Script
    ) -> ScriptedCase<Context> {
        make(name, rule, kind: .survives, certainty: certainty, source: source, script)
    }

    private func make(
        _ name: String, _ rule: String, kind: ConformanceCase.Kind, certainty: ConformanceCase.Certainty,
        source: String?, _ script: @escaping ScriptedCase<Context>.Script
    ) -> ScriptedCase<Context> {
        let testCase = ConformanceCase(
            id: "\(role.rawValue)/\(self.name)/\(name)", rule: "\(role.subject) \(rule)", source: source ?? self.source,
            kind: kind,
            certainty: certainty)
        return ScriptedCase(testCase: testCase, script: script)
    }
}

extension String {
    /// A part of a case's ID in words: `link ID` for `link-id`.
    var words: String { replacing("-id", with: " ID").replacing("-", with: " ") }
}
