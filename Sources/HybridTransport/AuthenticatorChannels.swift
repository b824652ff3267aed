internal import Edges
internal import HybridProtocol

/// The channels on which an authenticator can be reached in one ceremony, until its client has chosen one.
struct AuthenticatorChannels: Sendable {
    /// The tunnel, where there is one.
    let tunnel: NewTunnel?
    /// Where clients connect over Bluetooth, where they can.
    let nearby: (any ListeningChannel)?

    /// A client's first message, and the channel on which it came.
    struct Arrival: Sendable {
        let channel: any DataChannel
        let message: [UInt8]
        /// What came behind the message.
        let assembler: MessageAssembler
        let isNearby: Bool
    }

    /// What follows the advert.
    var suffix: AdvertSuffix { AdvertSuffix(psm: nearby?.psm) }

    /// The tunnel alone.
    var withoutNearby: Self { Self(tunnel: tunnel, nearby: nil) }

    /// Closes everything.
    func close() async {
        await nearby?.close()
        await tunnel?.channel.close()
    }

    /// Waits for the first message of a client, on whichever channel it comes. The other one is closed.
    ///
    /// - Parameter limit: how long somebody who has connected over Bluetooth may be silent. After that, somebody else may.
    /// - Throws: what the channel that failed first threw, once none is left.
    func firstMessage(_ limit: Duration, _ progress: Progress) async throws -> Arrival {
        try await withTaskGroup(of: Result<Arrival, any Error>.self) { group -> Result<Arrival, any Error> in
            if let tunnel {
                group.addTask {
                    await Self.result {
                        let (message, assembler) = try await tunnel.channel.receiveHandshakeMessage()
                        return Arrival(
                            channel: tunnel.channel, message: message, assembler: assembler, isNearby: false)
                    }
                }
            }
            if let nearby {
                group.addTask { await Self.result { try await Self.arrival(at: nearby, limit, progress) } }
            }
            var winner: Arrival?
            var failure: (any Error)?
            while let outcome = await group.next() {
                switch outcome {
                case .success(let arrival) where winner == nil:
                    winner = arrival
                    // To be closed before its task is cancelled, which would cut it.
                    if arrival.isNearby { await tunnel?.channel.close() }
                    await nearby?.close()
                    group.cancelAll()
                case .success(let late): await late.channel.close()
                case .failure(let error): failure = failure ?? error
                }
            }
            if let winner { return .success(winner) }
            return .failure(failure ?? CancellationError())
        }.get()
    }

    private static func result(_ body: () async throws -> Arrival) async -> Result<Arrival, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    /// The first client over Bluetooth that says something of a message's length: anybody near can connect.
    private static func arrival(
        at nearby: any ListeningChannel, _ limit: Duration, _ progress: Progress
    ) async throws -> Arrival {
        while true {
            let channel = try await nearby.accept()
            do {
                let (message, assembler) = try await progress.within(limit) {
                    try await channel.receiveHandshakeMessage()
                }
                return Arrival(channel: channel, message: message, assembler: assembler, isNearby: true)
            } catch {
                await channel.close()
                try Task.checkCancellation()
            }
        }
    }
}
