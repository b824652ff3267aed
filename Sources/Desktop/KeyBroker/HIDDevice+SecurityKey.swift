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

    /// The descriptor of this project's device, 34 bytes (HT-HID-32): one collection of the usage page of the FIDO
    /// Alliance, with one report in each direction, of 64 bytes, without numbers.
    package static let securityKeyDescriptor: [UInt8] = [
        0x06, 0xD0, 0xF1,  // usage page 0xF1D0: FIDO Alliance
        0x09, 0x01,  // usage 0x01: U2F authenticator device
        0xA1, 0x01,  // collection: application
        0x09, 0x20,  // usage 0x20: input report data
        0x15, 0x00,  // logical minimum: 0
        0x26, 0xFF, 0x00,  // logical maximum: 255
        0x75, 0x08,  // report size: 8 bits
        0x95, 64,  // report count
        0x81, 0x02,  // input: data, variable, absolute
        0x09, 0x21,  // usage 0x21: output report data
        0x15, 0x00,  // logical minimum: 0
        0x26, 0xFF, 0x00,  // logical maximum: 255
        0x75, 0x08,  // report size: 8 bits
        0x95, 64,  // report count
        0x91, 0x02,  // output: data, variable, absolute
        0xC0,  // end of the collection
    ]
}
