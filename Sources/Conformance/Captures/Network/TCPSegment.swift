/// A segment of a TCP connection, from a captured frame (RFC 9293, RFC 791, RFC 8200).
struct TCPSegment {
    /// One end of a connection.
    struct Endpoint: Hashable {
        /// 4 or 16 bytes.
        let address: [UInt8]
        let port: UInt16
    }

    let source: Endpoint
    let destination: Endpoint
    let sequence: UInt32
    let begins: Bool
    let ends: Bool
    let payload: ArraySlice<UInt8>

    private enum Flag {
        static let fin: UInt8 = 1
        static let syn: UInt8 = 2
        static let reset: UInt8 = 4
    }

    private static let tcp: UInt8 = 6
    private static let typeOfIPv4: UInt16 = 0x0800
    private static let typeOfIPv6: UInt16 = 0x86DD
    private static let vlanTypes: Set<UInt16> = [0x8100, 0x88A8]
    /// Headers of IPv6 that come before TCP: hop by hop, routing, destination.
    private static let extensions: Set<UInt8> = [0, 43, 60]

    /// Reads a frame of a network's link types; nil for anything but TCP over IP, and for fragments.
    init?(_ packet: CapturedPacket) {
        var reader = ByteReader(packet.bytes)
        switch packet.linkType {
        case .ethernet:
            guard reader.take(12) != nil, var type = reader.bigEndian(UInt16.self) else { return nil }
            while Self.vlanTypes.contains(type) {
                guard reader.take(2) != nil, let next = reader.bigEndian(UInt16.self) else { return nil }
                type = next
            }
            guard type == Self.typeOfIPv4 || type == Self.typeOfIPv6 else { return nil }
        case .linuxCooked: guard reader.take(16) != nil else { return nil }
        case .linuxCooked2: guard reader.take(20) != nil else { return nil }
        default: break
        }
        guard let version = reader.rest.first else { return nil }
        switch version >> 4 {
        case 4: self.init(ipv4: reader)
        case 6: self.init(ipv6: reader)
        default: return nil
        }
    }

    private init?(ipv4 packet: ByteReader) {
        var reader = packet
        guard let first = reader.byte(), reader.byte() != nil, let length = reader.bigEndian(UInt16.self),
            reader.take(2) != nil, let fragment = reader.bigEndian(UInt16.self), fragment & 0x3FFF == 0,
            reader.byte() != nil, reader.byte() == Self.tcp, reader.take(2) != nil,
            let source = reader.take(4), let destination = reader.take(4)
        else { return nil }
        let headByteCount = Int(first & 0x0F) * 4
        // A length of 0 is that of a packet that the network card would have cut into smaller ones.
        let byteCount = length == 0 ? packet.count : Int(length)
        guard headByteCount >= 20, headByteCount <= byteCount, byteCount <= packet.count,
            reader.take(headByteCount - 20) != nil, let segment = reader.take(byteCount - headByteCount)
        else { return nil }
        self.init(segment, from: source, to: destination)
    }

    private init?(ipv6 packet: ByteReader) {
        var reader = packet
        guard reader.take(4) != nil, let length = reader.bigEndian(UInt16.self), var next = reader.byte(),
            reader.byte() != nil, let source = reader.take(16), let destination = reader.take(16),
            let contents = length == 0 ? reader.rest : reader.take(Int(length))
        else { return nil }
        var body = ByteReader(contents)
        while Self.extensions.contains(next) {
            guard let following = body.byte(), let count = body.byte(), body.take(6 + 8 * Int(count)) != nil else {
                return nil
            }
            next = following
        }
        guard next == Self.tcp else { return nil }
        self.init(body.rest, from: source, to: destination)
    }

    private init?(_ segment: ArraySlice<UInt8>, from source: ArraySlice<UInt8>, to destination: ArraySlice<UInt8>) {
        var reader = ByteReader(segment)
        guard let from = reader.bigEndian(UInt16.self), let to = reader.bigEndian(UInt16.self),
            let sequence = reader.bigEndian(UInt32.self), reader.take(4) != nil, let offset = reader.byte(),
            let flags = reader.byte(), reader.take(6) != nil, reader.take(Int(offset >> 4) * 4 - 20) != nil
        else { return nil }
        self.source = Endpoint(address: Array(source), port: from)
        self.destination = Endpoint(address: Array(destination), port: to)
        begins = flags & Flag.syn != 0
        ends = flags & (Flag.fin | Flag.reset) != 0
        self.sequence = begins ? sequence &+ 1 : sequence
        payload = reader.rest
    }
}

/// Puts the segments of one direction in order. The segments that wait for an earlier one are bounded.
struct TCPOrder {
    private var next: UInt32?
    private var waiting: [UInt32: [UInt8]] = [:]
    private(set) var heldByteCount = 0

    private static let maxHeldByteCount = 1 << 18
    private static let maxWaiting = 256

    /// Takes a segment.
    ///
    /// - Returns: the bytes that are in order now; nil if too many wait: something is missing.
    mutating func take(_ segment: TCPSegment) -> [UInt8]? {
        if segment.begins || next == nil { next = segment.sequence }
        guard !segment.payload.isEmpty else { return [] }
        let replaced = waiting.updateValue(Array(segment.payload), forKey: segment.sequence)
        heldByteCount += segment.payload.count - (replaced?.count ?? 0)
        guard heldByteCount <= Self.maxHeldByteCount, waiting.count <= Self.maxWaiting else { return nil }
        var bytes: [UInt8] = []
        while let position = next {
            // One that begins earlier, a repetition, is taken from where it is new.
            let found = waiting.first { Int32(bitPattern: position &- $0.key) >= 0 }
            guard let (start, segment) = found else { break }
            waiting[start] = nil
            heldByteCount -= segment.count
            let known = Int(position &- start)
            guard known < segment.count else { continue }
            bytes += segment.dropFirst(known)
            next = start &+ UInt32(truncatingIfNeeded: segment.count)
        }
        return bytes
    }
}
