import Glibc
import LinuxSupport
import SecurityKey
import Synchronization
import Testing

@testable import KeyBroker

/// A broker in this process. The user of a caller stands in the name of its socket, `@NUMBER-…`; one without is alice.
/// A key is a thread that says that it is there, and ends with its caller.
private final class Broker: Sendable {
    static let alice: UInt32 = 1_000
    static let mallory: UInt32 = 1_001
    static let firstName: UInt32 = 100_000

    let path: String
    private let folder: TemporaryFolder
    private let stop: WakePipe
    private let ended: AsyncStream<Bool>
    /// The keys that were made for each, and those of alice that are there.
    private let made = Mutex<[UInt32: Int]>([:])
    private let alicesKeys = Mutex(0)

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/key.socket"
        stop = try WakePipe()
        for user in [Self.alice, Self.mallory] { try folder.seat(user) }
        let (ended, end) = AsyncStream<Bool>.makeStream()
        self.ended = ended
        let listener = try Self.listener(at: path, backlog: 4_096)
        let table = Array("\(Self.mallory):\(Self.firstName):65536\n".utf8)
        let (sessions, stopping) = (folder.path, stop)
        try PollThread.start { [self] in
            let users = BrokerUsers(sessions: sessions) { SubordinateUsers(table: table, names: []) }
            let server = BrokerServer(
                listener: listener, admission: BrokerAdmission(for: users), find: Self.caller(of:),
                start: { (socket, caller) throws(BrokerRefusal) in try self.start(socket, caller) }, say: { _ in })
            end.yield((try? server.run(until: stopping.file)) != nil)
            end.finish()
            close(listener)
        }
    }

    static func listener(at path: String, backlog: Int32) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(named(Array(path.utf8)) { bind(listener, $0, $1) } == 0 && listen(listener, backlog) == 0)
        return listener
    }

    /// Calls `body` with an address of this name.
    static func named(_ name: [UInt8], _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
        }
    }

    private static func caller(of socket: Int32) -> BrokerCaller {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) }
        }
        guard result == 0 else { return BrokerCaller(user: firstName) }
        let name = withUnsafeBytes(of: &address.sun_path) { $0.dropFirst().prefix { $0 != UInt8(ascii: "-") } }
        return BrokerCaller(user: size > 2 ? UInt32(String(decoding: name, as: UTF8.self)) ?? firstName : alice)
    }

    private func start(_ socket: Int32, _ caller: BrokerCaller) throws(BrokerRefusal) -> BrokerServer.Process {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw BrokerRefusal(.failed, reason: "no pipe") }
        let (own, end) = (dup(socket), ends[1])
        made.withLock { $0[caller.user == Self.alice ? Self.alice : Self.mallory, default: 0] += 1 }
        if caller.user == Self.alice { alicesKeys.withLock { $0 += 1 } }
        do {
            try PollThread.start { [self] in
                var notice = BrokerNotice.started.rawValue
                _ = send(own, &notice, 1, Int32(MSG_NOSIGNAL))
                while recv(own, &notice, 1, 0) > 0 {}
                close(own)
                close(end)
                if caller.user == Self.alice { alicesKeys.withLock { $0 -= 1 } }
            }
        } catch {
            throw BrokerRefusal(.failed, reason: "no thread")
        }
        return BrokerServer.Process(number: nil, end: ends[0])
    }

    func made(for user: UInt32) -> Int { made.withLock { $0[user] ?? 0 } }

    /// Has a key made for alice by the program's own client, and gives it back.
    func takeKey() throws {
        do {
            let key = try BrokerReportChannel(at: path)
            PollThread.poll([(key.file, Int32(POLLIN))], atMost: .seconds(60))
            try #require(try key.next() == .started)
        }
        while alicesKeys.withLock({ $0 }) > 0 { sched_yield() }
    }

    func end() async {
        stop.signal()
        #expect(await ended.first { _ in true } == true)
    }
}

/// Four threads that call the broker and leave, each time as another of 65,536 users.
private final class Flood: Sendable {
    private static let width = 4

    let calls = Atomic(0)
    private let running = Atomic(Flood.width)
    private let isOver = Atomic(false)

    init(_ path: String) throws {
        for caller in 0..<Self.width {
            try PollThread.start { [self] in
                while !isOver.load(ordering: .relaxed) { call(path, caller) }
                running.wrappingSubtract(1, ordering: .relaxed)
            }
        }
    }

    private func call(_ path: String, _ caller: Int) {
        let number = calls.wrappingAdd(1, ordering: .relaxed).oldValue
        let user = Broker.firstName + UInt32(number % 65_536)
        let file = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        _ = Broker.named([0] + Array("\(user)-\(getpid())-\(caller)-\(number)".utf8)) { bind(file, $0, $1) }
        _ = Broker.named(Array(path.utf8)) { connect(file, $0, $1) }
        close(file)
    }

    func end() {
        isOver.store(true, ordering: .relaxed)
        while running.load(ordering: .relaxed) > 0 { sched_yield() }
    }
}

@Suite("The broker's one process", .timeLimit(.minutes(5))) struct BrokerServerTests {
    @Test("gives a user 20 of 20 keys while another calls and leaves without end, under 65,536 names")
    func flood() async throws {
        let broker = try Broker()
        let begun = ContinuousClock.now
        let flood = try Flood(broker.path)
        for number in 1...20 {
            while flood.calls.load(ordering: .relaxed) < number * 65_536 / 20 { sched_yield() }
            #expect(throws: Never.self) { try broker.takeKey() }
        }
        flood.end()
        let seconds = Int((ContinuousClock.now - begun) / .seconds(1)) + 1
        #expect(broker.made(for: Broker.alice) == 20)
        #expect((1...BrokerAdmission.burst + seconds).contains(broker.made(for: Broker.mallory)))
        await broker.end()
    }

    @Test("is waited for where others are before a caller")
    func queue() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/key.socket"
        let listener = try Broker.listener(at: path, backlog: 0)
        defer { close(listener) }
        let first = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(first) }
        #expect(Broker.named(Array(path.utf8)) { connect(first, $0, $1) } == 0)
        try PollThread.start { for _ in 0..<2 { close(accept(listener, nil, nil)) } }
        _ = try BrokerReportChannel(at: path)
    }
}
