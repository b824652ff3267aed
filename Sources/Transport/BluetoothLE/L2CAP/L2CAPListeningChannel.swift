internal import Glibc
internal import HybridProtocol
internal import LinuxSupport

/// Sockets that listen under one PSM.
final class L2CAPListeningChannel: ListeningChannel {
    let psm: UInt16
    private let sockets: [any SDUSocket]
    private let wakePipe: WakePipe

    init(_ sockets: [any SDUSocket], psm: UInt16, wakePipe: WakePipe) {
        self.sockets = sockets
        self.psm = psm
        self.wakePipe = wakePipe
    }

    func accept() async throws(DataChannelError) -> any DataChannel {
        while true {
            try await L2CAPWait.wait(for: POLLIN, of: sockets, or: wakePipe)
            for socket in sockets {
                guard let connected: any SDUSocket = try socket.accept() else { continue }
                do throws(DataChannelError) {
                    return try await L2CAPChannel.over(connected)
                } catch {
                    // A device that connects and leaves at once does not end the listening.
                    guard error.code == .connectionLost else { throw error }
                }
            }
        }
    }

    func close() async {
        // The pipe is never drained: every later accept() must end too.
        wakePipe.signal()
        for socket in sockets { shutdown(socket.file, Int32(SHUT_RDWR)) }
    }
}

extension L2CAPChannel {
    /// Longest time until the peer's MTU is known.
    private static let mtuLimit = Duration.seconds(2)
    private static let mtuInterval = Duration.milliseconds(2)

    /// Makes a channel of a socket that has just been connected, as soon as the peer's MTU is known: an SDU written
    /// before may leave in pieces of 16 bytes (HT-BLE-28).
    ///
    /// - Throws: ``DataChannelError`` with `connection-lost` if it never becomes known.
    static func over(_ socket: any SDUSocket) async throws(DataChannelError) -> L2CAPChannel {
        let deadline = ContinuousClock.now + mtuLimit
        while ContinuousClock.now < deadline {
            if let mtu = socket.peerMTU { return try L2CAPChannel(socket, peerMTU: mtu) }
            do { try await Task.sleep(for: mtuInterval) } catch {
                throw DataChannelError(.cancelled, reason: "cancelled")
            }
        }
        throw DataChannelError(.connectionLost, reason: "the other device closed the channel at once")
    }
}
