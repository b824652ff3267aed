import CTAP
import Glibc
import SecurityKey
import Synchronization
import Testing

/// Returns a request, or waits until it is cancelled and then until it is released.
private final class WaitingApplication: SecurityKeyApplication {
    /// The request that waits.
    static let wait: UInt8 = 0x40
    static let cancelled: [UInt8] = [0x2D]

    private struct State {
        var isRunning = false
        var overlapCount = 0
        var cancelCount = 0
    }

    private let state = Mutex(State())
    private let release: AsyncStream<Void>
    private let releases: AsyncStream<Void>.Continuation

    init() { (release, releases) = AsyncStream.makeStream() }

    var isRunning: Bool { state.withLock(\.isRunning) }
    var overlapCount: Int { state.withLock(\.overlapCount) }
    var cancelCount: Int { state.withLock(\.cancelCount) }

    /// Lets a request that was cancelled return.
    func letGo() { releases.yield() }

    func respond(
        to request: [UInt8], status: @escaping @Sendable (CTAPHIDKeepAliveStatus) -> Void
    ) async -> [UInt8] {
        state.withLock { state in
            if state.isRunning { state.overlapCount += 1 }
            state.isRunning = true
        }
        defer { state.withLock { $0.isRunning = false } }
        guard request.first == Self.wait else { return [0] + request }
        status(.userPresenceNeeded)
        try? await Task.sleep(for: .seconds(600))
        state.withLock { $0.cancelCount += 1 }
        let release = release
        await Task { for await _ in release { break } }.value
        return Self.cancelled
    }
}

