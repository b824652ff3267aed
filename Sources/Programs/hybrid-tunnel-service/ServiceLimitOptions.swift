import ArgumentParser
import CommandLine
import LinuxSupport
import TunnelService

/// The limits of the tunnel service, with the library's defaults.
struct ServiceLimitOptions: ParsableArguments {
    private static let standard = TunnelService.Limits()

    @Option(
        help: Self.help(
            "Maximum open connections, fewer if the process may open fewer files. Beyond it, a new connection replaces "
                + "the one that has been silent longest in the greediest network.", "number"))
    var connections = standard.connections

    @Option(help: Self.help("Maximum connections from one address (IPv6: from one /64).", "number"))
    var connectionsPerAddress = standard.connectionsPerAddress

    @Option(
        help: Self.help(
            "Maximum connections from one network (IPv4 /24, IPv6 /48); at least --connections for no such limit.",
            "number"))
    var connectionsPerNetwork = standard.connectionsPerPrefix

    @Option(help: Self.help("New connections, and TLS handshakes, from one address; none for loopback.", Self.rate))
    var connectionRate = RateArgument(standard.connectionRate)

    @Option(help: Self.help("New connections from one network.", Self.rate))
    var networkConnectionRate = RateArgument(standard.connectionRatePerPrefix)

    @Option(
        help: Self.help(
            "Maximum tunnels that wait for their second end, and at most half of the connections. Beyond it, a new "
                + "tunnel replaces the oldest of the greediest network.", "number"))
    var pendingTunnels = standard.pendingTunnels

    @Option(help: Self.help("Maximum waiting tunnels from one address.", "number"))
    var pendingTunnelsPerAddress = standard.pendingTunnelsPerAddress

    @Option(help: Self.help("Maximum wait for the second end.", Self.time))
    var pendingTime = TimeArgument(standard.pendingLifetime)

    @Option(help: Self.help("Maximum lifetime of a tunnel with both ends.", Self.time))
    var tunnelTime = TimeArgument(standard.tunnelLifetime)

    @Option(help: Self.help("Duration of a ceremony, during which its two connections are evicted last.", Self.time))
    var ceremonyTime = TimeArgument(standard.ceremonyTime)

    @Option(
        help: Self.help(
            "Maximum time without a message outside a ceremony, once three quarters of the connections are in use.",
            Self.time))
    var idleTime = TimeArgument(standard.idleTime)

    @Option(help: Self.help("Maximum time for a message, plus a second for each 16 KiB of it.", Self.time))
    var messageTime = TimeArgument(standard.messageTime)

    @Option(help: Self.help("Maximum length of a message.", "bytes"))
    var messageBytes = standard.messageBytes

    @Option(help: Self.help("Maximum messages from each end of a tunnel.", "number"))
    var messagesPerSide = standard.messagesPerSide

    @Option(help: Self.help("Frames from each end of a tunnel, including pings and pongs.", Self.rate))
    var tunnelFrames = RateArgument(standard.tunnelFrames)

    @Option(help: Self.help("TLS records of a connection that are shorter than 512 bytes.", Self.rate))
    var shortRecords = RateArgument(standard.shortRecords)

    @Option(help: Self.help("Maximum frames of a message.", "number"))
    var fragmentsPerMessage = standard.fragmentsPerMessage

    @Option(help: Self.help("Maximum bytes from each end of a tunnel.", "bytes"))
    var bytesPerSide = standard.bytesPerSide

    @Option(help: Self.help("Maximum total bytes of unfinished and unsent messages.", "bytes"))
    var bufferedBytes = standard.bufferedBytes

    @Option(help: Self.help("Unsent bytes at which reading for a connection stops.", "bytes"))
    var writeBufferBytes = standard.writeBufferBytes

    @Option(help: Self.help("Maximum length of a request.", "bytes"))
    var requestBytes = standard.requestBytes

    @Option(help: Self.help("Maximum time for a request, including its TLS handshake.", Self.time))
    var requestTime = TimeArgument(standard.requestTime)

    @Option(help: Self.help("Silence of a connection after which TCP probes it.", Self.time))
    var keepAliveTime = TimeArgument(standard.keepAliveTime)

    @Option(help: Self.help("Maximum time without a TCP acknowledgement.", Self.time))
    var userTimeout = TimeArgument(standard.userTimeout)

    @Option(help: Self.help("Silence of a peer after which it is pinged.", Self.time))
    var pingInterval = TimeArgument(standard.pingInterval)

    @Option(help: Self.help("Silence of a peer after which it counts as lost.", Self.time))
    var silence = TimeArgument(standard.silence)

    @Option(help: Self.help("Maximum time for a connection to close.", Self.time))
    var closeTime = TimeArgument(standard.closeTime)

