internal import LinuxSupport

/// Runs cases one by one; ``ControlledRun`` runs many.
struct CaseRunner<Context: Sendable>: Sendable {
    /// The time limit of a whole case.
    let limit: Duration
    /// True if the peer is held to this project's own choices too.
    var holdsPolicies = false
    /// The edition of CTAP that the peer shows; nil if rules of all bind it.
    var edition: Rule.Edition?
    /// Ends the time of a case.
    var timer = DeadlineTimer.continuous
    /// Sets the test context of a case up, runs it, and takes everything down again.
    let withContext: @Sendable (CaseRecord, @escaping ScriptedCase<Context>.Script) async throws -> Void

    /// Runs one case.
    ///
    /// - Parameter isControl: true of a control case, which says whether a flow comes to its good end, whatever its
    ///   rule.
    /// - Throws: ``RunnerError``, `CancellationError`.
    func run(_ scripted: ScriptedCase<Context>, isControl: Bool = false) async throws -> CaseResult {
        let isObserved = !isControl && scripted.testCase.isObserved(holdingPolicies: holdsPolicies)
        if let edition, !scripted.testCase.rule.binds(edition) {
            let editions = scripted.testCase.rule.editions.map(\.rawValue).joined(separator: " and ")
            let reason = "the peer shows CTAP \(edition.rawValue), and the rule is of CTAP \(editions) alone"
            return CaseResult(testCase: scripted.testCase, verdict: .skipped(reason), duration: .zero)
        }
        let start = timer.now
        let kind = scripted.testCase.kind
        let record = CaseRecord(needsDelivery: kind != .behaves, needsReading: kind == .refuses)
        var verdict: Verdict
        var otherWay: String?
        do {
            try await within(limit, on: timer, "the case") {
                try await withContext(record) { try await Self.play(scripted, $0, record) }
            }
            verdict = isObserved ? .observed("complies") : .passed
        } catch let error as RunnerError {
            throw error
        } catch let other as OtherWay {
            verdict = isObserved ? .observed(other.way) : .passed
            otherWay = other.way
        } catch {
            try Task.checkCancellation()
            verdict = Self.verdict(error, isObserved: isObserved)
        }
        if let undeliveredReason = record.undeliveredReason, verdict.isGood {
            verdict = .inconclusive("nobody knows whether the mistake reached it: \(undeliveredReason)")
            otherWay = nil
        }
        if let fault = record.shimFault {
            verdict = .inconclusive(fault)
            otherWay = nil
        }
        var result = CaseResult(testCase: scripted.testCase, verdict: verdict, duration: timer.now - start)
        result.otherWay = otherWay
        // Also of a good case: it is inconclusive if its control case fails.
        if case .deviates = verdict { await record.errors.settle() }
        result.standardError = record.errors.lines
        if !verdict.isGood { result.wholeStandardError = record.errors.whole }
        result.transcript = record.transcript.transcript
        result.slowestStep = record.slowestStep
        result.edition = record.edition
        result.lenience = record.lenience
        return result
    }

    /// Runs the script of a case. Where the peer has refused something, waits until it is known whether that has
    /// arrived.
    private static func play(
        _ scripted: ScriptedCase<Context>, _ context: Context, _ record: CaseRecord
    ) async throws {
        do {
            try await scripted.script(context)
        } catch let other as OtherWay {
            await record.settleDeliveries()
            throw other
        }
        await record.settleDeliveries()
    }

    private static func verdict(_ error: any Error, isObserved: Bool) -> Verdict {
        let reason: String
        switch error {
        case let skip as NotApplicable: return .skipped(skip.reason, needs: skip.setting)
        case let end as UnexplainedEnd where !isObserved: return .inconclusive(end.reason)
        case let end as UnexplainedEnd: reason = end.reason
        case let observation as ObservedBehaviour: return .observed(observation.text)
        case let deviation as Deviation: reason = deviation.reason
        case let closed as WebSocketEnd.Closed:
            reason = "it closed the \(closed.channel)" + (closed.code.map { " with code \($0)" } ?? "")
        case is WireConnection.Ended: reason = "it ended the connection"
        default: reason = "\(error)"
        }
        return isObserved ? .observed(reason) : .deviates(reason)
    }
}

/// Runs `body` with a time limit.
///
/// - Throws: ``Deviation`` that names the step that took too long.
func within<Value: Sendable>(
    _ limit: Duration, on timer: DeadlineTimer = .continuous, _ what: String,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    guard let value = try await timer.withTimeout(limit, body) else {
        throw Deviation("\(what) did not come within \(limit.seconds)")
    }
    return value
}

extension Duration {
    /// The duration in seconds, to one decimal place.
    var seconds: String {
        let (seconds, attoseconds) = components
        return "\(seconds).\(attoseconds / 100_000_000_000_000_000) s"
    }
}
