import BluetoothLE
import Glibc
import Testing

/// A raw client of the simulated L2CAP, which reads only when it is told to.
final class UnixPeer: Sendable {
    private let file: Int32

    init(_ radio: SimulatedRadioAddress, _ psm: UInt16) throws {
        file = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let family = withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) }
        let address = family + [0] + Array("hybrid-radio/\(radio)/\(psm)".utf8)
        let result = address.withUnsafeBytes { bytes in
            connect(file, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        try #require(result == 0)
    }

    /// Sends one SDU.
    func send(_ sdu: [UInt8]) { _ = Glibc.send(file, sdu, sdu.count, Int32(MSG_NOSIGNAL)) }

    /// Reads one SDU.
    func read() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        let count = recv(file, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    /// Closes the socket.
    func end() { close(file) }
}
