internal import Edges
internal import Glibc
internal import Polling

/// Sockets that listen under one PSM.
final class L2CAPListeningChannel: ListeningChannel {
    let psm: UInt16
    private let sockets: [any SDUSocket]
    private let bell: Bell

    init(_ sockets: [any SDUSocket], psm: UInt16, bell: Bell) {
        self.sockets = sockets
        self.psm = psm
        self.bell = bell
    }

    func accept() async throws(DataChannelError) -> any DataChannel {
        while true {
            try await L2CAPWait.wait(for: POLLIN, of: sockets, or: bell)
            for socket in sockets {
                if let connected: any SDUSocket = try socket.accept() { return try await L2CAPChannel.over(connected) }
            }
        }
    }

    func close() async {
        // The bell is never hushed: whoever accepts from now on hears it too.
        bell.ring()
        for socket in sockets { shutdown(socket.file, Int32(SHUT_RDWR)) }
    }
}

extension L2CAPChannel {
    /// How long the peer's MTU may take to be known.
    private static let mtuLimit = Duration.seconds(2)
    private static let mtuInterval = Duration.milliseconds(2)

    /// Makes a channel of a socket that has just been connected, as soon as the peer's MTU is known: what is written before may
    /// leave in pieces of 16 bytes (PROTOCOL.md 10).
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
