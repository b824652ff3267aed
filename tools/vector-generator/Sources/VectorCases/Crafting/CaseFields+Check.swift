internal import Conformance
internal import Encodings

extension CaseFields {
    /// Makes sure that a case has the outcome that it was written for.
    ///
    /// - Throws: `unexpectedOutcome` if a field has another value.
    func check(_ name: String, is value: JSONValue, in slug: String) throws(VectorError) {
        guard self[name] == value else {
            throw VectorError(.unexpectedOutcome, reason: "\(slug): \(name) is not \(value.text)")
        }
    }
}
