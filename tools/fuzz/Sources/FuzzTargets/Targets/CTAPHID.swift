internal import CTAP

extension FuzzTarget {
    /// Reports, answers and time in any order: a device sends only whole reports, holds no more than a message and
    /// those that may wait, has the authenticator process one request at a time, and is never left waiting for ever.
    static let ctaphidDevice = FuzzTarget("ctaphid-device", "programs that share a security key", maxByteCount: 8_192) {
        input in
        let kind = input.byte()
        let maxWaitingCount = Int(kind >> 1 & 3)
        var device = CTAPHIDDevice(
            version: CTAPHIDDeviceVersion(major: 1, minor: 0, build: 0), canWink: kind & 1 == 1,
            maxWaitingCount: maxWaitingCount)
        var run = DeviceRun(maxWaitingCount: maxWaitingCount)
        while !input.isEmpty { run.check(step(&device, &run, &input), device) }
        // Whatever was begun ends: by time if it is a message, by its answer if it is a request.
        for _ in 0...maxWaitingCount where run.unanswered != nil { run.check(answer(&device, &run, [0]), device) }
        expect(run.unanswered == nil, "more requests were waiting than may")
        run.time += CTAPHIDDevice.messageTimeout
        run.check(device.advance(to: run.time), device)
        expect(device.deadline == nil, "a device waits for something when nothing can come")
        expect(device.heldByteCount == 0, "a device holds a message that was given up")
    }

    private static func step(
        _ device: inout CTAPHIDDevice, _ run: inout DeviceRun, _ input: inout FuzzInput
    ) -> [CTAPHIDDevice.Action] {
        switch input.number(below: 12) {
        case 0: return device.receive(input.counted(atMost: 80), at: run.time)
        case 1:
            run.time += .milliseconds(input.number(below: 700))
            return device.advance(to: run.time)
        case 2:
            guard run.unanswered != nil else { return [] }
            return answer(&device, &run, input.counted(atMost: 200))
        case 3:
            let id = run.open ?? UInt64(input.byte())
            return device.setStatus(CTAPHIDKeepAliveStatus(rawValue: input.byte() & 3), of: id, at: run.time)
        case 4: return device.receive(head(input.one(of: channels), 0x86, 8) + input.bytes(57), at: run.time)
        case 5:
            let actions = device.close()
            expect(device.deadline == nil, "a device that nobody uses waits for something")
            return actions
        case 6, 7:
            // The next packet, or any.
            let channel = input.one(of: channels)
            return device.receive(head(channel, input.byte() & 0x7F) + input.bytes(59), at: run.time)
        case 8: return whole(&device, run.time, input.one(of: channels), &input)
        default:
            let command = input.one(of: commands)
            let report = head(input.one(of: channels), command, input.number(below: 8_000)) + input.bytes(57)
            return device.receive(report, at: run.time)
        }
    }

    /// The authenticator's answer, which is sent to a program unless the request was abandoned.
    private static func answer(
        _ device: inout CTAPHIDDevice, _ run: inout DeviceRun, _ response: [UInt8]
    ) -> [CTAPHIDDevice.Action] {
        guard let id = run.unanswered else { return [] }
        let isSent = run.open == id
        (run.open, run.unanswered) = (nil, nil)
        let actions = device.answer(id, with: response, at: run.time)
        let isFirstSent = if case .send? = actions.first { true } else { false }
        expect(isFirstSent == isSent, "an answer is \(isSent ? "not sent" : "sent although its request was abandoned")")
        return actions
    }

    /// All reports of one message: a ping that is taken comes back as it was.
    private static func whole(
        _ device: inout CTAPHIDDevice, _ time: Duration, _ channel: UInt32, _ input: inout FuzzInput
    ) -> [CTAPHIDDevice.Action] {
        let payload = filled(input.number(below: 7_610), input.byte())
        guard
            var exchange = try? CTAPHIDExchange(
                channel: CTAPHIDChannel(rawValue: channel), command: .ping, payload: payload)
        else { finding("a message of \(payload.count) bytes cannot be sent") }
        var all: [CTAPHIDDevice.Action] = []
        for report in exchange.reports {
            let actions = device.receive(report, at: time)
            all += actions
            for case .send(let answer) in actions {
                do {
                    if case .response(let found)? = try exchange.receive(answer) {
                        expect(found == payload, "a ping came back as something else")
                    }
                } catch {
                    finding("a device's own report is refused: \(error)")
                }
            }
        }
        return all
    }

