internal import Glibc
internal import HybridProtocol

/// A socket of which one write is one SDU and one read is one too (`SOCK_SEQPACKET`): the kernel's, or a simulated one.
/// Nothing here waits.
protocol SDUSocket: AnyObject, Sendable {
    /// The system's number for it; closed with the socket's last reference.
    var file: Int32 { get }
    /// The longest SDU that the peer takes, in bytes, at most ``L2CAPSocket/longestSDU``; nil while it is not known.
    var peerMTU: Int? { get }
    /// True if everything that was written has left the socket, so that it is not lost by a shutdown.
    var hasSentEverything: Bool { get }

    /// True if something that was written still waits to be read; false where that cannot be known.
    var hasUnread: Bool { get }

    /// Takes over an open socket.
    init(owning file: Int32)
}

extension SDUSocket {
    /// Bluetooth tells of nothing that the other device has read.
    var hasUnread: Bool { false }

    /// Takes the next connection; nil if there is none yet.
    ///
    /// - Throws: ``DataChannelError`` with `connection-lost`.
    func accept() throws(DataChannelError) -> Self? {
        let connected = Glibc.accept(file, nil, nil)
        guard connected < 0 else {
            // The module of the C library does not have accept4.
            _ = fcntl(connected, F_SETFD, FD_CLOEXEC)
            _ = fcntl(connected, F_SETFL, O_NONBLOCK)
            return Self(owning: connected)
        }
        guard errno == EAGAIN || errno == EINTR || errno == ECONNABORTED else {
            throw .failed(.connectionLost, "listening for connections failed", errno)
        }
        return nil
    }

    /// Asks the system for buffers of 1 MiB in each direction; it gives as much as an administrator allows.
    func enlargeBuffers() {
        for option in [SO_RCVBUF, SO_SNDBUF] {
            var size: Int32 = 1 << 20
            setsockopt(file, SOL_SOCKET, option, &size, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}
