import Glibc
import Synchronization

/// Ports of 127.0.0.1 for programs that cannot choose one themselves.
public enum FreePort {
    /// That there is none.
    public struct None: Error {}

    /// Below the ports that systems give out by themselves, so that nobody gets one in the time until it is used.
    private static let ports: Range<UInt16> = 20_000..<32_000
    private static let given = Mutex<Set<UInt16>>([])

    /// A port on which nobody listens, by UDP or TCP, and which nobody else in this process gets.
    public static func next() throws -> Int {
        for _ in ports {
            let port = UInt16.random(in: ports)
            guard given.withLock({ $0.insert(port).inserted }) else { continue }
            // A program that is started at this moment must not inherit them.
            let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            let stream = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer {
                close(datagrams)
                close(stream)
            }
            if bind(datagrams, port), bind(stream, port) { return Int(port) }
        }
        throw None()
    }

    private static func bind(_ socket: Int32, _ port: UInt16) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
