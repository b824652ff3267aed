import CTAP
import Glibc
import LinuxSupport
import SystemPackage
import TestPeers
import Testing

@testable import KeyBroker

/// The broker between a caller and a file that stands for the kernel's.
private struct Relay {
    let caller: Int32
    let kernel: Int32
    private let end: AsyncStream<String?>

    init() throws {
        let (caller, brokers) = try Programs.pair()
        let (kernel, device) = try Programs.pair()
        self.caller = caller
        self.kernel = kernel
        let (end, ended) = AsyncStream<String?>.makeStream()
        self.end = end
        _ = fcntl(device, F_SETFL, O_NONBLOCK)
        let made = try UHIDDevice(.securityKey(of: 1_000), taking: FileDescriptor(rawValue: device))
        try PollThread.start {
            ended.yield(BrokerRelay(between: brokers, and: made).run())
            ended.finish()
            close(brokers)
        }
        let request = try #require(Self.take(kernel))
        #expect(Array(request.prefix(4)) == [11, 0, 0, 0])
        #expect(request.count == 280 + HIDDevice.securityKeyDescriptor.count)
    }

    /// The next message at one of the files; nil if the other side is gone.
    static func take(_ file: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 8_192)
        PollThread.poll([(file, Int32(POLLIN))], atMost: .seconds(60))
        let count = recv(file, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    /// An event of the kernel.
    func tell(_ kind: UInt8, _ fields: [UInt8] = []) {
        let event = [kind, 0, 0, 0] + fields
        #expect(send(kernel, event, event.count, 0) == event.count)
    }

    /// A report of a program.
    func tell(report: [UInt8]) {
        // Its number, 0, stands in front of it; its length behind the field.
        let count = report.count + 1
        tell(
            6, [0] + report + [UInt8](repeating: 0, count: 4_096 - count) + [UInt8(count & 0xFF), UInt8(count >> 8), 1])
    }

    func say(_ message: [UInt8]) { #expect(send(caller, message, message.count, 0) == message.count) }

    func waitForEnd() async -> String? { await end.first { _ in true } ?? nil }
}

@Suite("The broker", .timeLimit(.minutes(5))) struct KeyBrokerTests {
    private static let report = (0..<64).map { UInt8($0) }

    @Test("carries whole reports, and what a key has to know")
    func reports() async throws {
        let relay = try Relay()
        relay.tell(2, [UInt8](repeating: 0, count: 8))
        #expect(Relay.take(relay.caller) == [BrokerNotice.started.rawValue])
        relay.tell(report: Self.report)
        #expect(Relay.take(relay.caller) == Self.report)
        relay.say(Self.report)
        #expect(Relay.take(relay.kernel) == [12, 0, 0, 0, 64, 0] + Self.report)
        // Bytes that are no report of CTAPHID, and a message that no key answers.
        relay.tell(report: [1, 2, 3])
        relay.tell(4)
        relay.tell(9, [7, 0, 0, 0, 0, 0])
        #expect(Relay.take(relay.kernel) == [10, 0, 0, 0, 7, 0, 0, 0, 5, 0, 0, 0])
        relay.tell(13, [8, 0, 0, 0, 0, 0, 1, 0, 0])
        #expect(Relay.take(relay.kernel) == [14, 0, 0, 0, 8, 0, 0, 0, 5, 0])
        relay.tell(5)
        #expect(Relay.take(relay.caller) == [BrokerNotice.closed.rawValue])
        close(relay.caller)
        #expect(await relay.waitForEnd() == nil)
        #expect(Relay.take(relay.kernel) == [1, 0, 0, 0])
        close(relay.kernel)
    }

    @Test("ends with a caller who sends anything else", arguments: [1, 63, 65, 300, 4_380])
    func noReports(count: Int) async throws {
        let relay = try Relay()
        relay.say([11] + [UInt8](repeating: 0, count: count - 1))
        #expect(await relay.waitForEnd() == "the caller sent an invalid report")
        #expect(Relay.take(relay.caller) == nil)
        // Nothing of it has come to the kernel.
        #expect(Relay.take(relay.kernel) == [1, 0, 0, 0])
        close(relay.caller)
        close(relay.kernel)
    }

    @Test("loses nothing to a caller who is slow")
    func slow() async throws {
        let relay = try Relay()
        var size: Int32 = 4_608
        _ = setsockopt(relay.caller, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        let count = 1_000
        let kernel = relay
        try PollThread.start { for number in 0..<count { kernel.tell(report: Self.numbered(number)) } }
        for number in 0..<count { #expect(Relay.take(relay.caller) == Self.numbered(number)) }
        close(relay.caller)
        #expect(await relay.waitForEnd() == nil)
        close(relay.kernel)
    }

    private static func numbered(_ number: Int) -> [UInt8] {
        [UInt8(number & 0xFF), UInt8(number >> 8)] + report.dropFirst(2)
    }

    @Test("ends with the kernel's device")
    func kernelEnds() async throws {
        let relay = try Relay()
        close(relay.kernel)
        #expect(await relay.waitForEnd() != nil)
        #expect(Relay.take(relay.caller) == nil)
        close(relay.caller)
    }

    @Test("knows its caller by the kernel's word")
    func caller() throws {
        let (one, two) = try Programs.pair()
        defer {
            close(one)
            close(two)
        }
        #expect(BrokerCaller(of: one)?.user == getuid())
        #expect(BrokerCaller(of: one)?.groups == [])
        #expect(BrokerCaller(of: one, asksForGroups: true)?.groups.first == getgid())
        #expect(BrokerCaller(of: one)?.isPermitted == (getuid() != BrokerCaller.nobody))
        #expect(BrokerCaller(user: BrokerCaller.nobody).isPermitted == false)
        #expect(BrokerCaller(user: .max).isPermitted == false)
        let pipe = try FileDescriptor.pipe()
        #expect(BrokerCaller(of: pipe.readEnd.rawValue) == nil)
        try pipe.readEnd.close()
        try pipe.writeEnd.close()
        #expect(BrokerCaller(of: -1) == nil)
    }

    @Test("makes devices that differ by their user alone")
    func devices() {
        let device = HIDDevice.securityKey(of: 1_000)
        #expect(device.serialNumber == "1000")
        #expect((device.vendor, device.product) == (0x1209, 0x0001))
        #expect(HIDReportDescriptor.securityKeyReports(in: device.descriptor)?.output == CTAPHIDReport.byteCount)
    }
}
