internal import Encodings

/// Something that a case can ask for: a layer's function, from named inputs to named outputs.
struct VectorOperation: Sendable {
    /// From a case's input to the fields that are compared with its expectation, in the order of the project's files.
    /// Errors of the implementation are refusals.
    typealias Body = @Sendable (CaseFields) throws -> CaseFields

    let name: String
    let layer: String
    /// Nil for what this implementation knows of but does not have.
    let perform: Body?

    init(_ name: String, _ layer: String, _ perform: Body?) {
        self.name = name
        self.layer = layer
        self.perform = perform
    }

    /// Every operation that vectors may name.
    static let all: [VectorOperation] =
        digits + invitations + tunnels + contacts + keys + linkedKeys + adverts + cbor + noise + transport + messages
        + linking + sessions + l2cap + ctaphid + handOvers

    static func named(_ name: String) -> VectorOperation? { byName[name] }

    private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}
