/// The contents of one report (CTAP 2.1 section 11.2.4).
enum CTAPHIDPacket {
    /// The first packet of a message.
    struct Initialization {
        let channel: CTAPHIDChannel
        let command: CTAPHIDCommand
        /// The length of the whole message's payload: 0 to 65,535, which may be more than a message can have.
        let byteCount: Int
        /// The bytes behind the head: the payload's first, or all of it with what fills the report.
        let data: ArraySlice<UInt8>
    }

    /// A further packet of a message.
    struct Continuation {
        let channel: CTAPHIDChannel
        /// The number of the packet, 0 to 127.
        let sequence: UInt8
        /// The bytes behind the head.
        let data: ArraySlice<UInt8>
    }

    case initialization(Initialization)
    case continuation(Continuation)

    /// Reads a report; nil if it does not have 64 bytes (HT-HID-1).
    init?(_ report: [UInt8]) {
        guard report.count == CTAPHIDReport.byteCount, let channel = CTAPHIDChannel(leading: report) else { return nil }
        let kind = report[CTAPHIDReport.kindOffset]
        guard kind & CTAPHIDCommand.initializationBit != 0 else {
            self = .continuation(
                Continuation(
                    channel: channel, sequence: kind, data: report[CTAPHIDReport.continuationHeadByteCount...]))
            return
        }
        let lengthOffset = CTAPHIDReport.kindOffset + 1
        self = .initialization(
            Initialization(
                channel: channel, command: CTAPHIDCommand(rawValue: kind),
                byteCount: Int(report[lengthOffset]) << 8 | Int(report[lengthOffset + 1]),
                data: report[CTAPHIDReport.initializationHeadByteCount...]))
    }
}