    @Option(help: Self.help("Maximum bytes that a closing connection may still send.", "bytes"))
    var closingBytes = standard.closingBytes

    @Option(help: Self.help("Maximum wait of a linked client for its authenticator to acknowledge.", Self.time))
    var contactHold = TimeArgument(standard.contactHold)

    @Option(help: Self.help("Wakes by one contact ID.", Self.rate))
    var wakesPerContact = RateArgument(standard.wakesPerContact)

    @Option(help: Self.help("Wakes of one authenticator.", Self.rate))
    var wakesPerAuthenticator = RateArgument(standard.wakesPerAuthenticator)

    @Option(help: Self.help("Requests from one address to wake an authenticator.", Self.rate))
    var contactsPerAddress = RateArgument(standard.contactsPerAddress)

    @Option(help: Self.help("Frames from an authenticator that waits to be woken.", Self.rate))
    var listenerFrames = RateArgument(standard.listenerFrames)

    @Option(help: Self.help("Silence of such an authenticator after which it is pinged.", Self.time))
    var listenerPingInterval = TimeArgument(standard.listenerPingInterval)

    @Option(help: Self.help("Silence of such an authenticator after which it counts as lost.", Self.time))
    var listenerSilence = TimeArgument(standard.listenerSilence)

    private static let rate = "n/seconds"
    private static let time = "seconds"

    private static func help(_ text: Sentence, _ valueName: String) -> ArgumentHelp {
        .saying(text, valueName: valueName)
    }

    /// The limits that are asked for; the service checks them when it starts.
    var limits: TunnelService.Limits {
        var limits = TunnelService.Limits()
        limits.connections = connections
        limits.connectionsPerAddress = connectionsPerAddress
        limits.connectionsPerPrefix = connectionsPerNetwork
        limits.connectionRate = connectionRate.rate
        limits.connectionRatePerPrefix = networkConnectionRate.rate
        limits.pendingTunnels = pendingTunnels
        limits.pendingTunnelsPerAddress = pendingTunnelsPerAddress
        limits.pendingLifetime = pendingTime.duration
        limits.tunnelLifetime = tunnelTime.duration
        limits.ceremonyTime = ceremonyTime.duration
        limits.idleTime = idleTime.duration
        limits.messageTime = messageTime.duration
        limits.messageBytes = messageBytes
        limits.messagesPerSide = messagesPerSide
        limits.tunnelFrames = tunnelFrames.rate
        limits.shortRecords = shortRecords.rate
        limits.fragmentsPerMessage = fragmentsPerMessage
        limits.bytesPerSide = bytesPerSide
        limits.bufferedBytes = bufferedBytes
        limits.writeBufferBytes = writeBufferBytes
        limits.requestBytes = requestBytes
        limits.requestTime = requestTime.duration
        limits.keepAliveTime = keepAliveTime.duration
        limits.userTimeout = userTimeout.duration
        limits.pingInterval = pingInterval.duration
        limits.silence = silence.duration
        limits.closeTime = closeTime.duration
        limits.closingBytes = closingBytes
        limits.contactHold = contactHold.duration
        limits.wakesPerContact = wakesPerContact.rate
        limits.wakesPerAuthenticator = wakesPerAuthenticator.rate
        limits.contactsPerAddress = contactsPerAddress.rate
        limits.listenerFrames = listenerFrames.rate
        limits.listenerPingInterval = listenerPingInterval.duration
        limits.listenerSilence = listenerSilence.duration
        return limits
    }
}

/// A time in seconds, such as `30` or `0.5`: from a millisecond to a year.
struct TimeArgument: ExpressibleByArgument, CustomStringConvertible {
    let duration: Duration

    private static let milliseconds = 1_000.0
    private static let allowed = 0.001...31_536_000.0

    init(_ duration: Duration) { self.duration = duration }

    init?(argument: String) {
        guard let first = argument.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
            let seconds = Double(argument), Self.allowed.contains(seconds)
        else { return nil }
        duration = .milliseconds(Int64((seconds * Self.milliseconds).rounded()))
    }

    var description: String {
        let seconds = duration / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int64(seconds))" : "\(seconds)"
    }

    var defaultValueDescription: String { description }
}

/// A rate such as `20/30`: 20 at once, then one more every 30 seconds.
struct RateArgument: ExpressibleByArgument, CustomStringConvertible {
    let rate: TunnelService.Rate

    init(_ rate: TunnelService.Rate) { self.rate = rate }

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let burst = Int(parts[0]), let interval = TimeArgument(argument: String(parts[1]))
        else { return nil }
        rate = .init(burst: burst, interval: interval.duration)
    }

    var description: String { "\(rate.burst)/\(TimeArgument(rate.interval))" }

    var defaultValueDescription: String { description }
}
