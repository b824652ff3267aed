internal import CTAP
internal import Glibc
internal import LinuxSupport

/// The thread of a security key: reports in, reports out, and requests to the application.
///
/// Reports go out no faster than programs fetch them from the kernel, which holds 64 for each and drops what is more.
/// While as many wait as one message can have, no further reports are taken in: a program that floods the key fills the
/// kernel's queue, and not this process's memory.
struct ReportLoop: Sendable {
    /// The end of a loop.
    struct End: Sendable {
        /// The reason; nil if it was told to end.
        let failure: SecurityKeyError?
        /// The request that was being answered.
        let lastRequest: Task<Void, Never>?
    }

    /// The time between two reports: that of many keys on a bus.
    static let pace = Duration.milliseconds(4)
    /// The reports that may wait to be sent while others are taken in.
    static let maxPendingCount = 129
    /// The reports that are taken in before time counts again: the kernel's queue.
    private static let maxBatch = 32

    private struct Running {
        let id: CTAPHIDDevice.Request.ID
        let task: Task<Void, Never>
    }

    private let channel: any ReportChannel
    private let application: any SecurityKeyApplication
    private let inbox: AnswerInbox
    private let start: @Sendable () -> Void
    private let wink: @Sendable () -> Void
    private var device: CTAPHIDDevice
    private var pending: ArraySlice<[UInt8]> = []
    private var nextReport = Duration.zero
    private var running: Running?
    private let origin = ContinuousClock.now

    init(
        channel: any ReportChannel, application: any SecurityKeyApplication, inbox: AnswerInbox,
        device: CTAPHIDDevice, start: @escaping @Sendable () -> Void, wink: @escaping @Sendable () -> Void
    ) {
        self.channel = channel
        self.application = application
        self.inbox = inbox
        self.device = device
        self.start = start
        self.wink = wink
    }

    /// Runs until it is told to end, or the channel ends.
    consuming func run() -> End {
        do throws(SecurityKeyError) {
            while let messages = inbox.take() {
                for message in messages { receive(message) }
                try takeReports()
                carryOut(device.advance(to: now))
                try sendReport()
                PollThread.poll(
                    [(inbox.file, Int32(POLLIN)), (takesReports ? channel.file : -1, Int32(POLLIN))], atMost: limit)
            }
            return End(failure: nil, lastRequest: running?.task)
        } catch {
            return End(failure: error, lastRequest: running?.task)
        }
    }

    private var now: Duration { origin.duration(to: .now) }

    private var takesReports: Bool { pending.count < Self.maxPendingCount }

    /// The longest time until there is something to do; nil if only events matter.
    private var limit: Duration? {
        let next = [pending.isEmpty ? nil : nextReport, device.deadline].compactMap { $0 }.min()
        return next.map { max(.zero, $0 - now) }
    }

    /// The time at which a report came that was found in a queue: however late this process is, its message was not
    /// given up before.
    private var arrival: Duration { device.messageDeadline.map { min(now, $0 - .milliseconds(1)) } ?? now }

    private mutating func takeReports() throws(SecurityKeyError) {
        for _ in 0..<Self.maxBatch where takesReports {
            guard let event = try channel.next() else { return }
            switch event {
            case .started: start()
            case .report(let report): carryOut(device.receive(report, at: arrival))
            case .closed: carryOut(device.close())
            case .other: break
            }
        }
    }

    private mutating func sendReport() throws(SecurityKeyError) {
        guard let report = pending.first, nextReport <= now else { return }
        if try channel.send(report) { pending = pending.dropFirst() }
        nextReport = now + Self.pace
    }

    private mutating func receive(_ message: AnswerInbox.Message) {
        switch message {
        case .status(let status, let id): carryOut(device.setStatus(status, of: id, at: now))
        case .answer(let response, let id):
            running = nil
            carryOut(device.answer(id, with: response, at: now))
        }
    }

    private mutating func carryOut(_ actions: [CTAPHIDDevice.Action]) {
        for action in actions {
            switch action {
            case .send(let report): pending.append(report)
            // There is none before it: the device has waited for its answer.
            case .process(let request): answer(request)
            case .cancel(let id), .abandon(let id): if running?.id == id { running?.task.cancel() }
            case .wink: wink()
            }
        }
    }

    private mutating func answer(_ request: CTAPHIDDevice.Request) {
        let id = request.id
        let task = Task { [application, inbox] in
            let sorted = SortedRequest.sorted(request.payload)
            let response = await application.respond(to: sorted) { inbox.put(.status($0, id)) }
            inbox.put(.answer(response, id))
        }
        running = Running(id: id, task: task)
    }
}
