package import HybridProtocol
internal import NIOCore
internal import NIOPosix

/// An `Advertiser` that needs no Bluetooth: it sends its advert in UDP datagrams to scanners on this machine.
///
/// One datagram is the 16-bit service UUID, big-endian, then the service data with its suffix. It is sent at
/// once and then every 100 ms to each address. Datagrams to an address without a scanner are lost, as on the air.
package struct SimulatedAdvertiser: Advertiser {
    /// Time between two repetitions of the advert.
    package static let interval: Duration = .milliseconds(100)
    /// The longest service data that is sent, in bytes.
    package static let longestServiceData = SimulatedRadioDatagram.longestServiceData

    /// The addresses of the scanners to which the advert is sent.
    package let addresses: [SimulatedRadioAddress]
    private let service: ServiceUUID

    /// Makes an advertiser; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - addresses: 1…``SimulatedRadioAddress/longestList`` addresses of scanners.
    ///   - service: the UUID of the service data.
    /// - Throws: `RadioError` with `invalid-address` if there are none or too many.
    package init(
        to addresses: [SimulatedRadioAddress], under service: ServiceUUID = .fido
    ) throws(RadioError) {
        self.addresses = try SimulatedRadioAddress.checked(addresses)
        self.service = service
    }

    /// Advertises while `body` runs, and never longer; see `Advertiser/advertise(_:while:)`.
    ///
    /// - Parameters:
    ///   - serviceData: 1…255 bytes.
    ///   - body: the work in the meantime. If the advert ends early, it is cancelled and waited for.
    /// - Returns: the value of `body`.
    /// - Throws: `RadioError` with `advert-too-long`, or with `failed` if the system refuses to send; otherwise the
    ///   error of `body`.
    package func advertise<Value: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try RadioError.check(serviceData, longest: Self.longestServiceData)
        let datagram = SimulatedRadioDatagram(service: service, serviceData: serviceData).encoded()
        let sender = try await DatagramSender.open(for: addresses)
        let outcome: Result<Value, any Error>
        do {
            try await sender.send(datagram)
            let repeating: @Sendable () async throws -> Void = {
                while (try? await Task.sleep(for: Self.interval)) != nil { try await sender.send(datagram) }
            }
            outcome = .success(try await BackgroundWork.run(body, beside: [repeating]))
        } catch {
            outcome = .failure(error)
        }
        await sender.close()
        return try outcome.get()
    }
}

/// The sockets from which one advert is sent: one for each address family in use.
private struct DatagramSender: Sendable {
    private typealias Route = (channel: any Channel, target: SocketAddress)
    private static let anyPort: UInt16 = 0

    private let routes: [Route]

    static func open(for addresses: [SimulatedRadioAddress]) async throws(RadioError) -> Self {
        var channels: [Bool: any Channel] = [:]
        var routes: [Route] = []
        do {
            for address in addresses {
                let channel: any Channel
                if let open = channels[address.isIPv6] {
                    channel = open
                } else {
                    let own = SimulatedRadioAddress(host: address.isIPv6 ? "::1" : "127.0.0.1", port: anyPort)
                    channel = try await SimulatedRadioSocket.bound(to: own) { $0.eventLoop.makeSucceededVoidFuture() }
                }
                channels[address.isIPv6] = channel
                routes.append((channel, try address.socketAddress()))
            }
        } catch {
            for channel in channels.values { await SimulatedRadioSocket.end(channel) }
            throw error
        }
        return Self(routes: routes)
    }

    func send(_ datagram: ByteBuffer) async throws(RadioError) {
        for (channel, target) in routes {
            do {
                try await channel.writeAndFlush(AddressedEnvelope(remoteAddress: target, data: datagram)).get()
            } catch {
                throw RadioError(
                    .failed, reason: "cannot send to \(target): \(SimulatedRadioSocket.reason(for: error))")
            }
        }
    }

    func close() async {
        for (channel, _) in routes { await SimulatedRadioSocket.end(channel) }
    }
}
