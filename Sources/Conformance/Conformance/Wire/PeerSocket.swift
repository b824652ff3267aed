internal import Glibc
internal import NIOCore

/// The peer's end of a TCP connection, where it is on this machine: the system lists how many bytes its program
/// has not read.
///
/// That says more than an acknowledgement, which comes from the peer's system.
enum PeerSocket {
    private static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    /// The prefix of an IPv4 address in the table of IPv6, as proc(5) writes it.
    private static let mappedPrefix = "0000000000000000FFFF0000"
    /// The characters between the addresses and the length of the receive queue: state and send queue.
    private static let offset = "01 00000000:".count
    private static let lengthDigitCount = 8
    /// 16 MiB: some 110,000 sockets, with those that wait for their time to be over. The unused part costs nothing.
    private static let longestTable = 1 << 24

    /// The number of bytes that the peer's program has not read yet.
    ///
    /// - Returns: nil if the system does not list the socket: it is on another machine, or gone.
    static func unreadByteCount(_ channel: any Channel) -> Int? {
        guard let ours = channel.localAddress.flatMap(name), let theirs = channel.remoteAddress.flatMap(name) else {
            return nil
        }
        let mapped = "\(mappedPrefix)\(theirs) \(mappedPrefix)\(ours) "
        let rows = ["\(theirs) \(ours) ", mapped]
        for table in tables {
            let table = contents(of: table)
            for row in rows {
                if let count = unreadByteCount(table, after: " \(row)") { return count }
            }
        }
        return nil
    }

    /// The bytes of a table, which the system gives in parts, and a zero byte; that alone if it cannot be read.
    private static func contents(of path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        return [UInt8](unsafeUninitializedCapacity: longestTable) { bytes, count in
            while let start = bytes.baseAddress, case let more = read(file, start + count, bytes.count - 1 - count),
                more > 0
            {
                count += more
            }
            bytes[count] = 0
            count += 1
        }
    }

    private static func unreadByteCount(_ table: [UInt8], after row: String) -> Int? {
        // Searched by the library: a table may have thousands of rows.
        let found: Int? = table.withUnsafeBytes { table in
            guard let start = table.bindMemory(to: CChar.self).baseAddress else { return nil }
            return strstr(start, row).map { UnsafePointer($0) - start }
        }
        guard let found else { return nil }
        let digits = table.dropFirst(found + row.utf8.count + offset).prefix(lengthDigitCount)
        return Int(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    /// An address and port as the tables have them: words of 32 bits in the order of this machine, and the port.
    private static func name(_ address: SocketAddress) -> String? {
        guard let port = address.port else { return nil }
        // The address stands behind family and port, and in IPv6 behind the flow as well (ip(7), ipv6(7)).
        let (offset, count) = address.protocol == .inet ? (4, 1) : (8, 4)
        let words = address.withSockAddr { pointer, _ in
            stride(from: offset, to: offset + 4 * count, by: 4).map {
                UnsafeRawPointer(pointer).loadUnaligned(fromByteOffset: $0, as: UInt32.self)
            }
        }
        return words.map { hexadecimal($0, 8) }.joined() + ":" + hexadecimal(UInt32(port), 4)
    }

    private static func hexadecimal(_ number: UInt32, _ digitCount: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
    }
}
