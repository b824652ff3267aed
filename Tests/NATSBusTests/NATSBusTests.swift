import Foundation
import NIOConcurrencyHelpers
import TestPeers
import Testing

@testable import TunnelService

/// The bus over a server of NATS.
@Suite(.enabled(if: hasServer, "needs nats-server"))
struct NATSBusTests {
    private static let timeout = Duration.seconds(60)

    private func bus(_ port: Int, user: String? = nil, password: String? = nil) throws -> NATSBus {
        let settings = NATSSettings(
            servers: ["nats://127.0.0.1:\(port)"], user: user, password: password, authorityFile: nil,
            inbox: "\(UInt32.random(in: 0...UInt32.max))")
        let bus = try NATSBus(settings)
        bus.start {}
        return bus
    }

    private func server<Result: Sendable>(
        _ port: Int, _ more: [String] = [], _ body: () async throws -> Result
    ) async throws -> Result {
        try await ChildProcess.with(["nats-server", "--addr", "127.0.0.1", "--port", "\(port)"] + more) { _ in
            try await body()
        }
    }

    private func until(_ condition: () -> Bool) async throws {
        let end = ContinuousClock.now + Self.timeout
        while !condition() {
            try #require(ContinuousClock.now < end)
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The first answer to a question.
    private func ask(_ bus: NATSBus, _ subject: String) async -> ClusterAnswer? {
        let (answers, continuation) = AsyncStream<ClusterAnswer>.makeStream()
        let question = bus.request(of: subject) { _ in
            [1]
        } _: {
            continuation.yield($0)
        }
        let timeout = Task {
            try await Task.sleep(for: Self.timeout)
            continuation.finish()
        }
        defer {
            timeout.cancel()
            question.cancel()
        }
        return await answers.first { _ in true }
    }

    @Test func carriesMessagesToOthersAlone() async throws {
        let port = try FreePort.next()
        try await server(port) {
            let (one, two) = (try bus(port), try bus(port))
            try await until { one.isConnected && two.isConnected }
            let heard = NIOLockedValueBox<[String]>([])
            for (name, bus) in [("one", one), ("two", two)] {
                _ = bus.subscribe(to: "subject") { delivery in
                    heard.withLockedValue { $0.append("\(name) \(delivery.message)") }
                }
            }
            // A subscription takes a while to be known.
            try await until {
                one.publish([7], to: "subject")
                return heard.withLockedValue { $0.contains("two [7]") }
            }
            #expect(heard.withLockedValue { !$0.contains("one [7]") })
            one.stop()
            two.stop()
        }
    }

    @Test func saysThatNobodyListensAndTakesAnAnswer() async throws {
        let port = try FreePort.next()
        try await server(port) {
            let (one, two) = (try bus(port), try bus(port))
            try await until { one.isConnected && two.isConnected }
            #expect(await ask(one, "subject") == .nobody)
            // It is nobody for itself.
            _ = one.subscribe(to: "subject") { $0.answer?([1]) }
            #expect(await ask(one, "subject") == .nobody)
            let subscription = two.subscribe(to: "subject") { $0.answer?($0.message + [2]) }
            #expect(await ask(two, "nothing") == .nobody)
            #expect(await ask(one, "subject") == .message([1, 2]))
            subscription.cancel()
            #expect(await ask(two, "nothing") == .nobody)
            #expect(await ask(one, "subject") == .nobody)
            one.stop()
            two.stop()
        }
    }

    @Test func livesThroughTheLossOfItsServer() async throws {
        let port = try FreePort.next()
        let late = try bus(port)
        #expect(!late.isConnected)
        try await server(port) { try await until { late.isConnected } }
        try await until { !late.isConnected }
        late.publish([1], to: "subject")
        let heard = NIOLockedValueBox(false)
        _ = late.subscribe(to: "subject") { _ in heard.withLockedValue { $0 = true } }
        try await server(port) {
            let other = try bus(port)
            try await until { late.isConnected && other.isConnected }
            try await until {
                other.publish([1], to: "subject")
                return heard.withLockedValue { $0 }
            }
            other.stop()
        }
        late.stop()
    }

    @Test func isNotCalledWhenItIsGone() async throws {
        let port = try FreePort.next()
        try await server(port) {
            for _ in 0..<50 {
                let (one, two) = (try bus(port), try bus(port))
                try await until { one.isConnected || two.isConnected }
                one.stop()
                two.stop()
            }
        }
    }

    @Test func isKnownByItsPassword() async throws {
        let port = try FreePort.next()
        try await server(port, ["--user", "node", "--pass", "secret"]) {
            let (known, unknown) = (try bus(port, user: "node", password: "secret"), try bus(port))
            try await until { known.isConnected }
            #expect(!unknown.isConnected)
            known.stop()
            unknown.stop()
        }
    }
}

private let hasServer: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["nats-server", "--version"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try? process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
}()
