import Testing

@testable import LinuxSupport

/// The end of a call without an answer: by its time limit, its cancellation or the end of the connection.
@Suite(.timeLimit(.minutes(2)))
struct DBusPendingCallTests {
    /// A time that no test waits for, in milliseconds.
    private static let never = DBusValue.uint32(600_000)

    private static func code(_ body: () async throws -> Void) async throws -> DBusError.Code? {
        do {
            try await body()
            return nil
        } catch let error as DBusError {
            return error.code
        }
    }

    /// The code of a call that is sent and not answered, after `end`.
    private static func code(
        ofCallEndedBy end: (DBusPeer, Task<DBusError.Code?, any Error>) async throws -> Void
    ) async throws -> DBusError.Code? {
        var result: DBusError.Code?
        try await DBusPeer.with { peer in
            let call = Task { try await code { try await peer.call("Late", [never]) } }
            #expect(await peer.said() == "late 600000")
            try await end(peer, call)
            result = try await call.value
        }
        return result
    }

    @Test func `an answer that comes too late is dropped, and the next call has its own`() async throws {
        try await DBusPeer.with { peer in
            let code = try await Self.code { try await peer.call("Late", [.uint32(300)], within: .milliseconds(50)) }
            #expect(code == .timeout)
            let answer = try await peer.call("Late", [.uint32(600)])
            #expect(answer == [.uint32(600)])
        }
    }

    @Test func `a cancelled call ends at once, and the connection goes on`() async throws {
        let code = try await Self.code(ofCallEndedBy: { peer, call in
            call.cancel()
            let code = try await call.value
            #expect(code == .cancelled)
            let answer = try await peer.call("Late", [.uint32(0)])
            #expect(answer == [.uint32(0)])
        })
        #expect(code == .cancelled)
    }

    @Test func `a call of a task that is cancelled already ends too`() async throws {
        try await DBusPeer.with { peer in
            let call = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await Self.code { try await peer.call("Late", [Self.never]) }
            }
            let code = try await call.value
            #expect(code == .cancelled)
        }
    }

    @Test func `the loss of the bus ends all calls`() async throws {
        let code = try await Self.code(ofCallEndedBy: { peer, _ in
            let code = try await Self.code { try await peer.call("KillBus") }
            #expect(code == .disconnected)
        })
        #expect(code == .disconnected)
    }

    @Test func `closing the connection ends all calls`() async throws {
        let code = try await Self.code(ofCallEndedBy: { peer, _ in await peer.connection.close() })
        #expect(code == .disconnected)
    }
}
