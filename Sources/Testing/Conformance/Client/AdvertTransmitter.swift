internal import BluetoothLE
internal import NIOCore
internal import NIOPosix
internal import TransportInterfaces

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
        /// A real radio, which sends adverts under FFF9 alone, and one at a time.
        case real(any Advertiser)
    }

    let radio: Radio
    let record: CaseRecord

    /// The interval of a case's adverts on the simulated radio.
    static let interval = Duration.milliseconds(100)

    /// Sends adverts, one after another and again, while `body` runs.
    ///
    /// - Throws: ``NotApplicable`` if this radio cannot send them; what `body` throws.
    func send<Value: Sendable>(
        _ adverts: [TestAdvert], while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        for advert in adverts {
            let service = String(advert.service.rawValue, radix: 16, uppercase: true)
            record.transcript.advert(.sent, "advert under \(service)", advert.data)
        }
        switch radio {
        case .real(let advertiser):
            guard let advert = adverts.first, adverts.count == 1, advert.service == .fido else {
                throw NotApplicable("this radio sends one advert at a time, under FFF9")
            }
            return try await advertiser.advertise(advert.data, while: body)
        case .simulated(let address):
            return try await Self.send(adverts, to: address, while: body)
        }
    }

    private static func send<Value: Sendable>(
        _ adverts: [TestAdvert], to address: SimulatedRadioAddress,
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let target = try SocketAddress(ipAddress: address.host, port: Int(address.port))
        let channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: address.host, port: 0).get()
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(
                try await withThrowingTaskGroup(of: Value?.self) { group in
                    group.addTask {
                        while true {
                            for advert in adverts {
                                let datagram = AddressedEnvelope(remoteAddress: target, data: advert.datagram)
                                try? await channel.writeAndFlush(datagram).get()
                            }
                            try await Task.sleep(for: interval)
                        }
                    }
                    group.addTask { try await body() }
                    defer { group.cancelAll() }
                    while let finished = try await group.next() {
                        if let finished { return finished }
                    }
                    throw CancellationError()
                })
        } catch {
            outcome = .failure(error)
        }
        try? await channel.close().get()
        return try outcome.get()
    }
}

extension TestAdvert {
    /// The datagram of the simulated radio: the service, big-endian, then the data.
    fileprivate var datagram: ByteBuffer {
        var datagram = ByteBuffer()
        datagram.writeInteger(service.rawValue, endianness: .big)
        datagram.writeBytes(data)
        return datagram
    }
}
