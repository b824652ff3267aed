/// Reads a capture from bytes that come in pieces: btsnoop, pcap or pcapng.
///
/// Its memory is bounded by one piece and the longest record, 256 KiB; blocks of pcapng that it does not know are
/// skipped unheld, whatever their length.
package struct CaptureReader {
    /// The longest packet: that of libpcap, which Wireshark takes too.
    package static let longestPacket = 1 << 18
    /// The number of bytes that tell the format.
    package static let magicByteCount = 8

    private var buffer: [UInt8] = []
    private var position = 0
    private var skipCount = 0
    /// The place in the file of the buffer's first byte.
    private var bufferOffset = 0
    private var format: any CaptureFormat

    /// Takes the format from the first bytes of a file, which have to be appended too.
    ///
    /// - Parameter start: 8 bytes or more.
    /// - Returns: nil if they are not a capture's.
    package init?(start: [UInt8]) {
        guard let format = Self.format(start) else { return nil }
        self.format = format
    }

    private static func format(_ start: [UInt8]) -> (any CaptureFormat)? {
        if start.starts(with: Btsnoop.magic) { return Btsnoop() }
        if start.starts(with: Pcapng.magic) { return Pcapng() }
        return Pcap(magic: Array(start.prefix(4)))
    }

    /// The name of the format.
    package var formatName: String { format.name }

    /// Takes the next bytes of the file.
    package mutating func append(_ bytes: [UInt8]) {
        bufferOffset += position
        buffer.removeFirst(position)
        position = 0
        buffer += bytes
    }

    /// The number of the file's bytes that have been read.
    package var offset: Int { bufferOffset + position }

    /// True if the file may end here.
    package var isBetweenRecords: Bool { position == buffer.count && skipCount == 0 && format.hasBegun }

    /// Reads the next packet.
    ///
    /// - Returns: nil if more bytes are needed.
    /// - Throws: ``CaptureError``; nothing can be read after that.
    package mutating func next() throws(CaptureError) -> CapturedPacket? {
        while true {
            let skipped = min(skipCount, buffer.count - position)
            skipCount -= skipped
            position += skipped
            guard skipCount == 0 else { return nil }
            let step: CaptureStep
            do throws(CaptureFault) {
                step = try format.step(buffer[position...])
            } catch {
                throw CaptureError(.malformed, reason: error.reason, offset: offset)
            }
            switch step {
            case .incomplete: return nil
            case .passed(let count): position += count
            case .skip(let count): skipCount = count
            case .packet(let packet, let count):
                position += count
                return packet
            }
        }
    }
}

/// One step through a file.
enum CaptureStep {
    /// More bytes are needed.
    case incomplete
    /// A header of so many bytes was read.
    case passed(Int)
    /// So many bytes are of no interest, and need not be there yet.
    case skip(Int)
    /// A packet was read, of so many bytes with its header.
    case packet(CapturedPacket, Int)
}

/// Reason why a record cannot be read.
struct CaptureFault: Error { let reason: String }

/// A format of captures: reads the header or record at the beginning of some bytes.
protocol CaptureFormat {
    var name: String { get }
    /// True if the file's header was read.
    var hasBegun: Bool { get }
    mutating func step(_ bytes: ArraySlice<UInt8>) throws(CaptureFault) -> CaptureStep
}

func checkLength(_ count: UInt32, of original: UInt32) throws(CaptureFault) -> (Int, Int) {
    let (count, original) = (Int(count), Int(original))
    guard count <= CaptureReader.longestPacket else {
        throw CaptureFault(reason: "a packet of \(count) bytes, and \(CaptureReader.longestPacket) are the most")
    }
    return (count, max(0, original - count))
}
