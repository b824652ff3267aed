internal import Conformance
internal import JSON

extension CaseFields {
    /// Makes sure that a case comes to what it was written down for.
    ///
    /// - Throws: `unexpectedOutcome` if a field has another value.
    func check(_ name: String, is value: JSON.JSONValue, in slug: String) throws(ConformanceError) {
        guard self[name] == value else {
            throw ConformanceError(.unexpectedOutcome, reason: "\(slug): \(name) is not \(value)")
        }
    }
}
