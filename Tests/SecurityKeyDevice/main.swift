// A security key of the kernel's (/dev/uhid), without an authenticator behind it: for tools/lab/checks/security-key.
//
//     security-key-device
//
// Says `ready` when the key is there, `wink` when it is asked to show itself, and ends when its standard input does. It
// answers authenticatorGetInfo with one version, authenticatorSelection not before it is cancelled, the first command
// of makers with as much as a message can have, and other requests with CTAP1_ERR_INVALID_COMMAND.

import CTAP
import Glibc
import KeyBroker
import LinuxSupport

let getInfo: UInt8 = 0x04
let selection: UInt8 = 0x0B
let vendorFirst: UInt8 = 0x40
let invalidCommand: UInt8 = 0x01
let keepAliveCancel: UInt8 = 0x2D
/// `{1: ["FIDO_2_1"], 3: h'00…00'}` behind the status.
let info: [UInt8] =
    [0x00, 0xA2, 0x01, 0x81, 0x68] + Array("FIDO_2_1".utf8) + [0x03, 0x50] + [UInt8](repeating: 0, count: 16)
/// The time between two reports: that of many keys on a bus.
let pace = Duration.milliseconds(4)

func say(_ line: String) {
    var bytes = Array((line + "\n").utf8)
    guard write(STDOUT_FILENO, &bytes, bytes.count) == bytes.count else { exit(2) }
}

/// The key, and the reports that have still to be sent.
struct SecurityKey {
    let device: UHIDDevice
    private var state = CTAPHIDDevice(version: CTAPHIDDeviceVersion(major: 1, minor: 2, build: 3), canWink: true)
    private var reports: [[UInt8]] = []
    private var nextReport = Duration.zero
    private let start = ContinuousClock.now

    init() throws {
        device = try UHIDDevice(
            HIDDevice(
                name: "Hybrid security key", place: "uhid", serialNumber: "1", bus: .usb, vendor: 0x1209,
                product: 0x0001,
                descriptor: HIDDevice.securityKeyDescriptor))
    }

    private var now: Duration { start.duration(to: .now) }

    /// The longest time until ``proceed()`` has something to do; nil if only events matter.
    var limit: Duration? {
        let next = [reports.isEmpty ? nil : nextReport, state.deadline].compactMap { $0 }.min()
        return next.map { max(.zero, $0 - now) }
    }

    mutating func proceed() throws {
        while let event = try device.next() {
            switch event {
            case .output(let report): carryOut(state.receive(report, at: arrival))
            case .close: carryOut(state.close())
            case .getReport(let id): try device.refuseReport(id, isSetting: false)
            case .setReport(let id): try device.refuseReport(id, isSetting: true)
            case .start: say("ready")
            case .stop, .open, .other: break
            }
        }
        carryOut(state.advance(to: now))
        if !reports.isEmpty, nextReport <= now {
            try device.send(reports.removeFirst())
            nextReport = now + pace
        }
    }

    /// The time at which a report came that was found in the kernel's queue: however late this process is, its message
    /// was not given up before.
    private var arrival: Duration { state.deadline.map { min(now, $0 - .milliseconds(1)) } ?? now }

    private mutating func carryOut(_ actions: [CTAPHIDDevice.Action]) {
        for action in actions {
            switch action {
            case .send(let report): reports.append(report)
            case .process(let request): carryOut(process(request))
            case .cancel(let id): carryOut(state.answer(id, with: [keepAliveCancel], at: now))
            case .abandon: break
            case .wink: say("wink")
            }
        }
    }

    private mutating func process(_ request: CTAPHIDDevice.Request) -> [CTAPHIDDevice.Action] {
        switch request.payload.first {
        case getInfo: state.answer(request.id, with: info, at: now)
        case selection: state.setStatus(.userPresenceNeeded, of: request.id, at: now)
        case vendorFirst:
            state.answer(request.id, with: (0..<CTAPHIDMessage.maximumByteCount).map { UInt8($0 % 251) }, at: now)
        default: state.answer(request.id, with: [invalidCommand], at: now)
        }
    }
}

do {
    var key = try SecurityKey()
    while true {
        let ready = PollThread.poll(
            [(STDIN_FILENO, Int32(POLLIN)), (key.device.file, Int32(POLLIN))], atMost: key.limit)
        if ready[0] != 0 { exit(0) }
        try key.proceed()
    }
} catch {
    say("error: \(error)")
    exit(1)
}
