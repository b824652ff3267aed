package import LinuxSupport

extension HIDDevice {
    /// A security key of this project: everything is fixed but its user.
    ///
    /// Its vendor and product, 1209:0001, are the first of those that pid.codes keeps for tests: no key that can be
    /// bought has them, and being no device on a bus it cannot get in the way of one. Its serial number is the user's,
    /// by which a udev rule gives the device to that user alone (tools/installed/udev/69-hybrid-key.rules).
    package static func securityKey(of user: UInt32) -> HIDDevice {
        HIDDevice(
            name: "Hybrid security key", place: "hybrid", serialNumber: "\(user)", bus: .usb, vendor: 0x1209,
            product: 0x0001, descriptor: securityKeyDescriptor)
    }

    /// `HIDReportDescriptor.securityKey` of the module CTAP, which has more than a program of root's should have.
    private static let securityKeyDescriptor: [UInt8] = [
        0x06, 0xD0, 0xF1, 0x09, 0x01, 0xA1, 0x01, 0x09, 0x20, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, 0x40,
        0x81, 0x02, 0x09, 0x21, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, 0x40, 0x91, 0x02, 0xC0,
    ]
}
