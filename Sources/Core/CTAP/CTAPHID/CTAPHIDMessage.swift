/// A message of a host or a device, which one or more reports carry together (CTAP 2.1 section 11.2.4).
package struct CTAPHIDMessage: Sendable, Equatable {
    /// The longest payload: 7,609 bytes (HT-HID-5).
    package static let maximumByteCount =
        CTAPHIDReport.initializationDataByteCount
        + CTAPHIDReport.maximumContinuationCount * CTAPHIDReport.continuationDataByteCount

    /// The channel.
    package let channel: CTAPHIDChannel
    /// The command.
    package let command: CTAPHIDCommand
    /// 0 to 7,609 bytes.
    package let payload: [UInt8]

    /// Makes a message.
    ///
    /// - Throws: `tooLong` for a payload of more than 7,609 bytes.
    package init(channel: CTAPHIDChannel, command: CTAPHIDCommand, payload: [UInt8]) throws(CTAPHIDError) {
        guard payload.count <= Self.maximumByteCount else {
            throw CTAPHIDError(
                .tooLong, reason: "\(payload.count) bytes: a message has at most \(Self.maximumByteCount)")
        }
        self.init(channel, command, payload)
    }

    /// Makes a message whose payload is known to be short enough.
    init(_ channel: CTAPHIDChannel, _ command: CTAPHIDCommand, _ payload: [UInt8] = []) {
        self.channel = channel
        self.command = command
        self.payload = payload
    }

    /// The message as reports of 64 bytes each, 1 to 129, in the order in which they are sent (HT-HID-3 to HT-HID-6).
    package var reports: [[UInt8]] {
        let count = payload.count
        let head = [
            command.rawValue | CTAPHIDCommand.initializationBit, UInt8(truncatingIfNeeded: count >> 8),
            UInt8(truncatingIfNeeded: count),
        ]
        let first = payload.prefix(CTAPHIDReport.initializationDataByteCount)
        var reports = [Self.filled(channel.bytes + head + first)]
        var rest = payload.dropFirst(first.count)
        while !rest.isEmpty {
            let sequence = UInt8(truncatingIfNeeded: reports.count - 1)
            let data = rest.prefix(CTAPHIDReport.continuationDataByteCount)
            reports.append(Self.filled(channel.bytes + [sequence] + data))
            rest = rest.dropFirst(data.count)
        }
        return reports
    }

    /// Bytes with the zeros that make a report of them.
    private static func filled(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: CTAPHIDReport.byteCount - bytes.count)
    }
}

/// A message of which not all packets have come.
struct PartialMessage: Sendable {
    let channel: CTAPHIDChannel
    let command: CTAPHIDCommand
    private let byteCount: Int
    private var payload: [UInt8]
    private var nextSequence = 0

    /// Begins with a message's first packet.
    ///
    /// - Throws: `tooLong` for a message of more than 7,609 bytes (HT-HID-5).
    init(_ packet: CTAPHIDPacket.Initialization) throws(CTAPHIDError) {
        guard packet.byteCount <= CTAPHIDMessage.maximumByteCount else {
            throw CTAPHIDError(.tooLong, reason: "a message of \(packet.byteCount) bytes is announced")
        }
        channel = packet.channel
        command = packet.command
        byteCount = packet.byteCount
        payload = Array(packet.data.prefix(packet.byteCount))
    }

    /// The bytes that are held.
    var heldByteCount: Int { payload.count }

    /// The message, if all of it has come.
    var whole: CTAPHIDMessage? { payload.count == byteCount ? CTAPHIDMessage(channel, command, payload) : nil }

    /// Takes the next packet.
    ///
    /// - Throws: `wrongSequence` if its number is not the next one (HT-HID-4).
    mutating func append(_ packet: CTAPHIDPacket.Continuation) throws(CTAPHIDError) {
        guard Int(packet.sequence) == nextSequence else {
            throw CTAPHIDError(.wrongSequence, reason: "packet \(packet.sequence) instead of \(nextSequence)")
        }
        nextSequence += 1
        payload += packet.data.prefix(byteCount - payload.count)
    }
}
