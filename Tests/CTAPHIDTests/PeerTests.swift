import CTAP
import Foundation
import KeyBroker
import LinuxSupport
import TestPeers
import Testing

/// python-fido2 as host (Peers/host.py).
@Suite("A security key and python-fido2", .timeLimit(.minutes(5))) struct PeerTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers/host.py")
    private static let getInfo: UInt8 = 0x04
    private static let success: UInt8 = 0x00
    private static let keepAliveCancel: UInt8 = 0x2D
    /// `{1: ["FIDO_2_1"], 3: h'00…00'}`
    private static let info = bytes("a2 01 81 68") + "FIDO_2_1".utf8 + bytes("03 50") + [UInt8](repeating: 0, count: 16)

    @Test("python-fido2 finds, pings, locks, asks and cancels")
    func host() async throws {
        let command = ["python3", Self.script.path, hex(HIDDevice.securityKeyDescriptor)]
        let (last, winkCount) = try await ChildProcess.with(command) { host in
            var device = CTAPHIDDevice(version: CTAPHIDDeviceVersion(major: 1, minor: 2, build: 3), canWink: true)
            var time = Duration.zero
            var winkCount = 0
            var last = ""
            for await line in host.lines {
                last = line
                guard line != "ok" else { break }
                time += .milliseconds(1)
                var actions = device.receive(bytes(line), at: time)
                while !actions.isEmpty {
                    switch actions.removeFirst() {
                    case .send(let report): try host.write(hex(report))
                    case .process(let request) where request.payload == [Self.getInfo]:
                        actions += device.answer(request.id, with: [Self.success] + Self.info, at: time)
                    case .process(let request):
                        actions += device.setStatus(.userPresenceNeeded, of: request.id, at: time)
                    case .cancel(let id): actions += device.answer(id, with: [Self.keepAliveCancel], at: time)
                    case .abandon: Issue.record("nothing is abandoned")
                    case .wink: winkCount += 1
                    }
                }
            }
            return (last, winkCount)
        }
        #expect(last == "ok")
        #expect(winkCount == 1)
    }
}
