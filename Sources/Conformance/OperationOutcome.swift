package import JSON

/// What an operation comes to with an input that is made for it, as files of vectors state both.
package enum OperationOutcome: Sendable {
    /// It succeeds: an object of what comes out, its members in the order of the project's files.
    case fields(JSON.JSONValue)
    /// It is refused: the failure kind, and the reason for people.
    case refusal(kind: String, reason: String)

    /// Runs an operation.
    ///
    /// - Parameters:
    ///   - operation: its name, for instance `advert.open`.
    ///   - layer: the layer that it belongs to.
    ///   - input: its inputs, an object.
    ///   - place: what the input belongs to, for errors.
    /// - Throws: `unknownOperation` if the layer has no such operation here; `malformedCase` if the input does not fit it.
    package init(
        of operation: String, in layer: String, input: JSON.JSONValue, place: String
    ) throws(ConformanceError) {
        guard let known = Operation.named(operation), known.layer == layer, let perform = known.perform else {
            throw ConformanceError(.unknownOperation, reason: "\(place): \(layer) has no operation \(operation)")
        }
        guard case .object(let fields) = try JSONValue(input) else {
            throw ConformanceError(.malformedCase, reason: "\(place): the input is no object")
        }
        switch try Result(of: perform, Fields(values: fields, place: place)) {
        case .fields(let fields): self = .fields(JSON.JSONValue(.object(fields)))
        case .refusal(let refusal): self = .refusal(kind: refusal.kind, reason: refusal.reason)
        }
    }
}
