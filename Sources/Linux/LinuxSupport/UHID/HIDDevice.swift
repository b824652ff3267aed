/// Description of a HID device, for programs.
package struct HIDDevice: Sendable {
    /// The bus that the device claims to be on (linux/input.h).
    package enum Bus: UInt16, Sendable {
        /// USB.
        case usb = 0x03
        /// None.
        case virtual = 0x06
    }

    /// The name of maker and product: up to 127 bytes of UTF-8.
    package let name: String
    /// The place of the device: up to 63 bytes.
    package let place: String
    /// Its serial number: up to 63 bytes.
    package let serialNumber: String
    /// Its bus.
    package let bus: Bus
    /// The number of its maker.
    package let vendor: UInt16
    /// The maker's number of the product.
    package let product: UInt16
    /// The version of the product.
    package let version: UInt16
    /// The description of its reports (HID 1.11 section 6.2.2): up to 4,096 bytes. No report has a number.
    package let descriptor: [UInt8]

    /// Describes a device.
    package init(
        name: String, place: String = "", serialNumber: String = "", bus: Bus, vendor: UInt16, product: UInt16,
        version: UInt16 = 0, descriptor: [UInt8]
    ) {
        self.name = name
        self.place = place
        self.serialNumber = serialNumber
        self.bus = bus
        self.vendor = vendor
        self.product = product
        self.version = version
        self.descriptor = descriptor
    }
}
