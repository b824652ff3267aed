import Foundation
import Testing

@testable import hybrid

/// The service's end of the socket.
@Suite("The service for a browser on another machine")
struct BrowserServiceTests {
    @Test(
        "lets the next caller in after one that has gone, with a part of a request or with a whole one",
        .timeLimit(.minutes(2)), arguments: [false, true])
    func gone(isWhole: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hybrid-\(UUID())")
        let path = folder.appending(path: "socket").path
        let service = try BrowserService(at: path)
        defer { try? FileManager.default.removeItem(at: folder) }
        let message = BrowserMessage.encoded("{}")
        // All of it waits when the service looks for the first time.
        let first = try BrowserSocket.connect(to: path)
        #expect(send(first, message, message.count - (isWhole ? 0 : 1), 0) > 0)
        close(first)
        let second = try BrowserSocket.connect(to: path)
        defer { close(second) }
        #expect(send(second, message, message.count, 0) == message.count)
        let (asked, question) = AsyncStream<Void>.makeStream()
        let serving = Task {
            try await service.run { _, answer in
                answer(BrowserMessage.encoded("[]"))
                question.yield()
            }
        }
        for await _ in asked { break }
        var answer = BrowserMessage()
        let isAnswered = if case .complete(Array("[]".utf8)) = answer.read(from: second) { true } else { false }
        #expect(isAnswered)
        serving.cancel()
        _ = await serving.result
    }
}
