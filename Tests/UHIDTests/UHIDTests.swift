import Glibc
import TestPeers
import Testing

@testable import LinuxSupport

@Suite("The kernel's HID devices") struct UHIDTests {
    private static func device(
        name: String = "A key", serialNumber: String = "42", descriptor: [UInt8] = [0xC0]
    ) -> HIDDevice {
        HIDDevice(
            name: name, place: "here", serialNumber: serialNumber, bus: .usb, vendor: 0x1209, product: 0x000A,
            version: 0x0102, descriptor: descriptor)
    }

    @Test("are asked for in the fields of linux/uhid.h")
    func create() throws {
        let request = try UHIDRequest.create(Self.device())
        #expect(request.count == 4 + 128 + 64 + 64 + 2 + 2 + 4 * 4 + 1)
        #expect(request.prefix(4) == [11, 0, 0, 0])
        #expect(Array(request.dropFirst(4).prefix(6)) == Array("A key\0".utf8))
        #expect(Array(request.dropFirst(132).prefix(5)) == Array("here\0".utf8))
        #expect(Array(request.dropFirst(196).prefix(3)) == Array("42\0".utf8))
        #expect(
            Array(request.dropFirst(260))
                == bytes("0100 0300 09120000 0a000000 02010000 00000000 c0"))
    }

    @Test("have names and descriptors of limited length")
    func limits() throws {
        _ = try UHIDRequest.create(Self.device(name: String(repeating: "a", count: 127)))
        for device in [
            Self.device(name: String(repeating: "a", count: 128)),
            Self.device(serialNumber: String(repeating: "1", count: 64)),
            Self.device(descriptor: [UInt8](repeating: 0, count: 4_097)),
        ] {
            #expect(throws: UHIDError(.tooLong, reason: "")) { try UHIDRequest.create(device) }
        }
        #expect(throws: UHIDError(.tooLong, reason: "")) {
            try UHIDRequest.input([UInt8](repeating: 0, count: 4_097))
        }
    }

    @Test("are sent reports and refusals")
    func requests() throws {
        #expect(try UHIDRequest.input([1, 2, 3]) == bytes("0c000000 0300 010203"))
        #expect(UHIDRequest.refusal(7, isSetting: false) == bytes("0a000000 07000000 0500 0000"))
        #expect(UHIDRequest.refusal(7, isSetting: true) == bytes("0e000000 07000000 0500"))
        #expect(UHIDRequest.destroy == bytes("01000000"))
    }

    @Test("tell what happens to them")
    func events() {
        let simple: [(UInt8, UHIDEvent)] = [
            (2, .start), (3, .stop), (4, .open), (5, .close), (200, .other),
        ]
        for (kind, event) in simple {
            #expect(UHIDEvent([kind, 0, 0, 0] + [UInt8](repeating: 9, count: 4_376)) == event)
        }
        #expect(UHIDEvent(bytes("09000000 07000000 00 01")) == .getReport(7))
        #expect(UHIDEvent(bytes("0d000000 08000000 00 01 0000")) == .setReport(8))
        // The number of the report, 0, stands in front of it.
        let data: [UInt8] = [0, 1, 2] + [UInt8](repeating: 0, count: 4_093)
        #expect(UHIDEvent(bytes("06000000") + data + [3, 0, 1]) == .output([1, 2]))
        #expect(UHIDEvent(bytes("06000000") + data + [0, 0, 1]) == .output([]))
        #expect(UHIDEvent(bytes("06000000") + data + [1, 0x10, 1]) == nil)
    }

    @Test("cannot be told of in fewer bytes", arguments: ["", "060000", "06000000", "09000000070000", "0d000000"])
    func short(event: String) { #expect(UHIDEvent(bytes(event)) == nil) }

    @Test("are not to be had where the kernel has no interface, or another file is there")
    func unavailable() throws {
        #expect(throws: UHIDError(.notAvailable, reason: "")) { try UHIDDevice(Self.device(), at: "/dev/no-uhid") }
        #expect(throws: UHIDError(.failed, reason: "")) { try UHIDDevice(Self.device(), at: "/dev") }
        #expect(throws: UHIDError(.failed, reason: "")) { try UHIDDevice(Self.device(), at: "/dev/full") }
        let error = UHIDError(.failed, reason: "so")
        #expect(error.description == "failed: so")
        // A file that takes everything, and says nothing.
        let device = try UHIDDevice(Self.device(), at: "/dev/null")
        try device.send([1])
        try device.refuseReport(1, isSetting: true)
        #expect(throws: UHIDError(.failed, reason: "")) { try device.next() }
    }
}
