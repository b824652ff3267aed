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
