import HybridProtocol

/// The limits for the peers of a ``TunnelService``. Every limit has a default that suits phones and browsers.
///
/// The service never buffers more for a tunnel than, in each direction, one message being received, the bytes of one
/// read to be passed on, and ``writeBufferBytes``; and for all tunnels together not more than ``bufferedBytes``,
/// ``guaranteedBytes`` and ``writeBufferBytes`` for every connection aside. Over TLS a connection that has carried
/// long messages also keeps buffers of a few records, about 110 KiB, of swift-nio-ssl and swift-nio.
extension TunnelService {
    /// The limits of a service.
    public struct Limits: Sendable, Equatable {
        /// The longest message, bytes. 1 MiB, as Chromium's.
        public var messageBytes = TunnelWebSocket.defaultMessageByteCount
        /// The most messages of each end of a tunnel. 1,024.
        public var messagesPerSide = 1_024
        /// The rate of the frames of each end of a tunnel, control frames included: 2,048 at once, then one more every
        /// 50 milliseconds.
        public var tunnelFrames = Rate(burst: 2_048, interval: .milliseconds(50))
        /// The rate of each connection's TLS records shorter than 512 bytes, which cost more to open than a frame does:
        /// 512 at once, then one more every 50 milliseconds. A request that comes a byte a record fits, and so do 250
        /// messages whose head and payload are two records.
        public var shortRecords = Rate(burst: 512, interval: .milliseconds(50))
        /// The most frames that a message may be divided into. 1,024.
        public var fragmentsPerMessage = 1_024
        /// The most bytes of each end of a tunnel, framing and control frames included. 16 MiB.
        public var bytesPerSide = 16 << 20
        /// The longest life of a tunnel once both ends are there. 10 minutes.
        public var tunnelLifetime = Duration.seconds(600)
        /// The longest wait of an authenticator for its client. 2 minutes.
        public var pendingLifetime = Duration.seconds(120)
        /// The time that a pair of ends has for its ceremony, from when both are there. As long as it lasts, and both
        /// have sent messages, their connections go last when others need their places. 2 minutes.
        public var ceremonyTime = Duration.seconds(120)
        /// The time after the last message that every other tunnel is ended with, while more than three quarters of the
        /// connections are in use. 60 seconds.
        public var idleTime = Duration.seconds(60)
        /// The time in which a message must be whole, and a second more for each 16 KiB that there are of it: so a slow
        /// sender of 1 MiB has 74 seconds. 10 seconds.
        public var messageTime = Duration.seconds(10)
        /// The most tunnels that wait for their second end at a time; never more than half of the connections. 16,384.
        ///
        /// When there are so many, a new one takes the place of the oldest one of the greediest network, as it does of
        /// all connections when there are too many.
        public var pendingTunnels = 16_384
        /// The most tunnels of one address that wait for their second end. An IPv6 address counts with its /64 network.
        /// 16.
        public var pendingTunnelsPerAddress = 16
        /// The most open connections; never more than the process may open files, less a reserve of
        /// ``reservedFiles``. 16,384.
        ///
        /// When there are so many, a new one takes the place of the one that has been silent longest in the greediest
        /// network. Those in the middle of a ceremony go last.
        public var connections = 16_384
        /// The most connections of one address. An IPv6 address counts with its /64 network. 256.
        public var connectionsPerAddress = 256
        /// The most connections of one network, an IPv4 /24 or an IPv6 /48. A new one then takes the place of another
        /// one of the network. No fewer than ``connections`` is for no such limit. 512.
        public var connectionsPerPrefix = 512
        /// The rate of one address's new connections, and with them of its TLS handshakes: 128 at once, then one more
        /// every 50 milliseconds. More are closed without an answer. Loopback addresses have no rate.
        public var connectionRate = Rate(burst: 128, interval: .milliseconds(50))
        /// The rate of one network's new connections, an IPv4 /24 or an IPv6 /48: 512 at once, then one more every
        /// 10 milliseconds.
        public var connectionRatePerPrefix = Rate(burst: 512, interval: .milliseconds(10))
        /// The longest request, bytes, from its first byte to the empty line. 8 KiB.
        public var requestBytes = 8 << 10
        /// The longest time of a request from the acceptance of the connection, the TLS handshake included. 10 seconds.
        public var requestTime = Duration.seconds(10)
        /// The silence of a connection after which TCP probes it (`TCP_KEEPIDLE`), and again after half of that
        /// (`TCP_KEEPINTVL`); whole seconds, at least 1. 30 seconds.
        public var keepAliveTime = Duration.seconds(30)
        /// The longest time for a peer to acknowledge a probe, or to make room for the bytes sent to it, before the
        /// connection counts as lost (`TCP_USER_TIMEOUT`, RFC 9293 section 3.9.1). 75 seconds.
        public var userTimeout = Duration.seconds(75)
        /// The silence of a peer after which it is sent a ping. 10 minutes, as long as a tunnel lives: no peer is
        /// pinged, since some end at a ping.
        public var pingInterval = Duration.seconds(600)
        /// The silence of a peer, pongs included, after which it counts as lost. 11 minutes.
        public var silence = Duration.seconds(660)
        /// The longest time of a closing connection, once the Close frame has been sent. 5 seconds.
        public var closeTime = Duration.seconds(5)
        /// The most bytes that a closing connection may still bring; they are dropped. 4 MiB.
        public var closingBytes = 4 << 20
        /// The unsent bytes from which on nothing more is read for a connection. 16 KiB; the kernel holds more.
        public var writeBufferBytes = 16 << 10
        /// The most bytes of unfinished and unsent messages in all. 256 MiB.
        ///
        /// When they are used up, the connections that hold more than ``guaranteedBytes`` and want still more are
        /// closed; so are those of a network that holds more than is free.
        public var bufferedBytes = 256 << 20

