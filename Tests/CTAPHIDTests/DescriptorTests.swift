import CTAP
import KeyBroker
import LinuxSupport
import TestPeers
import Testing

@Suite("A report descriptor") struct HIDReportDescriptorTests {
    private static let ours = hex(HIDDevice.securityKeyDescriptor)

    @Test("of ours is a security key's, with reports of 64 bytes (HT-HID-32)")
    func securityKey() {
        let reports = HIDReportDescriptor.securityKeyReports(in: HIDDevice.securityKeyDescriptor)
        #expect(reports?.input == 64)
        #expect(reports?.output == 64)
        #expect(HIDDevice.securityKeyDescriptor.count == 34)
    }

    @Test(
        "is a security key's by its usage (HT-HID-33)",
        arguments: [
            // With a keyboard before it; its usage with the page in it; its globals saved and brought back.
            "05010906a101c0" + ours, "0bd0d1f1ffa101c0".replacing("0bd0d1f1ff", with: "0b0100d0f1") + ours,
            "a4" + ours.replacing("a101", with: "a101a40501b4"), "fe0201aabb" + ours,
            // Two usages: the first counts.
            ours.replacing("0901a101", with: "09010902a101"),
        ])
    func found(descriptor: String) {
        #expect(HIDReportDescriptor.securityKeyReports(in: bytes(descriptor)) != nil)
    }

    @Test(
        "is not a security key's otherwise",
        arguments: [
            "", "00", "c0", "c0" + ours, "b4", "06d0", "fe", "fe05", "fe050000", "05010906a101c0",
            // Another page, usage, or kind of collection; inside another; not closed; without one of its reports.
            ours.replacing("06d0f1", with: "06d1f1"), ours.replacing("0901a101", with: "0902a101"),
            ours.replacing("a101", with: "a100"), "a101" + ours + "c0", String(ours.dropLast(2)),
            ours.replacing("8102", with: ""), ours.replacing("9102", with: ""),
            // Numbered, too long, or saved too often.
            ours.replacing("a101", with: "a1018501"), ours.replacing("7508", with: "77ffffffff"),
            ours.replacing("9540", with: "97ffffffff"), ours.replacing("9540", with: "96ffff"),
            String(repeating: "a4", count: 17) + ours,
        ])
    func notFound(descriptor: String) {
        #expect(HIDReportDescriptor.securityKeyReports(in: bytes(descriptor)) == nil)
    }

    @Test("counts no reports of what stands behind the key")
    func keyboardBehind() {
        let both = bytes(Self.ours + "05010906a101750895088102c0")
        #expect(HIDReportDescriptor.securityKeyReports(in: both)?.input == 64)
    }

    @Test("counts the bytes of reports that are not whole bytes long")
    func bits() {
        let odd = bytes(Self.ours.replacing("7508", with: "7503"))
        #expect(HIDReportDescriptor.securityKeyReports(in: odd)?.input == 24)
    }
}
