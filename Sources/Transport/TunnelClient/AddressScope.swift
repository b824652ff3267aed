internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Those who can reach an address: this machine, the networks that it is in, or everybody.
///
/// Source: the special-purpose address registries of RFC 6890; the address spaces of Private Network Access.
enum AddressScope: Int, Comparable {
    case machine, network, everywhere

    /// The scope of an address; that of an IPv4 address in an IPv6 one is that of the former.
    init(_ address: SocketAddress) {
        let bytes = address.addressBytes
        switch address {
        case .v4 where !bytes.isEmpty: self = Self.ofIPv4(bytes[...])
        case .v6 where !bytes.isEmpty: self = Self.ofIPv6(bytes)
        default: self = .machine
        }
    }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    private static func ofIPv4(_ bytes: ArraySlice<UInt8>) -> Self {
        let address = bytes.reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        func isIn(_ network: UInt32, _ length: UInt32) -> Bool { (address ^ network) >> (32 - length) == 0 }
        if isIn(0x0000_0000, 8) || isIn(0x7F00_0000, 8) { return .machine }
        let isSpecial =
            isIn(0x0A00_0000, 8) || isIn(0x6440_0000, 10) || isIn(0xA9FE_0000, 16) || isIn(0xAC10_0000, 12)
            || isIn(0xC000_0000, 24) || isIn(0xC0A8_0000, 16) || isIn(0xC612_0000, 15) || isIn(0xE000_0000, 3)
        return isSpecial ? .network : .everywhere
    }

    private static func ofIPv6(_ bytes: [UInt8]) -> Self {
        let (zeros, last) = (bytes.prefix { $0 == 0 }.count, bytes[12...])
        if zeros == 16 || zeros == 15 && bytes[15] == 1 { return .machine }
        // Mapped addresses, compatible ones, NAT64 (RFC 6052), 6to4 (RFC 3056).
        if zeros == 10 && bytes[10] == 0xFF && bytes[11] == 0xFF || zeros >= 12 { return ofIPv4(last) }
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) { return ofIPv4(last) }
        if bytes.starts(with: [0x20, 0x02]) { return ofIPv4(bytes[2..<6]) }
        // Only 2000::/3 is given out; the rest is local, multicast or reserved, NAT64's own prefix included.
        return bytes[0] & 0xE0 == 0x20 ? .everywhere : .network
    }
}

extension SocketAddress {
    /// The 4 bytes of an IPv4 address, or the 16 of an IPv6 one; none of a Unix socket.
    var addressBytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        let text = ipAddress ?? ""
        return switch self {
        case .v4 where inet_pton(AF_INET, text, &bytes) == 1: Array(bytes[..<4])
        case .v6 where inet_pton(AF_INET6, text, &bytes) == 1: bytes
        default: []
        }
    }
}

/// Resolves a name to those of its addresses that have at least a scope. Only these are connected to.
final class ScopedResolver: Resolver, Sendable {
    private struct Seen {
        var widest = AddressScope.machine
        var isRefused = false
    }

    private let loop: any EventLoop
    private let least: AddressScope
    private let scope: @Sendable (SocketAddress) -> AddressScope
    private let seen = Mutex(Seen())

    init(on loop: any EventLoop, least: AddressScope, scope: @escaping @Sendable (SocketAddress) -> AddressScope) {
        (self.loop, self.least, self.scope) = (loop, least, scope)
    }

    /// The widest scope of the addresses that were found.
    var widest: AddressScope { seen.withLock { $0.widest } }

    /// True if an address was left out.
    var isRefused: Bool { seen.withLock { $0.isRefused } }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { look(host, port, AF_INET) }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { look(host, port, AF_INET6) }

    func cancelQueries() {}

    private func look(_ host: String, _ port: Int, _ family: CInt) -> EventLoopFuture<[SocketAddress]> {
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) { [self] in
            Self.addresses(of: host, port, family).filter { address in
                let scope = scope(address)
                return seen.withLock { seen in
                    guard scope >= least else {
                        seen.isRefused = true
                        return false
                    }
                    seen.widest = max(seen.widest, scope)
                    return true
                }
            }
        }
    }

    /// None if the name is not known, which ends as a name without addresses does.
    private static func addresses(of host: String, _ port: Int, _ family: CInt) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = family
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let name = UnsafeRawPointer(entry.ai_addr) else { continue }
            addresses.append(
                family == AF_INET
                    ? SocketAddress(name.loadUnaligned(as: sockaddr_in.self))
                    : SocketAddress(name.loadUnaligned(as: sockaddr_in6.self)))
        }
        return addresses
    }
}
