/// One case of the runner, as reports name it: one rule, tested in one way.
public struct ConformanceCase: Sendable, Hashable {
    /// The role that a rule binds.
    public enum Role: String, Sendable, CaseIterable {
        /// The device that scans the QR code.
        case authenticator
        /// The device that shows it.
        case client
        /// The service that relays between them.
        case tunnelService = "tunnel-service"

        /// The subject of its rules, as in "the client MUST …".
        var subject: String {
            switch self {
            case .authenticator: "the authenticator"
            case .client: "the client"
            case .tunnelService: "the tunnel service"
            }
        }
    }

    /// The kind of requirement.
    public enum Kind: String, Sendable, CaseIterable {
        /// The peer completes a flow that is right, or right enough.
        case behaves
        /// The peer goes no further when something is wrong.
        case refuses
        /// The peer ends in bounded time, and not by a crash; a service goes on serving others.
        case survives
    }

    /// Role, group and name: `authenticator/handshake/wrong-psk`.
    public let id: String
    /// The rule of the protocol reference that the case is about. Strength and certainty of the case are the rule's.
    public let rule: Rule
    /// The behaviour that is demanded, without subject and strength: `refuse a truncated map`, `not join a tunnel`.
    let demand: String
    /// The kind of requirement.
    public let kind: Kind
    /// True of a case that describes the peer's behaviour, whatever the strength of its rule: its result is beyond the
    /// rule, or no more than an indication.
    public internal(set) var isObservation = false
    /// The flow that the case plays; see ``Profile``.
    public let profile: Profile

    /// Makes a case of a rule; a test holds that there is such a rule.
    init(id: String, rule: String, demand: String, kind: Kind, profile: Profile = .qr) {
        self.id = id
        self.rule = Rule.find(rule) ?? Rule(unknown: rule)
        self.demand = demand
        self.kind = kind
        self.profile = profile
    }

    /// The requirement on the peer: a sentence in the words of RFC 2119, in the rule's strength. Of an observation, its
    /// subject: `whether the client does …`.
    public var requirement: String {
        let subject = Role(rawValue: String(id.prefix { $0 != "/" }))?.subject ?? ""
        let word = rule.strength.affirmative.rawValue
        if isObservation { return "whether \(subject) does \(demand)" }
        return demand.hasPrefix("not ")
            ? "\(subject) \(word) NOT \(demand.dropFirst(4))" : "\(subject) \(word) \(demand)"
    }

    /// True if the peer's behaviour is described, and never a deviation: of an observation; of a rule that is a
    /// permission or disputed; and of one that is this project's own choice, unless the peer is held to it.
    func isObserved(holdingPolicies: Bool) -> Bool {
        isObservation || rule.strength == .may || rule.certainty == .disputed
            || (rule.certainty == .policy && !holdingPolicies)
    }
}

/// The outcome of a case.
public enum Verdict: Sendable, Equatable {
    /// The peer keeps the rule.
    case passed
    /// The peer breaks the rule, in this way.
    case deviates(String)
    /// Nothing is judged: an observation, or a rule that is disputed, a permission or this project's own choice. The
    /// text describes the peer's behaviour.
    case observed(String)
    /// The case cannot be run here, or does not apply to this peer; with the setting that would allow it, if one would.
    case skipped(String, needs: MissingSetting? = nil)
    /// Nothing can be said, for this reason: its control case failed beside it, or it is not known whether
    /// the mistake reached the peer.
    case inconclusive(String)

    /// True if the peer meets the requirement, or its behaviour is only described.
    var isGood: Bool {
        switch self {
        case .passed, .observed: true
        case .deviates, .skipped, .inconclusive: false
        }
    }

    /// The verdict on a case whose control case has this one, which is not good.
    func asControl(of testCase: ConformanceCase) -> Verdict {
        guard case .deviates(let reason) = self else { return self }
        return .inconclusive("without the mistake the peer fails too, in \(testCase.controlCase ?? ""): \(reason)")
    }
}

/// The grade of a case, for a report.
public enum Grade: String, Sendable, CaseIterable {
    /// The peer keeps the rule.
    case held
    /// The peer refuses, in another way than the rule names.
    /// The raw value is that of published reports.
    case conceptuallyPassed = "held in spirit"
    /// The peer breaks a recommendation, or a requirement that is not certain.
    case deviates
    /// The peer breaks a requirement that is certain.
    case fails
}

/// A setting of the run without which some cases cannot be run.
public enum MissingSetting: Sendable, Hashable, CaseIterable {
    /// A command that offers to be linked, or a link: ``ProgramSettings/linkCommand``.
    case linkCommand
    /// A client's command that asks its linked authenticators: ``ProgramSettings/linkedCommand``.
    case linkedCommand
    /// A command that waits for linked clients: ``ProgramSettings/linkedCommand``.
    case listenCommand
    /// A command that asks for a digital credential: ``ProgramSettings/credentialCommand``.
    case credentialCommand
    /// The time for which the tunnel service lets a tunnel wait: ``ServiceSettings/pendingTime``.
    case pendingTime
}

