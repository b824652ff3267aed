/// A packet of a capture.
package struct CapturedPacket {
    /// The way that a packet went, seen from the capturing machine.
    package enum Direction: Sendable, Hashable { case sent, received }

    /// Nanoseconds since 1970; nil where the format has no time, or one out of range.
    package let time: Int64?
    package let linkType: LinkType
    /// The number of the interface in a pcapng file, from 0 on over all its sections; otherwise 0.
    package let interface: Int
    /// The way it went, if the format says so.
    package let direction: Direction?
    /// btsnoop's flags; 0 in other formats.
    package let flags: UInt32
    package let bytes: ArraySlice<UInt8>
    /// The number of bytes that the packet had more when it was captured.
    package let missingByteCount: Int

    package init(
        time: Int64?, linkType: LinkType, interface: Int = 0, direction: Direction? = nil, flags: UInt32 = 0,
        bytes: ArraySlice<UInt8>, missingByteCount: Int = 0
    ) {
        self.time = time
        self.linkType = linkType
        self.interface = interface
        self.direction = direction
        self.flags = flags
        self.bytes = bytes
        self.missingByteCount = missingByteCount
    }
}

/// A file that cannot be read as a capture from some place on. It is no `CodedError`, since it has that place: the
/// file's, and not ours.
package struct CaptureError: Error, Sendable, Equatable {
    package enum Code: String, Sendable {
        /// The file does not begin as a capture does.
        case notACapture = "not-a-capture"
        /// A record contradicts itself, or the format.
        case malformed = "malformed-capture"
    }

    package let code: Code
    package let reason: String
    /// The place of the record in the file, in bytes.
    package let offset: Int

    package init(_ code: Code, reason: String, offset: Int) {
        self.code = code
        self.reason = reason
        self.offset = offset
    }
}
