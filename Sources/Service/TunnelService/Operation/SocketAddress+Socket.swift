import Glibc
import NIOCore

extension SocketAddress {
    /// The local address of a socket of IPv4 or IPv6.
    init?(ofSocket socket: CInt) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
        }
        guard status == 0 else { return nil }
        let address = withUnsafeBytes(of: storage) { bytes -> SocketAddress? in
            switch CInt(storage.ss_family) {
            case AF_INET: SocketAddress(bytes.load(as: sockaddr_in.self))
            case AF_INET6: SocketAddress(bytes.load(as: sockaddr_in6.self))
            default: nil
            }
        }
        guard let address else { return nil }
        self = address
    }
}
