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

/// The contents of one report (CTAP 2.1 section 11.2.4).
enum CTAPHIDPacket {
    /// The first packet of a message.
    struct Initialization {
        let channel: CTAPHIDChannel
        let command: CTAPHIDCommand
        /// The length of the whole message's payload: 0 to 65,535, which may be more than a message can have.
        let byteCount: Int
        /// The bytes behind the head: the payload's first, or all of it with the report's padding.
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

/// The number of a logical channel (CTAP 2.1 section 11.2.3): 4 bytes, big-endian, at the head of every report.
///
/// All programs that use a device share its reports; each has a channel of its own.
package struct CTAPHIDChannel: RawRepresentable, Hashable, Sendable {
    /// The number.
    package let rawValue: UInt32

    /// Makes a channel of its number.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Channel 0, which is never anybody's (HT-HID-2).
    package static let reserved = Self(rawValue: 0)
    /// The channel on which a program asks for one of its own (HT-HID-2).
    package static let broadcast = Self(rawValue: .max)

    static let byteCount = 4

    /// Reads a channel from the first 4 bytes of a report; nil if there are fewer.
    init?(leading bytes: some Collection<UInt8>) {
        guard bytes.count >= Self.byteCount else { return nil }
        rawValue = bytes.prefix(Self.byteCount).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The 4 bytes.
    var bytes: [UInt8] { (0..<Self.byteCount).reversed().map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) } }
}

/// The channels that a device has given out (HT-HID-11, HT-HID-12).
///
/// They are given out in turn, so that those given out are the numbers up to the last one: however many programs ask,
/// nothing grows, and nobody's channel is taken away. After 4,294,967,294 channels the numbers begin again.
struct ChannelAllocator: Sendable {
    private var last: UInt32
    private var isAroundOnce = false

    /// Makes an allocator that has given out so many channels.
    init(last: UInt32 = 0) { self.last = last }

    /// True if the channel was given out.
    func has(_ channel: CTAPHIDChannel) -> Bool {
        guard channel != .reserved, channel != .broadcast else { return false }
        return isAroundOnce || channel.rawValue <= last
    }

    /// Gives out the next channel.
    ///
    /// - Parameter inUse: channels that must not be given out a second time.
    mutating func allocate(except inUse: Set<CTAPHIDChannel>) -> CTAPHIDChannel {
        repeat {
            if last >= CTAPHIDChannel.broadcast.rawValue - 1 {
                last = 0
                isAroundOnce = true
            }
            last += 1
        } while inUse.contains(CTAPHIDChannel(rawValue: last))
        return CTAPHIDChannel(rawValue: last)
    }
}

/// The hold of one channel on the device (HT-HID-26).
struct ChannelLock: Sendable {
    /// The longest that a program may ask for.
    static let maximumSeconds: UInt8 = 10

    let channel: CTAPHIDChannel
    let end: Duration
}
