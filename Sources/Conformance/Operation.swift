internal import CBOR
internal import Cryptography
internal import HybridProtocol
internal import Noise

/// Something that a case can ask for: a layer's function, from named inputs to named outputs.
struct Operation: Sendable {
    /// From a case's input to what is compared with its expectation. Errors of the implementation are refusals.
    typealias Body = @Sendable (Fields) throws -> [String: JSONValue]

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
    static let all: [Operation] =
        digits + invitations + tunnels + contacts + keys + linkedKeys + adverts + cbor + noise + transport + messages
        + linking + sessions + l2cap

    static let layers = Set(all.map(\.layer))

    static func named(_ name: String) -> Operation? { byName[name] }

    private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}

/// A refusal by this implementation, under the name that vectors use.
struct Refusal: Error {
    let kind: String
    let reason: String

    init(kind: String, reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// Nil for an error that is none of the implementation's.
    init?(_ error: any Error) {
        switch error {
        case let error as HybridProtocolError: self.init(kind: error.code.rawValue, reason: error.reason)
        case let error as CBORError: self.init(kind: error.code.rawValue, reason: error.reason)
        case let error as NoiseError: self.init(kind: Self.kind(error.code), reason: error.reason)
        case let error as CryptographyError: self.init(kind: error.code.rawValue, reason: error.reason)
        case let error as Refusal: self = error
        default: return nil
        }
    }

    private static func kind(_ code: NoiseError.Code) -> String {
        code == .authenticationFailed ? HybridProtocolError.Code.badTag.rawValue : code.rawValue
    }
}

/// What an operation came to.
enum Result {
    case fields([String: JSONValue])
    case refusal(Refusal)

    init(of body: Operation.Body, _ input: Fields) throws(ConformanceError) {
        do {
            self = .fields(try body(input))
        } catch let error as ConformanceError {
            throw error
        } catch {
            guard let refusal = Refusal(error) else {
                throw ConformanceError(.malformedCase, reason: "\(input.place): \(error)")
            }
            self = .refusal(refusal)
        }
    }
}
