import CTAP
import HybridProtocol
import HybridTransport
import LinuxSupport
import PasskeyAuthenticator
import Synchronization
import Testing
import UserVerification

@testable import DesktopAuthenticator

/// The requests that one session may make.
@Suite("A session", .timeLimit(.minutes(2)))
struct SessionGateTests {
    private static let getAssertion = CTAPRequest.getAssertion(
        GetAssertionRequest(
            rpID: "example.org", clientDataHash: [UInt8](repeating: 1, count: 32),
            options: RequestOptions(userVerification: true))
    ).encoded()

    private static func gate(
        announced: RequestHint = .getAssertion, limit: Duration = .seconds(60), log: SessionLog? = nil,
        events: EventRecord = EventRecord()
    ) -> SessionGate {
        var limits = TimeLimits.brief
        limits.command = limit
        return SessionGate(
            announced: announced, limits: limits, log: log ?? SessionLog(observe: { _ in }), observe: events.note)
    }

    @Test("is complete after a few sign-ins without a passkey, each after the first later than the one before")
    func misses() async {
        let gate = Self.gate()
        let start = ContinuousClock.now
        for number in 1...SessionGate.maxMisses {
            #expect(!gate.isComplete)
            let answer = await gate.answer(Self.getAssertion) { _ in [CTAPStatus.noCredentials.rawValue] }
            #expect(answer == [CTAPStatus.noCredentials.rawValue])
            #expect(ContinuousClock.now - start >= SessionGate.missDelay * (number - 1))
        }
        #expect(gate.isComplete)
    }

    @Test("is complete after a few answers for which nobody was asked, but not after one")
    func silent() async {
        let log = SessionLog(observe: { _ in })
        let gate = Self.gate(log: log)
        let start = ContinuousClock.now
        for number in 1...SessionGate.maxMisses {
            #expect(!gate.isComplete)
            _ = await gate.answer(Self.getAssertion) { _ in
                log.note(.answeredSilently(rpID: "example.org"))
                log.note(.answered(.init(command: .getAssertion, status: .ok)))
                return [CTAPStatus.ok.rawValue]
            }
            #expect(!log.hasCompletedOperation)
            #expect(ContinuousClock.now - start >= SessionGate.missDelay * (number - 1))
        }
        #expect(gate.isComplete)
        log.note(.answered(.init(command: .getAssertion, status: .ok)))
        #expect(log.hasCompletedOperation)
    }

    @Test("is not complete after an error, or after a command that makes and uses no passkey")
    func errors() async {
        let log = SessionLog(observe: { _ in })
        let gate = Self.gate(log: log)
        for status in [CTAPStatus.operationDenied, .invalidCBOR, .userActionTimeout, .credentialExcluded] {
            for _ in 0...SessionGate.maxMisses {
                log.note(.answered(.init(command: .getAssertion, status: status, reason: "no")))
                _ = await gate.answer(Self.getAssertion) { _ in [status.rawValue] }
            }
        }
        log.note(.answered(.init(command: .getInfo, status: .ok)))
        log.note(.answered(.init(command: .selection, status: .ok)))
        #expect(!gate.isComplete)
        log.note(.answered(.init(command: .getAssertion, status: .ok)))
        #expect(gate.isComplete)
    }

    @Test("answers a request that nobody has answered in time, and says why")
    func timeUp() async throws {
        let log = SessionLog(observe: { _ in })
        let gate = Self.gate(limit: .seconds(1), log: log)
        let answer = await gate.answer(Self.getAssertion) { _ in
            try? await Task.sleep(for: .seconds(3_600))
            log.note(.answered(.init(command: .getAssertion, status: .keepaliveCancel, reason: "cancelled")))
            return [CTAPStatus.keepaliveCancel.rawValue]
        }
        #expect(answer == [CTAPStatus.userActionTimeout.rawValue])
        let refused = try #require(throws: RequestRefused.self) { try log.answers() }
        #expect(refused.reason.ctapStatus == .userActionTimeout)
        #expect(refused.reason.cause == "nobody answered in time")
    }

    @Test("leaves an answer as it is that comes as the time is up, or that a client has cancelled")
    func inTime() async throws {
        let gate = Self.gate(limit: .seconds(1))
        let answer = await gate.answer(Self.getAssertion) { _ in
            try? await Task.sleep(for: .seconds(3_600))
            return [CTAPStatus.credentialExcluded.rawValue]
        }
        #expect(answer == [CTAPStatus.credentialExcluded.rawValue])
        let task = Task {
            await Self.gate().answer(Self.getAssertion) { _ in
                try? await Task.sleep(for: .seconds(3_600))
                return [CTAPStatus.keepaliveCancel.rawValue]
            }
        }
        task.cancel()
        #expect(await task.value == [CTAPStatus.keepaliveCancel.rawValue])
    }

    @Test("tells if its first operation is another one than was announced")
    func announced() async {
        for announced in RequestHint.allCases {
            let events = EventRecord()
            let gate = Self.gate(announced: announced, events: events)
            _ = await gate.answer([CTAPCommand.getInfo.rawValue]) { _ in [0] }
            for _ in 0..<2 { _ = await gate.answer(Self.getAssertion) { _ in [CTAPStatus.operationDenied.rawValue] } }
            let count = events.all.count { event in
                if case AgentEvent.otherOperation(announced, asked: .getAssertion) = event { true } else { false }
            }
            #expect(count == (announced == .getAssertion ? 0 : 1))
        }
        let events = EventRecord()
        let request = """
            {"origin":"https://example.org","requestType":"credential.create",
            "request":{"digital":{"requests":[{"protocol":"p","data":{}}]}}}
            """
        _ = await Self.gate(announced: .digitalCredentialPresentation, events: events).answer(request) { _ in "{}" }
        #expect(
            events.contains { event in
                if case AgentEvent.otherOperation(_, asked: .digitalCredentialIssuance) = event { true } else { false }
            })
    }

    @Test("leaves the client the time to learn that nobody has answered", arguments: [1, 3, 10, 120, 3_600])
    func limits(seconds: Int) {
        var limits = TimeLimits.standard
        limits.command = .seconds(seconds)
        #expect(limits.question > .zero && limits.question < limits.request && limits.request < limits.command)
        #expect(seconds < 60 || limits.command - limits.question >= .seconds(5))
    }
}
