import CTAP
import PasskeyAuthenticator
import Synchronization
import Testing
import UserVerification

@testable import SecurityKey

/// A change of an answer, and its outcome.
struct AnswerCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: CTAPStatus
    let change: TestPhone.Change

    init(_ name: String, _ status: CTAPStatus, _ change: @escaping TestPhone.Change) {
        testDescription = name
        self.status = status
        self.change = change
    }
}

/// The answers of a phone, and their outcome.
@Suite("An answer", .timeLimit(.minutes(2)))
struct AnswerTests {
    static let signIns: [AnswerCase] = [
        AnswerCase("of another passkey", .noCredentials) { answer, _ in
            try assertion(answer) { $0.credential?.id[0] ^= 1 }
        },
        AnswerCase("of another site", .other) { answer, _ in try data(answer) { $0[0] ^= 1 } },
        AnswerCase("without presence", .userPresenceRequired) { answer, _ in try data(answer) { $0[32] &= ~1 } },
        AnswerCase("without verification", .userVerificationInvalid) { answer, _ in try data(answer) { $0[32] &= ~4 } },
        AnswerCase("without a signature", .other) { answer, _ in try assertion(answer) { $0.signature = [] } },
        AnswerCase("with short authenticator data", .other) { answer, _ in try data(answer) { $0.removeLast() } },
        AnswerCase("with something behind it", .other) { answer, _ in answer + [0] },
        AnswerCase("cut short", .other) { answer, _ in Array(answer.dropLast()) },
        AnswerCase("without a payload", .other) { answer, _ in Array(answer.prefix(1)) },
        AnswerCase("of nothing", .other) { _, _ in [] },
        AnswerCase("too long for a USB key", .other) { answer, _ in
            try assertion(answer) { $0.signature = [UInt8](repeating: 1, count: 7600) }
        },
        AnswerCase("without passkeys", .noCredentials) { _, _ in [0x2e] },
        AnswerCase("of an invalid passkey", .noCredentials) { _, _ in [0x22] },
        AnswerCase("that declines", .operationDenied) { _, _ in [0x27] },
        AnswerCase("of a user who cancelled", .operationDenied) { _, _ in [0x2d] },
        AnswerCase("of nobody in time", .userActionTimeout) { _, _ in [0x2f] },
        // OpenSSH would ask for a PIN.
        AnswerCase("that wants a PIN", .other) { _, _ in [0x36] },
        AnswerCase("that is unknown", .other) { _, _ in [0xe0] },
        AnswerCase("that never comes", .userActionTimeout) { _, _ in
            throw CTAPFailure(.userActionTimeout, "out of range")
        },
    ]

    @Test("to a sign-in that is wrong has a status, and a word in the log", arguments: signIns)
    func signIn(wrong: AnswerCase) async throws {
        let phone = TestPhone { answer, request in
            if case .getAssertion = request { try await wrong.change(answer, request) } else { answer }
        }
        try await TestContext.with(phone: phone) { context in
            let id = try await context.register(ProgramRequest.chromium)
            try await context.send(ProgramRequest.signIn([id], uv: true), wrong.status)
            #expect(context.events.reason?.isEmpty == false)
            // The key goes on.
            try await context.send(ProgramRequest.getInfo)
        }
    }

    static let registrations: [AnswerCase] = [
        AnswerCase("of another site", .other) { answer, _ in try registration(answer) { $0.authenticatorData[0] ^= 1 }
        },
        AnswerCase("without presence", .userPresenceRequired) { answer, _ in
            try registration(answer) { $0.authenticatorData[32] &= ~1 }
        },
        AnswerCase("without verification", .userVerificationInvalid) { answer, _ in
            try registration(answer) { $0.authenticatorData[32] &= ~4 }
        },
        AnswerCase("without a passkey", .other) { answer, _ in
            try registration(answer) {
                $0.authenticatorData = Array($0.authenticatorData.prefix(37))
                $0.authenticatorData[32] &= ~0x40
            }
        },
        AnswerCase("that is excluded", .credentialExcluded) { _, _ in [0x19] },
        AnswerCase("of a full phone", .keyStoreFull) { _, _ in [0x28] },
        AnswerCase("of nothing", .other) { _, _ in [] },
    ]

