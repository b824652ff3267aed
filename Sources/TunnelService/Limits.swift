/// How much a peer may use of a ``TunnelService``. Every limit has a default that suits phones and browsers.
///
/// The service never buffers more for a tunnel than, in each direction, one message being received, what one read
/// brought to be passed on, and ``writeBufferBytes``; and for all tunnels together not more than ``bufferedBytes``,
/// ``modestBytes`` and ``writeBufferBytes`` for every connection aside.
extension TunnelService {
    /// The limits of a service.
    public struct Limits: Sendable, Equatable {
        /// The longest message, bytes. 1 MiB, as Chromium's.
        public var messageBytes = 1 << 20
        /// How many messages each end of a tunnel may send. 1,024.
        public var messagesPerSide = 1_024
        /// How many bytes each end of a tunnel may send, framing and control frames included. 16 MiB.
        public var bytesPerSide = 16 << 20
        /// How long a tunnel may live once both ends are there. 10 minutes.
        public var tunnelLifetime = Duration.seconds(600)
        /// How long an authenticator may wait for its client. 2 minutes.
        public var pendingLifetime = Duration.seconds(120)
        /// How many authenticators may wait at a time. 4,096.
        public var pendingTunnels = 4_096
        /// How many connections may be open at a time; never more than the process may open files, less a reserve of
        /// ``reservedFiles``. 16,384.
        public var connections = 16_384
        /// How many connections one address may hold. An IPv6 address counts with its /64 network. 256.
        ///
        /// Behind a proxy every connection comes from the proxy: then set it to ``connections`` and let the proxy count.
        public var connectionsPerAddress = 256
        /// The longest request, bytes, from its first byte to the empty line. 8 KiB.
        public var requestBytes = 8 << 10
        /// How long a request may take from the acceptance of the connection, the TLS handshake included. 10 seconds.
        public var requestTime = Duration.seconds(10)
        /// How long a peer may say nothing before it is sent a ping. 30 seconds.
        public var pingInterval = Duration.seconds(30)
        /// How long a peer may say nothing at all, pongs included, before it counts as lost. 75 seconds.
        public var silence = Duration.seconds(75)
        /// How long a closing connection may take to end, once the Close frame has been sent. 5 seconds.
        public var closeTime = Duration.seconds(5)
        /// From how many unsent bytes on nothing more is read for a connection. 16 KiB; the kernel holds more.
        public var writeBufferBytes = 16 << 10
        /// How many bytes of unfinished and unsent messages the service holds in all. 256 MiB.
        ///
        /// When they are used up, the connections that hold more than ``modestBytes`` and want still more are closed.
        public var bufferedBytes = 256 << 20

        /// How long a client's request to `contact` waits for its authenticator to connect and to acknowledge. 5 seconds.
        public var contactHold = Duration.seconds(5)
        /// How often an authenticator is woken by one contact ID: 20 times, then once more every 30 seconds.
        public var wakesPerContact = Rate(burst: 20, interval: .seconds(30))
        /// How often an authenticator is woken in all: 40 times, then once more every 10 seconds.
        public var wakesPerAuthenticator = Rate(burst: 40, interval: .seconds(10))
        /// How often one address may ask for `contact`, known or not: 60 times, then once more every second.
        ///
        /// Behind a proxy every request comes from the proxy: then make it large and let the proxy count.
        public var contactsPerAddress = Rate(burst: 60, interval: .seconds(1))
        /// How many frames an authenticator may send while it waits to be woken: 256, then one more every second. A
        /// registration counts as 17.
        public var listenerFrames = Rate(burst: 256, interval: .seconds(1))
        /// How long an authenticator that waits to be woken may say nothing before it is sent a ping. 150 seconds.
        public var listenerPingInterval = Duration.seconds(150)
        /// How long it may say nothing at all, pongs included, before it counts as lost. 330 seconds.
        public var listenerSilence = Duration.seconds(330)

        /// How many files the process keeps for other things than connections.
        public static let reservedFiles = 64

        /// What a connection may always hold, whatever the others do: 16 KiB. A ceremony's messages fit.
        public static let modestBytes = 16 << 10

        /// The largest message that the framing here can be told to take: 2^30 bytes.
        static let largestMessage = 1 << 30
        /// The most that a rate may allow at once, and the longest that it may take for one more.
        static let largestRate = Rate(burst: 10_000, interval: .seconds(86_400))

        /// The defaults.
        public init() {}

        /// Checks that the limits make sense together.
        ///
        /// - Throws: ``TunnelServiceError`` with the code `invalid-limits`.
        func check() throws(TunnelServiceError) {
            let counts: [(String, Int)] = [
                ("messageBytes", messageBytes), ("messagesPerSide", messagesPerSide), ("bytesPerSide", bytesPerSide),
                ("pendingTunnels", pendingTunnels), ("connections", connections),
                ("connectionsPerAddress", connectionsPerAddress), ("requestBytes", requestBytes),
                ("writeBufferBytes", writeBufferBytes), ("bufferedBytes", bufferedBytes),
            ]
            for (name, count) in counts where count < 1 {
                throw TunnelServiceError(.invalidLimits, reason: "\(name) must be at least 1")
            }
            for (name, time) in times where time <= .zero {
                throw TunnelServiceError(.invalidLimits, reason: "\(name) must be longer than zero")
            }
            guard messageBytes <= Self.largestMessage else {
                throw TunnelServiceError(.invalidLimits, reason: "messageBytes must be at most \(Self.largestMessage)")
            }
            guard silence > pingInterval else {
                throw TunnelServiceError(.invalidLimits, reason: "silence must be longer than pingInterval")
            }
            guard listenerSilence > listenerPingInterval else {
                throw TunnelServiceError(
                    .invalidLimits, reason: "listenerSilence must be longer than listenerPingInterval")
            }
            try checkRates()
        }

        private func checkRates() throws(TunnelServiceError) {
            let rates = [
                ("wakesPerContact", wakesPerContact), ("wakesPerAuthenticator", wakesPerAuthenticator),
                ("contactsPerAddress", contactsPerAddress), ("listenerFrames", listenerFrames),
            ]
            for (name, rate) in rates {
                guard 1...Self.largestRate.burst ~= rate.burst, rate.interval > .zero,
                    rate.interval <= Self.largestRate.interval
                else {
                    throw TunnelServiceError(
                        .invalidLimits,
                        reason:
                            "\(name) must have a burst of 1 to \(Self.largestRate.burst) and an interval of a day at most"
                    )
                }
            }
        }

        /// All the limits that are a time.
        private var times: [(String, Duration)] {
            [
                ("tunnelLifetime", tunnelLifetime), ("pendingLifetime", pendingLifetime),
                ("requestTime", requestTime), ("pingInterval", pingInterval), ("silence", silence),
                ("closeTime", closeTime), ("contactHold", contactHold),
                ("listenerPingInterval", listenerPingInterval), ("listenerSilence", listenerSilence),
            ]
        }

        /// The shortest of the limits that are a time.
        var shortestTime: Duration { times.map(\.1).min() ?? .seconds(1) }
    }
}
