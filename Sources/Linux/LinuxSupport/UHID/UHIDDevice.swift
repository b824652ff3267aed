internal import Glibc
package import SystemPackage

/// A HID device that the kernel makes for this process (/dev/uhid), and takes away when this is gone.
///
/// Programs see it as any other, at /dev/hidraw…. The kernel's queues are short, and it drops reports without an error
/// when they are full. It holds 64 input reports for each program that has the device open: send long messages no
/// faster than a device on a bus would, a report each few milliseconds. It holds 32 output reports for this process: a
/// security key whose getInfo says so (maxMsgSize) gets no message of more, 1,886 bytes, and one that announces more
/// must read at once.
package final class UHIDDevice: Sendable {
    /// The path of the kernel's interface.
    package static let path = "/dev/uhid"
    /// More than an event has.
    private static let eventByteCount = 8_192

    private let descriptor: FileDescriptor

    /// The file to poll: readable when ``next()`` has an event.
    package var file: Int32 { descriptor.rawValue }

    /// Makes a device.
    ///
    /// - Parameters:
    ///   - device: its description for programs.
    ///   - path: the kernel's interface.
    /// - Throws: `notAvailable`, `notPermitted`, `tooLong`, `failed`.
    package convenience init(_ device: HIDDevice, at path: String = UHIDDevice.path) throws(UHIDError) {
        let opened: FileDescriptor
        do {
            opened = try FileDescriptor.open(FilePath(path), .readWrite, options: [.closeOnExec, .nonBlocking])
        } catch let error as Errno {
            throw Self.openingError(error, path)
        } catch {
            throw UHIDError(.failed, reason: "\(path): \(error)")
        }
        try self.init(device, taking: opened)
    }

    /// Makes a device by a file that is open, does not block, and is closed in the end.
    ///
    /// - Throws: `tooLong`, `failed`.
    package init(_ device: HIDDevice, taking descriptor: FileDescriptor) throws(UHIDError) {
        self.descriptor = descriptor
        try write(try UHIDRequest.create(device))
    }

    deinit {
        // Closing it would do; so programs learn at once.
        _ = UHIDRequest.destroy.withUnsafeBytes { Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
        close(descriptor.rawValue)
    }

    private static func openingError(_ error: Errno, _ path: String) -> UHIDError {
        switch error {
        case .noSuchFileOrDirectory, .noSuchAddressOrDevice, .operationNotSupportedByDevice:
            UHIDError(.notAvailable, reason: "\(path): \(error)")
        case .permissionDenied, .notPermitted: UHIDError(.notPermitted, reason: "\(path): \(error)")
        default: UHIDError(.failed, reason: "\(path): \(error)")
        }
    }

    /// The next event; nil if there is none yet.
    ///
    /// - Throws: `failed`.
    package func next() throws(UHIDError) -> UHIDEvent? {
        while true {
            var result = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.eventByteCount) { buffer, count in
                result = Glibc.read(descriptor.rawValue, buffer.baseAddress, buffer.count)
                count = max(0, result)
            }
            guard result < 0 else {
                guard let event = UHIDEvent(bytes) else {
                    throw UHIDError(.failed, reason: "an event of \(bytes.count) bytes cannot be read")
                }
                return event
            }
            let error = Errno(rawValue: errno)
            switch error {
            case .interrupted: continue
            case .wouldBlock, .resourceTemporarilyUnavailable: return nil
            default: throw UHIDError(.failed, reason: "no event can be read: \(error)")
            }
        }
    }

    /// Sends an input report to all programs that have the device open.
    ///
    /// - Parameter report: up to 4,096 bytes, as the report descriptor says; without a number.
    /// - Throws: `tooLong`; `notStarted` before ``UHIDEvent/start`` and after ``UHIDEvent/stop``; `failed`.
    package func send(_ report: [UInt8]) throws(UHIDError) { try write(try UHIDRequest.input(report)) }

    /// Answers ``UHIDEvent/getReport(_:)`` or ``UHIDEvent/setReport(_:)`` with an error: the program learns EIO.
    ///
    /// - Parameters:
    ///   - id: the event's number.
    ///   - isSetting: true for ``UHIDEvent/setReport(_:)``.
    /// - Throws: `failed`.
    package func refuseReport(_ id: UInt32, isSetting: Bool) throws(UHIDError) {
        try write(UHIDRequest.refusal(id, isSetting: isSetting))
    }

    private func write(_ request: [UInt8]) throws(UHIDError) {
        while true {
            let count = request.withUnsafeBytes { Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
            if count == request.count { return }
            let error = Errno(rawValue: count < 0 ? errno : EIO)
            switch error {
            case .interrupted: continue
            case .invalidArgument where request.starts(with: Self.inputKind):
                throw UHIDError(.notStarted, reason: "a report was sent to a device that is stopped")
            default: throw UHIDError(.failed, reason: "the kernel refuses an event: \(error)")
            }
        }
    }

    private static let inputKind: [UInt8] = [UInt8(UHIDEvent.Kind.input), 0, 0, 0]
}

/// A failure to have the kernel make a HID device, or of the device then.
package typealias UHIDError = CodedError<UHIDErrorCode>

/// The kind of failure.
package enum UHIDErrorCode: String, ErrorCode {
    /// The kernel does not offer /dev/uhid: its module is not there, or not loaded.
    case notAvailable = "not-available"
    /// We may not use it.
    case notPermitted = "not-permitted"
    /// A name, an identifier or the report descriptor is longer than the kernel takes.
    case tooLong = "too-long"
    /// A report was sent while the device was stopped.
    case notStarted = "not-started"
    /// The kernel failed, or ended the device.
    case failed
}

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
