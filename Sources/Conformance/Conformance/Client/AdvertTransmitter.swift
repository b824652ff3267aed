internal import BluetoothLE
internal import Glibc
internal import HybridProtocol
internal import HybridTransport
internal import NIOCore

/// An advert that a case sends, right or wrong.
struct TestAdvert: Sendable {
    var service = ServiceUUID.fido
    var data: [UInt8]
}

/// A transmitter of adverts from the runner to a client.
struct AdvertTransmitter: Sendable {
    /// The radio on which adverts are sent.
    enum Radio: Sendable {
        /// The port at which the client listens to the simulated radio.
        case simulated(SimulatedRadioAddress)
        /// A real radio, which sends adverts under one UUID alone, and one at a time.
        case real(any Advertiser, under: ServiceUUID = .fido)
    }

    let radio: Radio
    let record: CaseRecord
    /// The interval of adverts on the simulated radio.
    var interval = Duration.milliseconds(100)
    /// The number of times that each advert is sent at least on the simulated radio, however soon `body` has ended.
    var leastCount = 1
    /// The time after which it falls silent on the simulated radio, though `body` goes on; nil if it never does.
    var limit: Duration?
    /// Waits between two adverts.
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Hears that it has fallen silent.
    var silent: @Sendable () -> Void = {}

    /// Sends adverts, one after another and again, while `body` runs.
    ///
    /// - Parameter mustArrive: false of adverts that are not the subject of the case.
    /// - Throws: ``NotApplicable`` if this radio cannot send them; the errors of `body`.
    func send<Value: Sendable>(
        _ adverts: [TestAdvert], mustArrive: Bool = true, while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let delivery = record.needsDelivery && mustArrive ? record.track() : nil
        for advert in adverts {
            let service = String(advert.service.rawValue, radix: 16, uppercase: true)
            record.transcript.advert(.sent, "advert under \(service)", advert.data)
        }
        switch radio {
        case .real(let advertiser, let service):
            guard let advert = adverts.first, adverts.count == 1, advert.service == service else {
                let number = String(service.rawValue, radix: 16, uppercase: true)
                throw NotApplicable("this radio sends one advert at a time, under \(number)")
            }
            return try await advertiser.advertise(advert.data, while: body)
        case .simulated(let address):
            return try await send(adverts, to: address, delivery, while: body)
        }
    }

    private func send<Value: Sendable>(
        _ adverts: [TestAdvert], to address: SimulatedRadioAddress, _ delivery: Delivery?,
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let socket = try AdvertSocket(to: address)
        // Nothing was heard until something was.
        delivery?.noteUndelivered("nothing listened to the radio when the advert was sent")
        let (enough, feed) = AsyncStream<Void>.makeStream()
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                let begin = ContinuousClock.now
                for count in 1... {
                    if let limit, ContinuousClock.now - begin >= limit { break }
                    var isHeard = true
                    for advert in adverts { isHeard = socket.send(advert.datagram) && isHeard }
                    if isHeard { delivery?.clear() }
                    if count == leastCount { feed.finish() }
                    try await pause(interval)
                }
                feed.finish()
                silent()
                return nil
            }
            group.addTask {
                let value = try await body()
                for await _ in enough {}
                return value
            }
            defer { group.cancelAll() }
            while let finished = try await group.next() {
                if let finished { return finished }
            }
            throw CancellationError()
        }
    }
}

/// A socket of the simulated radio that learns whether anything listens where it sends.
private final class AdvertSocket: Sendable {
    private let file: Int32

    /// Makes a socket.
    ///
    /// - Throws: ``RunnerError`` with `cannot-start` if the system has none.
    init(to address: SimulatedRadioAddress) throws {
        let target = try SocketAddress(ipAddress: address.host, port: Int(address.port))
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        file = socket(target.protocol.rawValue, kind, 0)
        let result = target.withSockAddr { connect(file, $0, socklen_t($1)) }
        guard file >= 0, result == 0 else {
            throw RunnerError(.cannotStart, reason: "the system has no socket left for adverts")
        }
    }

    deinit { close(file) }

    /// Sends a datagram.
    ///
    /// - Returns: true if something listens there. On this machine that is known as soon as it is sent.
    func send(_ bytes: [UInt8]) -> Bool {
        // An error that an earlier one has left keeps the next from being sent.
        _ = error()
        let count = Glibc.send(file, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        return count == bytes.count && error() == 0
    }

    private func error() -> Int32 {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &length)
        return error
    }
}

extension TestAdvert {
    /// The datagram of the simulated radio: the service, big-endian, then the data.
    fileprivate var datagram: [UInt8] {
        [UInt8(service.rawValue >> 8), UInt8(service.rawValue & 0xFF)] + data
    }
}