@Suite("A security key over a channel", .timeLimit(.minutes(5))) struct SecurityKeyDeviceTests {
    private let application = WaitingApplication()

    @Test("gives requests to its application, and answers of every length back")
    func requests() async throws {
        try await Programs.with(application) { programs in
            let channel = try await programs.open()
            for count in [1, 57, 58, 7_608] {
                let request = [UInt8](repeating: 7, count: count)
                let answer = try await programs.call(.cbor, request, on: channel)
                #expect(answer.event == .response([0] + request))
            }
            // One byte too much for an answer.
            let long = [UInt8](repeating: 7, count: 7_609)
            #expect(try await programs.call(.cbor, long, on: channel).event == .refused(.other))
        }
    }

    @Test("says that it waits for the user, and can be cancelled")
    func cancel() async throws {
        try await Programs.with(application) { programs in
            let (one, two) = (try await programs.open(), try await programs.open())
            var exchange = try programs.begin(.cbor, [WaitingApplication.wait], on: one)
            #expect(try await programs.call(.ping, [4], on: two).event == .refused(.channelBusy))
            #expect(try await programs.call(.initialize, Programs.nonce, on: two).event != .refused(.channelBusy))
            var isCancelled = false
            let cancelReport = exchange.cancelReport
            let answer = try await programs.answer(to: &exchange) { status in
                guard status == .userPresenceNeeded, !isCancelled else { return }
                isCancelled = true
                try programs.write(cancelReport)
                application.letGo()
            }
            #expect(answer.event == .response(WaitingApplication.cancelled))
            #expect(answer.statuses.last == .userPresenceNeeded)
            #expect(application.cancelCount == 1)
            #expect(try await programs.call(.cbor, [4], on: two).event == .response([0, 4]))
        }
    }

    @Test("lets four others wait with keep-alives, and serves them in their order (HT-HID-36)")
    func waiting() async throws {
        try await Programs.with(application) { programs in
            var channels: [CTAPHIDChannel] = []
            for _ in 0..<6 { channels.append(try await programs.open()) }
            let first = try programs.begin(.cbor, [WaitingApplication.wait], on: channels[0])
            let others = try channels[1...4].map { try programs.begin(.cbor, [UInt8($0.rawValue)], on: $0) }
            #expect(try await programs.call(.cbor, [9], on: channels[5]).event == .refused(.channelBusy))
            var kept: Set<CTAPHIDChannel> = []
            var answered: [CTAPHIDChannel] = []
            // Once each has had a keep-alive, the first is cancelled: the authenticator has been asked for nothing
            // else.
            try await programs.readReports { channel, command, payload in
                switch command {
                case .keepAlive:
                    if kept.insert(channel).inserted, kept.count == 5 {
                        try programs.write(first.cancelReport)
                        application.letGo()
                    }
                case .cbor:
                    answered.append(channel)
                    let own = [0, UInt8(channel.rawValue)]
                    #expect(payload.starts(with: channel == channels[0] ? WaitingApplication.cancelled : own))
                default: Issue.record("\(command) on \(channel)")
                }
                return answered.count < 5
            }
            #expect(others.count == 4)
            #expect(kept == Set(channels[0...4]))
            #expect(answered == Array(channels[0...4]))
            #expect(application.overlapCount == 0)
            #expect(application.cancelCount == 1)
        }
    }

    @Test("answers a request that waits and is cancelled at once, and leaves the others alone (HT-HID-36)")
    func cancelsWaiting() async throws {
        try await Programs.with(application) { programs in
            let (one, two, three) = (try await programs.open(), try await programs.open(), try await programs.open())
            var first = try programs.begin(.cbor, [WaitingApplication.wait], on: one)
            var waiting = try programs.begin(.cbor, [WaitingApplication.wait], on: two)
            var last = try programs.begin(.cbor, [7], on: three)
            try programs.write(waiting.cancelReport)
            #expect(try await programs.answer(to: &waiting).event == .response(WaitingApplication.cancelled))
            // It was not the application's answer.
            #expect(application.cancelCount == 0)
            try programs.write(first.cancelReport)
            application.letGo()
            #expect(try await programs.answer(to: &first).event == .response(WaitingApplication.cancelled))
            #expect(try await programs.answer(to: &last).event == .response([0, 7]))
            #expect(application.cancelCount == 1)
        }
    }

    @Test("lets a request wait until the one before it, which was given up, has returned")
    func abandoned() async throws {
        try await Programs.with(application) { programs in
            let channel = try await programs.open()
            _ = try programs.begin(.cbor, [WaitingApplication.wait], on: channel)
            #expect(try await programs.call(.initialize, Programs.nonce, on: channel).statuses.count <= 2)
            var waiting = try programs.begin(.cbor, [5], on: channel)
            // This one is cancelled before it has begun.
            try programs.write(waiting.cancelReport)
            #expect(try await programs.answer(to: &waiting).event == .response(WaitingApplication.cancelled))
            // And this one given up.
            _ = try programs.begin(.cbor, [6], on: channel)
            _ = try await programs.call(.initialize, Programs.nonce, on: channel)
            var next = try programs.begin(.cbor, [7], on: channel)
            var isReleased = false
            let answer = try await programs.answer(to: &next) { _ in
                if !isReleased { application.letGo() }
                isReleased = true
            }
            #expect(answer == .init(event: .response([0, 7]), statuses: [.processing]))
            #expect(application.overlapCount == 0)
        }
    }

    @Test("bears a flood of programs, and reports that are none of CTAPHID")
    func flood() async throws {
        try await Programs.with(application) { programs in
            let channel = try await programs.open()
            let count = 200
            for _ in 0..<count { _ = try programs.begin(.initialize, Programs.nonce, on: .broadcast) }
            try programs.write([UInt8](repeating: 0xFF, count: 64))
            for _ in 0..<count { #expect(try await programs.read()?.count == 64) }
            // The broadcast channel is no one's.
            _ = try await programs.read()
            #expect(try await programs.call(.cbor, [4], on: channel).event == .response([0, 4]))
        }
    }

    @Test("goes on for one of two programs when the other dies in the middle of a message, or of a request")
    func death() async throws {
        try await Programs.with(application) { programs in
            let (dead, living) = (try await programs.open(), try await programs.open())
            /// Until the key is free again, which is soon: nobody is told but the dead.
            func answer(_ request: UInt8) async throws -> CTAPHIDExchange.Event {
                while true {
                    let event = try await programs.call(.cbor, [request], on: living).event
                    if event != .refused(.channelBusy) { return event }
                }
            }
            let message = try CTAPHIDExchange(channel: dead, command: .ping, payload: [UInt8](repeating: 1, count: 100))
            try programs.write(message.reports[0])
            #expect(try await answer(4) == .response([0, 4]))
            _ = try programs.begin(.cbor, [5], on: dead)
            #expect(try await answer(6) == .response([0, 6]))
        }
    }

    @Test("that is taken away in the middle of a request has it cancelled, and waits for it")
    func takenAway() async throws {
        let (ours, theirs) = try Programs.pair()
        let programs = Programs(ours)
        let key = SecurityKeyDevice(
            over: BrokerReportChannel(taking: theirs), version: CTAPHIDDeviceVersion(major: 1, minor: 2, build: 3),
            application: application)
        let running = Task { try await key.run() }
        var exchange = try programs.begin(.cbor, [WaitingApplication.wait], on: try await programs.open())
        struct IsAsked: Error {}
        await #expect(throws: IsAsked.self) {
            try await programs.answer(to: &exchange) { status in
                if status == .userPresenceNeeded { throw IsAsked() }
            }
        }
        running.cancel()
        application.letGo()
        try await running.value
        #expect(application.cancelCount == 1)
    }

    @Test("drops what is under way when the last program has gone")
    func closed() async throws {
        try await Programs.with(application) { programs in
            let channel = try await programs.open()
            _ = try programs.begin(.cbor, [WaitingApplication.wait], on: channel)
            // The broker's word for that.
            try programs.write([1])
            application.letGo()
            #expect(try await programs.call(.cbor, [4], on: channel).event == .response([0, 4]))
            #expect(application.cancelCount == 1)
        }
    }

    @Test("winks if it can")
    func wink() async throws {
        let count = Atomic(0)
        try await Programs.with(application, onWink: { count.add(1, ordering: .relaxed) }) { programs in
            let channel = try await programs.open()
            #expect(try await programs.call(.wink, on: channel).event == .response([]))
        }
        #expect(count.load(ordering: .relaxed) == 1)
        try await Programs.with(application) { programs in
            let channel = try await programs.open()
            #expect(try await programs.call(.wink, on: channel).event == .refused(.invalidCommand))
        }
    }

    @Test("ends with its channel, and its request with it")
    func end() async throws {
        let (ours, theirs) = try Programs.pair()
        let key = SecurityKeyDevice(
            over: BrokerReportChannel(taking: theirs), version: CTAPHIDDeviceVersion(major: 1, minor: 2, build: 3),
            application: application)
        let running = Task { try await key.run() }
        let programs = Programs(ours)
        _ = try await programs.begin(.cbor, [WaitingApplication.wait], on: programs.open())
        while !application.isRunning { try await Task.sleep(for: .milliseconds(2)) }
        application.letGo()
        programs.shutDown()
        await #expect(throws: SecurityKeyError(.ended, reason: "")) { try await running.value }
        #expect(application.cancelCount == 1 && !application.isRunning)
    }

    @Test(
        "ends with the reason that the broker gives",
        arguments: [
            ([0x10], SecurityKeyError.Code.tooMany), ([0x11], .notAvailable), ([0x12], .noSession),
            ([0x13], .failed), ([0x14], .tooOften),
            ([0x55], .failed), ([1, 2], .failed), ([UInt8](repeating: 0, count: 63), .failed),
            ([UInt8](repeating: 0, count: 65), .failed),
        ])
    func refusals(message: [UInt8], code: SecurityKeyError.Code) async throws {
        let (ours, theirs) = try Programs.pair()
        defer { close(ours) }
        #expect(send(ours, message, message.count, 0) == message.count)
        let key = SecurityKeyDevice(
            over: BrokerReportChannel(taking: theirs), version: CTAPHIDDeviceVersion(major: 1, minor: 2, build: 3),
            application: application)
        await #expect(throws: SecurityKeyError(code, reason: "")) { try await key.run() }
    }

    @Test("cannot be had where no broker is, or its socket has too long a name")
    func noBroker() {
        #expect(throws: SecurityKeyError(.notAvailable, reason: "")) {
            try BrokerReportChannel(at: "/nonexistent/key.socket")
        }
        #expect(throws: SecurityKeyError(.failed, reason: "")) {
            try BrokerReportChannel(at: "/" + String(repeating: "a", count: 200))
        }
        #expect(SecurityKeyError(.failed, reason: "so").description == "key-failed: so")
    }
}
