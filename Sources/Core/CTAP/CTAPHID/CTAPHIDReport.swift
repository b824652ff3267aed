/// The lengths of reports, which a device and its host send each other (CTAP 2.1 section 11.2.4).
package enum CTAPHIDReport {
    /// The length of a report, in both directions (HT-HID-1). The number of a report, which some systems put in front
    /// of it, is not part of it.
    package static let byteCount = 64

    /// The place of the command, or of the number of a continuation packet.
    static let kindOffset = CTAPHIDChannel.byteCount
    /// Channel, command and the 2 bytes of the payload's length.
    static let initializationHeadByteCount = kindOffset + 3
    /// Channel and number.
    static let continuationHeadByteCount = kindOffset + 1
    /// The most continuation packets that a message can have: their numbers are 0 to 127.
    static let maximumContinuationCount = 128
    static let initializationDataByteCount = byteCount - initializationHeadByteCount
    static let continuationDataByteCount = byteCount - continuationHeadByteCount
}
