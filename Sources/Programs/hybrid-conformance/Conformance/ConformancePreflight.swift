import CommandLine
import Conformance
internal import HybridProtocol
import HybridTransport
import LinuxSupport

extension ConformanceReporter {
    /// Plays the plainest case before all others, and goes no further unless it is kept: of a peer that never works,
    /// and where the radio is missing, no verdict is worth anything.
    ///
    /// - Parameters:
    ///   - role: whose case it is.
    ///   - isSimulated: true if the radio is the simulated one.
    ///   - body: plays it.
    /// - Returns: the time that a step of the peer may take: as long as `--timeout` says, or twice as long as the
    ///   slowest step took here, if that is longer.
    /// - Throws: ``Failure``, `CancellationError`.
    @discardableResult
    func preflight(
        _ role: ConformanceCase.Role, isSimulated: Bool = true, timeout: Duration,
        _ body: () async throws -> CaseResult
    ) async throws -> Duration {
        reporter.say("preflight: \(ConformanceRunner.plainCase(of: role).id)")
        let result: CaseResult
        do {
            result = try await body()
        } catch {
            let failure = (error as? RadioError).map { Failure(runnersRadio: $0, isSimulated) } ?? Failure(error)
            try note(failure)
            throw failure
        }
        if reporter.isJSON { reporter.writeJSON(Line(.preflight, result)) }
        let reason: String
        switch result.verdict {
        case .deviates(let why), .inconclusive(let why): reason = why
        default:
            edition = result.edition
            if let edition {
                reporter.say("the peer shows CTAP \(edition.rawValue): rules of other editions only do not apply to it")
            }
            if edition == .ctap22, selection.profiles.contains(.ctap23) {
                reporter.warn("edition", "--profile 2.3 asks for more: cases of rules that only 2.3 has are skipped")
            }
            if let lenience = result.lenience {
                // Told before all other deviations; a case of its own judges it.
                reporter.warn("lenient", "the plainest ceremony breaks a rule, and is read leniently: \(lenience)")
            }
            let least = Duration.seconds((result.slowestStep * 2 / .seconds(1)).rounded(.up))
            guard least > timeout else { return timeout }
            reporter.warn(
                "slow-peer",
                "the peer is slow: each step may take \(least.components.seconds) s, "
                    + "not \(timeout.components.seconds) s; give --timeout \(least.components.seconds) to say so")
            return least
        }
        for line in result.standardError { reporter.say("stderr: \(quoted(line))") }
        let failure = Failure(plainCaseOf: role, deviates: reason)
        try note(failure, standardError: result.standardError)
        throw failure
    }
}

extension Failure {
    /// The plainest case deviates. No case was judged, so it is not the status of deviations.
    fileprivate init(plainCaseOf role: ConformanceCase.Role, deviates reason: String) {
        if role == .tunnelService {
            self.init(
                .tunnelRefused, code: "plain-case",
                cause: "no case was run, since the service does not carry the plainest tunnel: \(reason)",
                hint: "check that the URL is that of a tunnel service")
        } else {
            self.init(
                .protocolViolation, code: "plain-case",
                cause: "no case was run, since the command does not complete the plainest ceremony: \(reason)",
                hint: "check the command after --, and that it takes {tunnel}, {ca} and {radio}, or is a shim")
        }
    }

    /// The runner's own radio cannot be used.
    fileprivate init(runnersRadio error: RadioError, _ isSimulated: Bool) {
        let failure = Failure(error)
        guard !isSimulated else {
            self = failure
            return
        }
        let simulated: Sentence = "give --radio udp: to test without Bluetooth, with {radio} in the command"
        self.init(
            failure.status, code: failure.code, cause: failure.cause,
            hint: Hint.bluetooth(error.code).map { "\(simulated); or \($0)" } ?? simulated)
    }
}