/// A case and its outcome.
public struct CaseResult: Sendable {
    /// The case.
    public let testCase: ConformanceCase
    /// The outcome.
    public internal(set) var verdict: Verdict
    /// The duration of the case.
    public let duration: Duration
    /// The last lines that the peer's command wrote to standard error, as they are; of a case that deviates or is
    /// inconclusive.
    public internal(set) var standardError: [String] = []
    /// The command's standard error, at most ``wholeStandardErrorLimit`` bytes, the last ones; of a case
    /// that deviates or is inconclusive.
    public internal(set) var wholeStandardError: [UInt8] = []
    /// The number of bytes of standard error that are kept: 1 MiB.
    public static let wholeStandardErrorLimit = StandardErrorTail.wholeLimit
    /// The time of the peer's slowest step that came to its end.
    public internal(set) var slowestStep = Duration.zero
    /// The edition of CTAP that the peer has shown in the case; nil if it has shown none.
    public internal(set) var edition: Rule.Edition?
    /// The transcript of the case, if it deviates or is inconclusive.
    public internal(set) var transcript = Transcript()
    /// The way in which the peer refused, where that is another than the rule's; nil otherwise.
    public internal(set) var otherWay: String?
    /// The fault in a message of the peer that was read all the same, since it breaks another rule than the case's;
    /// nil without one.
    public internal(set) var lenience: String?

    /// The same without the transcript and standard error, unless the case deviates or is inconclusive.
    var withoutNeedless: CaseResult {
        switch verdict {
        case .deviates, .inconclusive: return self
        case .passed, .observed, .skipped:
            var result = self
            result.standardError = []
            result.wholeStandardError = []
            result.transcript = Transcript()
            return result
        }
    }

    /// The grade; nil where nothing was judged.
    public var grade: Grade? {
        switch verdict {
        case .passed: otherWay == nil ? .held : .conceptuallyPassed
        case .deviates: testCase.rule.isCertainRequirement ? .fails : .deviates
        case .observed, .skipped, .inconclusive: nil
        }
    }
}

/// The peer refused, as it has to, but in another way than the rule names.
struct OtherWay: Error {
    let way: String

    init(_ way: String) { self.way = way }
}

/// The peer broke the rule of the case that throws this.
struct Deviation: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// The peer kept to everything that the case that throws this could see, and ended with a failure all the same: the
/// cause is not known.
struct UnexplainedEnd: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// The case that throws this does not apply to this peer, or cannot be run here.
struct NotApplicable: Error {
    let reason: String
    let setting: MissingSetting?

    init(_ reason: String, needs setting: MissingSetting? = nil) {
        self.reason = reason
        self.setting = setting
    }
}

/// The case that throws this describes the peer's behaviour, where several are right.
struct ObservedBehaviour: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// The machine, not the peer, keeps a case from being run.
public typealias RunnerError = CodedError<RunnerErrorCode>

/// The kind of error, as an open set of names.
public struct RunnerErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The command cannot be started.
    public static let cannotStart = Self(rawValue: "cannot-start")
    /// The runner's tunnel service cannot listen where it was told to.
    public static let cannotListen = Self(rawValue: "cannot-listen")
    /// The address of the tunnel service is not a `wss://` or `ws://` URL.
    public static let invalidURL = Self(rawValue: "invalid-url")
    /// The control case of a case is not among the role's cases.
    public static let noControlCase = Self(rawValue: "no-control-case")
    /// A line of the file of known deviations is not a case's ID and a reason.
    public static let invalidKnown = Self(rawValue: "invalid-known")
    /// A line of the file of expected results is not a case's ID, a verdict and its grade.
    public static let invalidExpected = Self(rawValue: "invalid-expected")
    /// A file is not the report of a run, or not of a version that is read.
    public static let invalidReport = Self(rawValue: "invalid-report")
    /// A line of a shim is not as <doc:ShimProtocol> has it.
    public static let shim = Self(rawValue: "shim")
    /// Two reports are of the same peer.
    public static let duplicatePeer = Self(rawValue: "duplicate-peer")
}

/// Control cases: the evidence that a refusal means something. A program that fails at everything refuses whatever is
/// wrong, too; so a case that demands a refusal, or that the peer survives, counts only where the same flow comes to
/// its good end when nothing is wrong with it.
extension ConformanceCase {
    /// The ID of the control case: the case that plays the flow of this one, in which nothing is wrong. Nil for a case
    /// that is such a flow itself.
    public var controlCase: String? {
        guard kind != .behaves else { return nil }
        let parts = id.split(separator: "/")
        let group = parts.dropLast().joined(separator: "/")
        return Self.controlCasesOfGroups[group]
            ?? parts.first.flatMap { Role(rawValue: String($0)) }.map { ConformanceRunner.plainCase(of: $0).id }
    }

    /// The control cases of groups whose flow is not the plainest one of their role.
    private static let controlCasesOfGroups = [
        "authenticator/contact": "authenticator/linked/session",
        "authenticator/digital-credential": "authenticator/digital-credential/get",
        "authenticator/l2cap": "authenticator/l2cap/framing-terminated",
        "authenticator/link": "authenticator/update/success",
        "authenticator/linked": "authenticator/linked/session",
        "authenticator/linked-handshake": "authenticator/linked/session",
        "authenticator/linked-upgrade": "authenticator/linked/session",
        "authenticator/wake": "authenticator/linked/session",
        "client/digital-credential": "client/digital-credential/credential",
        "client/l2cap": "client/l2cap/framing-terminated",
        "client/l2cap-offer": "client/l2cap/framing-terminated",
        "client/link": "client/link/kept",
        "client/linked": "client/linked/session",
        "client/linked-handshake": "client/linked/session",
        "client/linked-upgrade": "client/linked/session",
        "tunnel-service/contact": "tunnel-service/wake/tunnel",
        "tunnel-service/listen": "tunnel-service/wake/tunnel",
        "tunnel-service/wake": "tunnel-service/wake/tunnel",
    ]
}
