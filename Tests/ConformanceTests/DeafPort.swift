import Glibc
import Testing

/// A UDP port of 127.0.0.1 on which nothing listens, nor can: its socket takes datagrams from one other port alone.
///
/// A port that is free is not enough. A program that is being started holds copies of the sockets that its parent has
/// closed meanwhile, and they hear.
final class DeafPort: Sendable {
    private let file: Int32
    /// The address, as `HOST:PORT`.
    let address: String

    init() throws {
        file = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        try #require(Self.call(bind, file, name) == 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &name) { [file] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(file, $0, &length) }
        }
        try #require(result == 0)
        address = "127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
        // Its own port: nobody else sends from there.
        try #require(Self.call(connect, file, name) == 0)
    }

    deinit { close(file) }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ file: Int32, _ name: sockaddr_in
    ) -> Int32 {
        withUnsafePointer(to: name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
