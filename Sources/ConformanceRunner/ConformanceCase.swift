/// One case of the runner, as people and reports know it: one rule, tested in one way.
public struct ConformanceCase: Sendable, Hashable {
    /// Whose rule it is.
    public enum Role: String, Sendable, CaseIterable {
        /// The side that scans the QR code.
        case authenticator
        /// The side that shows it.
        case client
        /// What stands between them.
        case tunnelService = "tunnel-service"
    }

    /// What is demanded.
    public enum Kind: String, Sendable, CaseIterable {
        /// Does what is right when everything, or enough, is right.
        case behaves
        /// Goes no further when something is wrong.
        case refuses
        /// Ends by itself in bounded time, and not by a crash; a service goes on serving others.
        case survives
    }

    /// How sure it is that the rule is one. The text of the specification was not at hand.
    public enum Certainty: String, Sendable, CaseIterable {
        /// Read in the code of the implementations that agree, or in an RFC.
        case certain
        /// Somebody's account of the specification, or one implementation's rule.
        case secondHand = "second-hand"
        /// Implementations or accounts differ: what the peer does is reported, and is never a failure.
        case disputed
    }

    /// Role, group and name: `authenticator/handshake/wrong-psk`.
    public let id: String
    /// What is demanded, in a sentence.
    public let rule: String
    /// Where that stands: a section of CTAP or of an RFC.
    public let source: String
    /// What is demanded.
    public let kind: Kind
    /// How sure that is.
    public let certainty: Certainty
}

/// What became of a case.
public enum Verdict: Sendable, Equatable {
    /// The rule is kept.
    case passed
    /// The rule is broken, in this way.
    case deviates(String)
    /// The rule is disputed; this is what the peer does.
    case observed(String)
    /// The case cannot be played here, or says nothing of this peer.
    case skipped(String)
}

/// A case and what became of it.
public struct CaseResult: Sendable {
    /// The case.
    public let testCase: ConformanceCase
    /// What became of it.
    public let verdict: Verdict
    /// How long it took.
    public let duration: Duration
}

/// The peer broke the rule of the case that throws this.
struct Deviation: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// The case that throws this says nothing of this peer, or cannot be played here.
struct NotApplicable: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// The case that throws this has found out what the peer does, where either is right.
struct Observation: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// The machine, not the peer, keeps a case from being played.
public struct RunnerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong, as an open set of names.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name, in lower case with hyphens.
        public let rawValue: String
        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The command cannot be started.
        public static let cannotStart = Self(rawValue: "cannot-start")
        /// The address of the tunnel service is no `wss://` or `ws://` URL.
        public static let invalidURL = Self(rawValue: "invalid-url")
        /// A line of the file of known deviations is not a case's ID and a reason.
        public static let invalidKnown = Self(rawValue: "invalid-known")
    }

    /// What went wrong.
    public let code: Code
    /// What went wrong, for people: lower case, one line.
    public let reason: String

    /// Makes an error.
    public init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code and the reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}
