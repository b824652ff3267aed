/// A channel as its frames come by: SDUs are put together, and given to a session.
///
/// Source: Core Specification volume 3 part A section 3.4 (K-frames).
final class CapturedL2CAPChannel {
    var info: CapturedChannel
    /// The way of the initiator's packets.
    let initiatorDirection: CapturedPacket.Direction
    /// The session on it.
    let session: SessionReader
    private var fromInitiator = Partial()
    private var fromAcceptor = Partial()

    /// An SDU that is not whole yet.
    private struct Partial {
        var bytes: [UInt8] = []
        /// The length that it will have; nil between SDUs.
        var byteCount: Int?
    }

    init(_ info: CapturedChannel, initiatorDirection: CapturedPacket.Direction, session: SessionReader) {
        self.info = info
        self.initiatorDirection = initiatorDirection
        self.session = session
    }

    /// The number of bytes that are held.
    var heldByteCount: Int { fromInitiator.bytes.count + fromAcceptor.bytes.count }

    /// Takes a frame.
    ///
    /// - Returns: the SDU that it completes.
    func take(_ frame: ArraySlice<UInt8>, fromInitiator isInitiator: Bool) -> [UInt8]? {
        isInitiator
            ? Self.take(frame, &fromInitiator, &info.initiator, limit: info.acceptor.mtu)
            : Self.take(frame, &fromAcceptor, &info.acceptor, limit: info.initiator.mtu)
    }

    /// Forgets incomplete SDUs.
    func drop() {
        if fromInitiator.byteCount != nil { info.initiator.brokenCount += 1 }
        if fromAcceptor.byteCount != nil { info.acceptor.brokenCount += 1 }
        (fromInitiator, fromAcceptor) = (Partial(), Partial())
    }

    private static func take(
        _ frame: ArraySlice<UInt8>, _ partial: inout Partial, _ side: inout ChannelSide, limit: UInt16
    ) -> [UInt8]? {
        side.frameCount += 1
        var reader = ByteReader(frame)
        if partial.byteCount == nil {
            guard let length = reader.littleEndian(UInt16.self), length <= limit else {
                side.brokenCount += 1
                return nil
            }
            partial.byteCount = Int(length)
        }
        partial.bytes += reader.rest
        guard let byteCount = partial.byteCount, partial.bytes.count >= byteCount else { return nil }
        let sdu = partial.bytes
        partial = Partial()
        guard sdu.count == byteCount else {
            side.brokenCount += 1
            return nil
        }
        side.sduCount += 1
        side.byteCount += sdu.count
        return sdu
    }
}