        /// The longest wait of a client's request to `contact` for its authenticator to acknowledge. 5 seconds.
        public var contactHold = Duration.seconds(5)
        /// The rate of wakes by one contact ID: 20 times, then once more every 30 seconds.
        public var wakesPerContact = Rate(burst: 20, interval: .seconds(30))
        /// The rate of an authenticator's wakes in all: 40 times, then once more every 10 seconds.
        public var wakesPerAuthenticator = Rate(burst: 40, interval: .seconds(10))
        /// The rate of one address's requests for `contact`, known or not: 60 times, then once more every second.
        public var contactsPerAddress = Rate(burst: 60, interval: .seconds(1))
        /// The rate of an authenticator's frames while it waits to be woken: 256, then one more every second. A
        /// registration counts as 17.
        public var listenerFrames = Rate(burst: 256, interval: .seconds(1))
        /// The silence of an authenticator that waits to be woken after which it is sent a ping. 150 seconds.
        public var listenerPingInterval = Duration.seconds(150)
        /// Its silence, pongs included, after which it counts as lost. 330 seconds.
        public var listenerSilence = Duration.seconds(330)

        /// The files that the process keeps for other things than connections.
        public static let reservedFiles = 64

        /// The bytes that a connection may always hold, whatever the others do: 16 KiB. A ceremony's messages fit.
        public static let guaranteedBytes = 16 << 10

        /// The time that a message may take longer for each of its bytes: those of a sender of 16 KiB a second.
        static let slowestByteTime = Duration.seconds(1) / (16 << 10)

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
                ("fragmentsPerMessage", fragmentsPerMessage),
                ("pendingTunnels", pendingTunnels), ("pendingTunnelsPerAddress", pendingTunnelsPerAddress),
                ("connections", connections), ("connectionsPerAddress", connectionsPerAddress),
                ("connectionsPerPrefix", connectionsPerPrefix), ("requestBytes", requestBytes),
                ("closingBytes", closingBytes), ("writeBufferBytes", writeBufferBytes),
                ("bufferedBytes", bufferedBytes),
            ]
            for (name, count) in counts where count < 1 {
                throw TunnelServiceError(.invalidLimits, reason: "\(name) must be at least 1")
            }
            for (name, time) in times where time <= .zero {
                throw TunnelServiceError(.invalidLimits, reason: "\(name) must be longer than zero")
            }
            guard messageBytes <= TunnelWebSocket.maximumMessageByteCount else {
                throw TunnelServiceError(
                    .invalidLimits, reason: "messageBytes must be at most \(TunnelWebSocket.maximumMessageByteCount)")
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
                ("connectionRate", connectionRate), ("connectionRatePerPrefix", connectionRatePerPrefix),
                ("wakesPerContact", wakesPerContact), ("wakesPerAuthenticator", wakesPerAuthenticator),
                ("contactsPerAddress", contactsPerAddress), ("listenerFrames", listenerFrames),
                ("tunnelFrames", tunnelFrames), ("shortRecords", shortRecords),
            ]
            for (name, rate) in rates {
                guard 1...Self.largestRate.burst ~= rate.burst, rate.interval > .zero,
                    rate.interval <= Self.largestRate.interval
                else {
                    throw TunnelServiceError(
                        .invalidLimits,
                        reason:
                            "\(name) must have a burst of 1 to \(Self.largestRate.burst) and an interval of a day at "
                            + "most"
                    )
                }
            }
        }

        /// All the limits that are a time.
        private var times: [(String, Duration)] {
            [
                ("tunnelLifetime", tunnelLifetime), ("pendingLifetime", pendingLifetime),
                ("ceremonyTime", ceremonyTime), ("idleTime", idleTime), ("messageTime", messageTime),
                ("requestTime", requestTime), ("keepAliveTime", keepAliveTime), ("userTimeout", userTimeout),
                ("pingInterval", pingInterval), ("silence", silence),
                ("closeTime", closeTime), ("contactHold", contactHold),
                ("listenerPingInterval", listenerPingInterval), ("listenerSilence", listenerSilence),
            ]
        }

        /// The shortest of the limits that are a time.
        var shortestTime: Duration { times.map(\.1).min() ?? .seconds(1) }
    }
}
