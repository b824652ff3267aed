/// A failure to have the kernel make a HID device, or of the device then.
///
/// Two errors are equal if their codes are.
package struct UHIDError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable {
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

    /// The kind of failure.
    package let code: Code
    /// The failure, for people: lower case, one line.
    package let reason: String

    init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// True if both errors have the same code.
    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code and the reason.
    package var description: String { "\(code.rawValue): \(reason)" }
}
