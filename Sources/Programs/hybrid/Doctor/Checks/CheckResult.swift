import DesktopAuthenticator

/// The result of a check.
enum CheckResult: Sendable, Hashable {
    /// Nothing is in the way.
    case fine(CheckObservation)
    /// The role can be played, with the loss that the observation says.
    case warning(CheckObservation, Remedy)
    /// The role cannot be played.
    case broken(CheckObservation, Remedy)
    /// It was examined, and that shows neither that it works nor that it does not.
    case unknown(CheckObservation)
    /// It could not be examined, or does not apply.
    case notChecked(CheckObservation)

    /// The kind of a result.
    enum Grade: String, Sendable, CaseIterable {
        case fine, warning, broken, unknown
        case notChecked = "not-checked"
    }

    var grade: Grade {
        switch self {
        case .fine: .fine
        case .warning: .warning
        case .broken: .broken
        case .unknown: .unknown
        case .notChecked: .notChecked
        }
    }

    var observation: CheckObservation {
        switch self {
        case .fine(let observation), .warning(let observation, _), .broken(let observation, _),
            .unknown(let observation), .notChecked(let observation):
            observation
        }
    }

    /// The remedy of a fault.
    var remedy: Remedy? {
        switch self {
        case .warning(_, let remedy), .broken(_, let remedy): remedy
        case .fine, .unknown, .notChecked: nil
        }
    }
}
