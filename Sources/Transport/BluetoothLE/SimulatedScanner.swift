package import HybridProtocol
internal import NIOCore
internal import Synchronization

/// A `AdvertScanner` that needs no Bluetooth: it hears the UDP datagrams that come to its address on this machine.
///
/// Service UUIDs `FFF9` and `FDE2` are heard. Datagrams that are not an advert are ignored and counted. One address has
/// one scan at a time.
package final class SimulatedScanner: AdvertScanner {
    /// Numbers of datagrams since the scanner was made, by their outcome.
    package struct Counts: Sendable, Equatable {
        /// Adverts delivered, including those that were lost because the reader was too slow.
        package internal(set) var heard: UInt64 = 0
        /// Datagrams too short for a service UUID and a byte of service data.
        package internal(set) var tooShort: UInt64 = 0
        /// Datagrams with more than 255 bytes of service data.
        package internal(set) var tooLong: UInt64 = 0
        /// Datagrams under another service UUID.
        package internal(set) var foreignService: UInt64 = 0

        /// All datagrams that were ignored.
        package var ignored: UInt64 { tooShort &+ tooLong &+ foreignService }
    }

    /// Number of adverts that wait for a slow reader; the oldest are dropped beyond that.
    package static let bufferedAdverts = 64

    /// The address at which the scanner listens.
    package let address: SimulatedRadioAddress
    private let counter: DatagramCounter

    /// Makes a scanner; the address is bound only while `scan(_:)` runs.
    package init(at address: SimulatedRadioAddress) {
        self.address = address
        self.counter = DatagramCounter()
    }

    /// The datagrams so far.
    package var counts: Counts { counter.counts.withLock { $0 } }

    /// Scans while `body` runs, and never longer; see `AdvertScanner/scan(_:)`.
    ///
    /// - Parameter body: gets the adverts, the newest ``bufferedAdverts`` at most if it reads slowly.
    /// - Returns: the value of `body`.
    /// - Throws: `RadioError` with `address-in-use`, `not-permitted`, `absent` or `failed` if the address cannot be
    ///   bound; otherwise the error of `body`.
    package func scan<Value: Sendable>(
        _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Value
    ) async throws -> Value {
        let (adverts, continuation) = ReceivedAdverts.makeStream(
            bufferingPolicy: .bufferingNewest(Self.bufferedAdverts))
        let channel = try await SimulatedRadioSocket.bound(to: address) { [counter] channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(AdvertReader(continuation, counter))
            }
        }
        let outcome: Result<Value, any Error>
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
private final class DatagramCounter: Sendable {
    let counts = Mutex(SimulatedScanner.Counts())
}

/// Turns datagrams into adverts on the event loop.
private final class AdvertReader: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let continuation: ReceivedAdverts.Continuation
    private let counter: DatagramCounter

    init(_ continuation: ReceivedAdverts.Continuation, _ counter: DatagramCounter) {
        self.continuation = continuation
        self.counter = counter
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        do throws(SimulatedRadioDatagram.Defect) {
            let datagram = try SimulatedRadioDatagram(decoding: envelope.data)
            counter.counts.withLock { $0.heard &+= 1 }
            let sender = Self.address(of: envelope.remoteAddress)
            continuation.yield(
                ReceivedAdvert(
                    service: datagram.service, serviceData: datagram.serviceData,
                    sender: sender?.description ?? "", address: sender?.device))
        } catch {
            counter.counts.withLock { counts in
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
