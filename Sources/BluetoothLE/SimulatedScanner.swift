public import Edges
internal import NIOCore
internal import Synchronization

/// A `Scanner` that needs no Bluetooth: it hears the UDP datagrams that come to its address on this machine.
///
/// Service UUIDs `FFF9` and `FDE2` are heard. Datagrams that are no advert are ignored and counted. One address has one
/// scan at a time.
public final class SimulatedScanner: Scanner {
    /// How many datagrams came, since the scanner was made, by what became of them.
    public struct Counts: Sendable, Equatable {
        /// Adverts handed on, including those that were lost because the reader was too slow.
        public internal(set) var heard: UInt64 = 0
        /// Datagrams without room for a service UUID and a byte of service data.
        public internal(set) var tooShort: UInt64 = 0
        /// Datagrams with more than 255 bytes of service data.
        public internal(set) var tooLong: UInt64 = 0
        /// Datagrams under another service UUID.
        public internal(set) var foreignService: UInt64 = 0

        /// All datagrams that were ignored.
        public var ignored: UInt64 { tooShort &+ tooLong &+ foreignService }
    }

    /// How many adverts wait for a slow reader; the oldest are dropped beyond that.
    public static let bufferedAdverts = 64

    /// Where the scanner listens.
    public let address: SimulatedRadioAddress
    private let tally: Tally

    /// Makes a scanner; the address is bound only while ``scan(_:)`` runs.
    public init(at address: SimulatedRadioAddress) {
        self.address = address
        self.tally = Tally()
    }

    /// What has come so far.
    public var counts: Counts { tally.counts.withLock { $0 } }

    /// Scans while `body` runs, and never longer; see `Scanner/scan(_:)`.
    ///
    /// - Parameter body: gets the adverts, the newest ``bufferedAdverts`` at most if it reads slowly.
    /// - Returns: what `body` returned.
    /// - Throws: `RadioError` with `address-in-use`, `not-permitted`, `absent` or `failed` if the address cannot be
    ///   bound; otherwise what `body` threw.
    public func scan<Result: Sendable>(
        _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Result
    ) async throws -> Result {
        let (adverts, continuation) = ReceivedAdverts.makeStream(
            bufferingPolicy: .bufferingNewest(Self.bufferedAdverts))
        let channel = try await SimulatedRadioSocket.bound(to: address) { [tally] channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(AdvertReader(continuation, tally))
            }
        }
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(try await body(adverts))
        } catch {
            outcome = .failure(error)
        }
        continuation.finish()
        await SimulatedRadioSocket.end(channel)
        return try outcome.get()
    }
}

/// The counts, shared with the event loop that makes them.
private final class Tally: Sendable {
    let counts = Mutex(SimulatedScanner.Counts())
}

/// Turns datagrams into adverts on the event loop.
private final class AdvertReader: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let continuation: ReceivedAdverts.Continuation
    private let tally: Tally

    init(_ continuation: ReceivedAdverts.Continuation, _ tally: Tally) {
        self.continuation = continuation
        self.tally = tally
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        do throws(SimulatedRadioDatagram.Refusal) {
            let datagram = try SimulatedRadioDatagram(decoding: envelope.data)
            tally.counts.withLock { $0.heard &+= 1 }
            let sender = Self.address(of: envelope.remoteAddress)
            continuation.yield(
                ReceivedAdvert(
                    service: datagram.service, serviceData: datagram.serviceData,
                    sender: sender?.description ?? "", address: sender?.device))
        } catch {
            tally.counts.withLock { counts in
                switch error {
                case .tooShort: counts.tooShort &+= 1
                case .tooLong: counts.tooLong &+= 1
                case .foreignService: counts.foreignService &+= 1
                }
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        continuation.finish(
            throwing: RadioError(
                .failed, reason: "the scan was interrupted: \(SimulatedRadioSocket.reason(for: error))"))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        continuation.finish(throwing: RadioError(.failed, reason: "the scan was interrupted"))
    }

    private static func address(of sender: SocketAddress) -> SimulatedRadioAddress? {
        guard let host = sender.ipAddress, let port = sender.port.flatMap(UInt16.init(exactly:)) else { return nil }
        return SimulatedRadioAddress(host: host, port: port)
    }
}