    /// Any reports for a host; and messages cut into reports, which arrive as they were.
    static let ctaphidHost = FuzzTarget("ctaphid-host", "a security key's answers and its descriptor") { input in
        switch input.number(below: 3) {
        case 0:
            let descriptor = input.rest()
            if let reports = HIDReportDescriptor.securityKeyReports(in: descriptor) {
                expect(1...16_384 ~= reports.input && 1...16_384 ~= reports.output, "reports of \(reports)")
                let twice = HIDReportDescriptor.securityKeyReports(in: [0x05, 0x01] + descriptor)
                expect(twice == reports, "a page that is set at once changes a security key")
            }
        case 1:
            let payload = filled(input.number(below: 7_610), input.byte())
            var exchange = try CTAPHIDExchange(channel: .broadcast, command: .ping, payload: payload)
            let reports = exchange.reports
            expect(reports.allSatisfy { $0.count == CTAPHIDReport.byteCount }, "a report has another length")
            for report in reports.dropLast() {
                expect(try exchange.receive(report) == nil, "a message is whole too early")
            }
            expect(try exchange.receive(reports[reports.count - 1]) == .response(payload), "a message changed")
        default:
            var exchange = try CTAPHIDExchange(
                initializing: CTAPHIDChannel(rawValue: 1), nonce: [1, 2, 3, 4, 5, 6, 7, 8])
            var isOver = false
            while !input.isEmpty {
                let report = head(1, input.one(of: commands), input.number(below: 300)) + input.bytes(57)
                do {
                    switch try exchange.receive(input.bool() ? report : input.counted(atMost: 66)) {
                    case .response(let payload)?:
                        expect(!isOver, "an exchange ends twice")
                        isOver = true
                        expect(payload.starts(with: [1, 2, 3, 4, 5, 6, 7, 8]), "another program's answer was taken")
                        if let answer = try? CTAPHIDInitialization(payload) {
                            expect(
                                answer.protocolVersion != CTAPHIDInitialization.protocolVersion
                                    || payload.starts(with: answer.bytes), "an answer is written otherwise")
                        }
                    case .refused?:
                        expect(!isOver, "an exchange ends twice")
                        isOver = true
                    case .keepAlive?: expect(!isOver, "a keep-alive after the end")
                    case nil: break
                    }
                } catch {
                    expect(!isOver, "an exchange fails after its end")
                    isOver = true
                }
            }
        }
    }

    private static let channels: [UInt32] = [1, 2, 3, 4, 0, .max, 0x0A0B_0C0D]
    private static let commands: [UInt8] = [0x81, 0x83, 0x84, 0x86, 0x88, 0x90, 0x91, 0xBB, 0xBF, 0xC0, 0x00, 0x01]

    private static func head(_ channel: UInt32, _ kind: UInt8, _ byteCount: Int? = nil) -> [UInt8] {
        let head = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: channel >> $0) } + [kind]
        guard let byteCount else { return head }
        return head + [UInt8(truncatingIfNeeded: byteCount >> 8), UInt8(truncatingIfNeeded: byteCount)]
    }

    private static func filled(_ count: Int, _ seed: UInt8) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 % 253) ^ seed }
    }
}

/// Run of a device so far.
private struct DeviceRun {
    let maxWaitingCount: Int
    var time = Duration.zero
    /// The request that is being processed, and was not abandoned.
    var open: UInt64?
    /// The request that the authenticator has to answer before the next.
    var unanswered: UInt64?
    private var last: UInt64 = 0

    init(maxWaitingCount: Int) { self.maxWaitingCount = maxWaitingCount }

    /// Checks that each of a device's actions is allowed.
    mutating func check(_ actions: [CTAPHIDDevice.Action], _ device: CTAPHIDDevice) {
        for action in actions {
            switch action {
            case .send(let report):
                expect(report.count == CTAPHIDReport.byteCount, "a report of \(report.count) bytes")
            case .process(let request):
                expect(unanswered == nil, "two requests at a time")
                expect(request.id == last + 1, "the requests' numbers do not count")
                expect(1...CTAPHIDMessage.maximumByteCount ~= request.payload.count, "a request of no length")
                (open, unanswered, last) = (request.id, request.id, request.id)
            case .cancel(let id): expect(id == open, "what is not processed is cancelled")
            case .abandon(let id):
                expect(id == open, "what is not processed is abandoned")
                open = nil
                if maxWaitingCount == 0 { unanswered = nil }
            case .wink: break
            }
        }
        expect(
            device.heldByteCount <= (1 + maxWaitingCount) * CTAPHIDMessage.maximumByteCount,
            "more is held than messages can have")
        if let deadline = device.deadline {
            expect(deadline > time, "a deadline that has passed")
            expect(deadline <= time + CTAPHIDDevice.messageTimeout, "a deadline that is far away")
        }
    }
}
