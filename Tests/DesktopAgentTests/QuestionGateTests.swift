import Testing

@testable import DesktopAuthenticator

struct QuestionGateTests {
    @Test func `ten questions in a minute are enough`() async throws {
        let gate = QuestionGate()
        let start = ContinuousClock.now
        for count in 0..<10 { try await gate.alone(at: start + .seconds(count)) {} }
        await #expect(throws: AgentRefusal(.tooMany, reason: "the agent has asked 10 times in a minute")) {
            try await gate.alone(at: start + .seconds(60)) {}
        }
        // A question that no caller causes is not counted.
        try await gate.alone(isCounted: false, at: start + .seconds(60)) {}
        try await gate.alone(at: start + .seconds(61)) {}
    }

    @Test func `two at a time are one too many`() async throws {
        let gate = QuestionGate()
        try await gate.alone {
            #expect(gate.isBusy)
            await #expect(throws: AgentRefusal(.busy, reason: "the agent is busy with another request")) {
                try await gate.alone {}
            }
        }
        #expect(!gate.isBusy)
    }
}
