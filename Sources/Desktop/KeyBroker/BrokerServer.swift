internal import Glibc
internal import LinuxSupport

/// The one process that answers all callers. It reads none of their reports: for each who may have a key it starts a
/// process, which carries them.
package struct BrokerServer: ~Copyable {
    /// The callers who are answered before keys that have ended are looked after.
    private static let batch = 256
    /// The time between two lines on callers who were refused: they could fill the log.
    private static let pause = Duration.seconds(10)

    /// Process of a key.
    package struct Process: Sendable {
        /// Its number; nil if there is none to wait for.
        package let number: Int32?
        /// A file that has an end when the process ends.
        package let end: Int32

        package init(number: Int32?, end: Int32) {
            self.number = number
            self.end = end
        }
    }

    private struct Key {
        let owner: UInt32
        let process: Process
    }

    private let listener: Int32
    private let find: (Int32) -> BrokerCaller?
    private let start: (Int32, BrokerCaller) throws(BrokerRefusal) -> Process
    private let say: (String) -> Void
    private var admission: BrokerAdmission
    private var keys: [Key] = []
    /// Processes that have closed their files, and are about to end.
    private var ending: [Int32] = []
    private var refusals = (count: 0, next: ContinuousClock.now)

    /// Makes one.
    ///
    /// - Parameters:
    ///   - listener: the socket that listens. It does not block from then on.
    ///   - admission: decides who gets a key.
    ///   - find: tells who is at the other end of a socket.
    ///   - start: starts the process of a key for a caller, whose socket stays the server's, to be closed.
    ///   - say: writes a line into the log.
    package init(
        listener: Int32, admission: BrokerAdmission, find: @escaping (Int32) -> BrokerCaller?,
        start: @escaping (Int32, BrokerCaller) throws(BrokerRefusal) -> Process, say: @escaping (String) -> Void
    ) {
        self.listener = listener
        self.admission = admission
        self.find = find
        self.start = start
        self.say = say
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
    }

    /// Answers callers.
    ///
    /// - Parameter stop: a file that ends this when it can be read; negative for none.
    /// - Throws: `failed` if the socket is of no use any more.
    package consuming func run(until stop: Int32 = -1) throws(BrokerRefusal) {
        while true {
            let ready = PollThread.poll(
                [(stop, Int32(POLLIN)), (listener, Int32(POLLIN))] + keys.map { ($0.process.end, Int32(POLLIN)) },
                atMost: ending.isEmpty && refusals.count == 0 ? nil : .seconds(1))
            if ready[0] != 0 { return }
            let ended = zip(keys, ready[2...]).filter { $1 != 0 }.map(\.0)
            for key in ended { end(key) }
            ending.removeAll { waitpid($0, nil, WNOHANG) != 0 }
            if ready[1] != 0 { try answer() }
            tellRefusals()
        }
    }

    private mutating func end(_ key: Key) {
        close(key.process.end)
        keys.removeAll { $0.process.end == key.process.end }
        admission.end(key.owner)
        if let number = key.process.number { ending.append(number) }
    }

    private mutating func answer() throws(BrokerRefusal) {
        for _ in 0..<Self.batch {
            let caller = accept(listener, nil, nil)
            guard caller >= 0 else {
                switch errno {
                case EAGAIN: return
                // One caller, or for a while; who waits in the queue stays there.
                case EINTR, ECONNABORTED: continue
                case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                    usleep(100_000)
                    return
                default:
                    throw BrokerRefusal(
                        .failed, reason: "the socket does not listen: \(String(cString: strerror(errno)))")
                }
            }
            defer { close(caller) }
            _ = fcntl(caller, F_SETFD, FD_CLOEXEC)
            let user = find(caller)
            do throws(BrokerRefusal) { try serve(caller, user) } catch { refuse(caller, user, error) }
        }
    }

    private mutating func serve(_ caller: Int32, _ user: BrokerCaller?) throws(BrokerRefusal) {
        let owner = try admission.admit(user, at: .now)
        guard let user else { return }
        do throws(BrokerRefusal) {
            keys.append(Key(owner: owner, process: try start(caller, user)))
        } catch {
            admission.end(owner)
            throw error
        }
    }

    private mutating func refuse(_ caller: Int32, _ user: BrokerCaller?, _ refusal: BrokerRefusal) {
        var notice = refusal.notice.rawValue
        _ = send(caller, &notice, 1, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        refusals.count += 1
        if refusals.count == 1 { say("refused the user \(user.map { "\($0.user)" } ?? "?"): \(refusal.reason)") }
    }

    private mutating func tellRefusals() {
        let now = ContinuousClock.now
        guard refusals.count > 0, now >= refusals.next else { return }
        if refusals.count > 1 { say("refused \(refusals.count - 1) more") }
        refusals = (0, now + Self.pause)
    }
}
