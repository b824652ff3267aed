// Both modules hold the system's socket types, and the compiler finds them in this one only.
internal import CBlueZ
internal import Glibc
internal import HybridProtocol

/// A local socket that stands for one of L2CAP, closed with its last reference. Nothing here waits.
///
/// Its name is in the abstract namespace, so that nothing of it is left when its owner is killed: a zero byte, then
/// `hybrid-radio/HOST:PORT/PSM` with the radio's address and the PSM in decimal digits (unix(7)).
final class SimulatedChannelSocket: SDUSocket {
    let file: Int32

    /// Known as soon as the socket is connected: every simulated device takes SDUs of this length.
    let peerMTU: Int? = L2CAPSocket.longestSDU
    /// True: a local socket delivers at once.
    let hasSentEverything = true

    /// Of a local socket the system counts the bytes that the other end has not read.
    var hasUnread: Bool {
        var byteCount: Int32 = 0
        return ioctl(file, UInt(TIOCOUTQ), &byteCount) == 0 && byteCount > 0
    }

    init(owning file: Int32) { self.file = file }

    deinit { close(file) }

    /// Makes a socket without a name.
    ///
    /// - Throws: ``DataChannelError`` with `unreachable`.
    convenience init() throws(DataChannelError) {
        let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let file = socket(AF_UNIX, kind, 0)
        guard file >= 0 else { throw .failed(.unreachable, "the system has no socket left", errno) }
        self.init(owning: file)
        enlargeBuffers()
    }

    /// Listens under a PSM.
    ///
    /// - Returns: false if another process does.
    /// - Throws: ``DataChannelError`` with `unreachable`.
    func listen(at address: SimulatedRadioAddress, psm: UInt16) throws(DataChannelError) -> Bool {
        if Self.withName(address, psm, { bind(file, $0, $1) }) != 0 {
            if errno == EADDRINUSE { return false }
            throw .failed(.unreachable, "cannot listen at \(address)", errno)
        }
        guard Glibc.listen(file, L2CAPSocket.backlog) == 0 else {
            throw .failed(.unreachable, "cannot listen at \(address)", errno)
        }
        return true
    }

    /// Connects, at once or never.
    ///
    /// - Throws: ``DataChannelError`` with `unreachable` if there is no listener, or its queue is full.
    func connect(to address: SimulatedRadioAddress, psm: UInt16) throws(DataChannelError) {
        guard Self.withName(address, psm, { Glibc.connect(file, $0, $1) }) != 0 else { return }
        throw .failed(.unreachable, "no connection to PSM \(psm) at \(address)", errno)
    }

    private static func withName(
        _ address: SimulatedRadioAddress, _ psm: UInt16, _ call: (UnsafePointer<sockaddr>?, socklen_t) -> Int32
    ) -> Int32 {
        let family = withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) }
        return (family + [0] + Array("hybrid-radio/\(address)/\(psm)".utf8)).withUnsafeBytes { bytes in
            call(bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
    }
}