    @Test("to a registration that is wrong has a status, and is not remembered", arguments: registrations)
    func registration(wrong: AnswerCase) async throws {
        try await TestContext.with(phone: TestPhone(changing: wrong.change)) { context in
            for request in [ProgramRequest.chromium, ProgramRequest.opensshVerifyRequired] {
                try await context.send(request, wrong.status)
                #expect(context.events.reason?.isEmpty == false)
            }
            #expect(throws: (any Error).self) { try FileState(context.path) }
        }
    }

    @Test("without its passkey's ID is completed where there is one, and refused where there are several")
    func unnamed() async throws {
        let phone = TestPhone { answer, request in
            guard case .getAssertion = request else { return answer }
            return try Self.assertion(answer) {
                $0.credential = nil
                $0.numberOfCredentials = 2
                $0.userSelected = true
            }
        }
        try await TestContext.with(phone: phone) { context in
            let id = try await context.register(ProgramRequest.chromium)
            let answer = try context.assertion(
                try await context.send(ProgramRequest.signIn([id], uv: true, transports: ["usb"])))
            #expect(answer.credential?.id == id && answer.numberOfCredentials == nil && answer.userSelected == nil)
            try await context.send(ProgramRequest.signIn([id, [1]]), .other)
            try await context.send(ProgramRequest.signIn([]), .other)
        }
    }

    @Test("to a sign-in without a list is one passkey and its user")
    func discoverable() async throws {
        try await TestContext.with { context in
            let id = try await context.register(ProgramRequest.chromium)
            let answer = try context.assertion(try await context.send(ProgramRequest.signIn([], uv: true)))
            #expect(answer.credential?.id == id && answer.user?.id == Array("u1".utf8))
        }
    }

    @Test(
        "to the question that is not a yes has a status",
        arguments: [
            (Approval.Refusal.declined, CTAPStatus.operationDenied), (.timedOut, .userActionTimeout),
            (.cancelled, .keepaliveCancel), (.unavailable, .operationDenied),
        ])
    func question(refusal: Approval.Refusal, status: CTAPStatus) async throws {
        try await TestContext.with(answer: .no(refusal)) { context in
            try await context.send(ProgramRequest.chromium, status)
            #expect(context.phone.count == 0)
        }
    }

    @Test("does not come from a phone or a user once the program cancels", arguments: [true, false])
    func cancelled(atQuestion: Bool) async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        let wasCancelled = Mutex(false)
        let phone = TestPhone { answer, _ in
            start.yield()
            for await _ in AsyncStream<Never>.makeStream().stream {}
            wasCancelled.withLock { $0 = Task.isCancelled }
            return answer
        }
        try await TestContext.with(phone: phone, answer: atQuestion ? .never : .yes) { context in
            let statuses = Mutex<[UInt8]>([])
            let task = Task {
                await context.key.respond(to: ProgramRequest.chromium) { status in
                    statuses.withLock { $0.append(status.rawValue) }
                    if atQuestion { start.yield() }
                }
            }
            for await _ in started { break }
            // One at a time: a second request, which the device never makes, is refused.
            try await context.send(ProgramRequest.getInfo, .channelBusy)
            task.cancel()
            #expect(await task.value == [CTAPStatus.keepaliveCancel.rawValue])
            #expect(statuses.withLock { $0 } == [2])
            #expect(wasCancelled.withLock { $0 } == !atQuestion)
            #expect(context.phone.count == (atQuestion ? 0 : 1))
        }
    }

    private static func assertion(
        _ answer: [UInt8], _ change: (inout GetAssertionResponse) -> Void
    ) throws -> [UInt8] {
        var response = try GetAssertionResponse(decoding: answer.span.extracting(droppingFirst: 1))
        change(&response)
        return [0] + response.encoded()
    }

    private static func data(_ answer: [UInt8], _ change: (inout [UInt8]) -> Void) throws -> [UInt8] {
        try assertion(answer) { change(&$0.authenticatorData) }
    }

    private static func registration(
        _ answer: [UInt8], _ change: (inout MakeCredentialResponse) -> Void
    ) throws -> [UInt8] {
        var response = try MakeCredentialResponse(decoding: answer.span.extracting(droppingFirst: 1))
        change(&response)
        return [0] + response.encoded()
    }
}
