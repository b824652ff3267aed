internal import CTAP
internal import Cryptography
package import Encodings
internal import HybridProtocol

/// Outcome of an operation with an input.
package enum OperationOutcome: Sendable {
    /// It succeeds: its outputs, in the order of the project's files.
    case fields(CaseFields)
    /// It is refused.
    case refusal(OperationFailure)

    /// Runs an operation by its name.
    ///
    /// - Parameters:
    ///   - operation: its name, for instance `advert.open`.
    ///   - layer: the layer that it belongs to.
    ///   - input: its inputs.
    ///   - place: the case that the input belongs to, for errors.
    /// - Throws: `unknownOperation` if the layer has no such operation here; `malformedCase` if the input does not fit.
    package init(
        of operation: String, in layer: String, input: CaseFields, place: String
    ) throws(VectorError) {
        guard let known = VectorOperation.named(operation), known.layer == layer, let perform = known.perform else {
            throw VectorError(.unknownOperation, reason: "\(place): \(layer) has no operation \(operation)")
        }
        try self.init(of: perform, input: input, place: place)
    }

    /// Runs an operation.
    init(of perform: VectorOperation.Body, input: CaseFields, place: String) throws(VectorError) {
        do {
            self = .fields(try perform(input))
        } catch let error as VectorError {
            throw error.naming(place)
        } catch {
            guard let refusal = OperationFailure(error) else {
                throw VectorError(.malformedCase, reason: "\(place): \(error)")
            }
            self = .refusal(refusal)
        }
    }
}

/// A refusal by this implementation, under the name that vectors use.
package typealias OperationFailure = CodedError<OperationFailureKind>

/// Failure kind, as an open set of names.
package struct OperationFailureKind: ErrorCode {
    /// The name.
    package let rawValue: String

    /// Makes a kind from its name.
    package init(rawValue: String) { self.rawValue = rawValue }

    static let badTag = Self(rawValue: HybridProtocolErrorCode.badTag.rawValue)
}

extension OperationFailure {
    /// Nil for an error that is none of the implementation's.
    init?(_ error: any Error) {
        switch error {
        case let error as HybridProtocolError: self.init(Code(rawValue: error.code.rawValue), from: error)
        case let error as CTAPHIDError: self.init(Code(rawValue: error.code.rawValue), from: error)
        case let error as CBORError: self.init(Code(rawValue: error.code.rawValue), from: error)
        case let error as TunnelProtocolError: self.init(Code(rawValue: error.code.rawValue), from: error)
        case let error as CryptographyError:
            self.init(error.code == .authenticationFailed ? .badTag : Code(rawValue: error.code.rawValue), from: error)
        case let error as OperationFailure: self = error
        default: return nil
        }
    }
}
