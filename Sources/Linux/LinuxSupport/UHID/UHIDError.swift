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
