import ArgumentParser
import BluetoothLE
import CommandLine
import HybridProtocol
package import HybridTransport
import LinuxSupport
import TunnelClient

/// A command that runs ceremonies with another device.
protocol ReachOptions {
    var radio: RadioOption { get }
    var channel: ChannelOption { get }
    var tunnel: TunnelOptions { get }
    var time: TimeLimitOption { get }
}

extension ReachOptions {
    /// The parts of a client's ceremonies.
    ///
    /// - Parameters:
    ///   - code: the options of the QR code.
    ///   - keyLog: gets the keys of the sessions.
    /// - Throws: ``Failure``, ``RadioError``, ``DataChannelError``.
    func clientParts(
        _ code: QROption, keyLog: @autoclosure () throws -> KeyLogFile? = nil
    ) throws -> CeremonyParts {
        let radio = try radio.clientBackend()
        let keyLog = try keyLog()
        var parts = CeremonyParts(
            radio: radio, opener: try tunnel.opener(keyLog: keyLog), service: tunnel.tunnel, channel: channel.offered,
            limits: time.limits, keyLog: keyLog?.trafficKeys)
        parts.connectsAhead = code.connectAhead
        return parts
    }

    /// The parts of an authenticator's ceremonies.
    ///
    /// - Parameters:
    ///   - domain: the tunnel domain of the advert.
    ///   - keyLog: gets the keys of the sessions.
    /// - Throws: ``Failure``, ``RadioError``, ``DataChannelError``.
    func authenticatorParts(_ domain: TunnelDomainOption, keyLog: KeyLogFile? = nil) throws -> CeremonyParts {
        CeremonyParts(
            radio: try radio.backend(), opener: try tunnel.opener(keyLog: keyLog), service: tunnel.tunnel,
            domain: domain.tunnelDomain, channel: channel.accepted, limits: time.limits, keyLog: keyLog?.trafficKeys)
    }
}

/// The data channels that may be used.
struct ChannelOption: ParsableArguments {
    @Option(
        help: .saying(
            "How the devices talk: websocket, through a tunnel service; l2cap, over Bluetooth alone; any, over "
                + "Bluetooth if both can. (default: websocket for a client, any for an authenticator)",
            valueName: "channel"))
    var channel: ChannelChoice?

    /// The channels that a client offers: Bluetooth only on request, because two BlueZ that have just disconnected
    /// can lose data.
    var offered: ChannelChoice { channel ?? .webSocket }
    /// The channels that an authenticator accepts of a client's offer.
    var accepted: ChannelChoice { channel ?? .any }
}

extension ChannelChoice: ExpressibleByArgument {}

/// The address of the tunnel service, and the authorities to trust.
struct TunnelOptions: ParsableArguments {
    @Option(
        help: .saying("The tunnel service, instead of the domain's own: wss://HOST[:PORT].", valueName: "url"),
        transform: Self.service(parsing:))
    var tunnel: TunnelURL.Service?

    @Option(
        help: .saying("A file of PEM certificates to trust in addition to the system's.", valueName: "file"),
        completion: .file())
    var ca: [String] = []

    @Option(
        help: .saying(
            "The HTTP proxy: http://HOST[:PORT], or none. (default: that of https_proxy)", valueName: "url"))
    var proxy: String?

    private static let noProxy = "none"

    func validate() throws {
        // A refused value is not repeated: it may have a password.
        guard let proxy, proxy != Self.noProxy else { return }
        guard !proxy.contains("@") else {
            throw ValidationError.saying("--proxy takes no name and password: give those in the variable https_proxy")
        }
        guard proxies.isWellFormed else {
            throw ValidationError.saying("--proxy is neither http://HOST[:PORT] nor none")
        }
    }

    /// The proxies through which servers are reached.
    var proxies: ProxySettings {
        proxy == Self.noProxy ? .none : ProxySettings(proxy, environment: ProcessEnvironment.value)
    }

    /// The client of the tunnel service.
    ///
    /// - Parameter keyLog: gets the secrets of each TLS connection.
    /// - Throws: ``Failure`` for a file that cannot be read; ``DataChannelError`` for one that holds no certificates.
    func opener(keyLog: KeyLogFile? = nil) throws -> TunnelClient {
        for file in ca { try FileCheck.readable(file, option: "--ca") }
        var configuration = TunnelClient.Configuration()
        configuration.additionalAuthorities = ca
        configuration.proxies = proxies
        configuration.keyLog = keyLog?.tlsLines
        return try TunnelClient(configuration: configuration)
    }

    private static let secureScheme = "wss://"
    private static let plainScheme = "ws://"

    /// Reads an address at once, not only when the user has scanned the QR code.
    private static func service(parsing text: String) throws -> TunnelURL.Service {
        let isPlain = text.hasPrefix(plainScheme)
        guard isPlain || text.hasPrefix(secureScheme) else { throw ValidationError.saying("give wss://HOST[:PORT]") }
        let authority = text.dropFirst((isPlain ? plainScheme : secureScheme).count)
        guard let address = HostAndPort(authority.hasSuffix("/") ? authority.dropLast() : authority), address.port != 0
        else { throw ValidationError.saying("give wss://HOST[:PORT], without a path") }
        guard !isPlain || address.isLoopback else {
            throw ValidationError.saying("ws:// is for this machine only: give wss://")
        }
        return TunnelURL.Service(address: text)
    }
}

/// The option that chooses the tunnel service of an authenticator.
struct TunnelDomainOption: ParsableArguments {
    @Option(
        help: .saying(
            "The tunnel domain that the advert names: 0, 1, or 256 and above. (default: 0)", valueName: "number"),
        transform: Self.domain(parsing:))
    var tunnelDomain: TunnelDomain = .google

    private static func domain(parsing text: String) throws -> TunnelDomain {
        // UInt16's own parser takes a leading plus sign.
        guard text.first != "+", let number = UInt16(text), let domain = try? TunnelDomain(number) else {
            throw ValidationError.saying("give 0, 1, or 256 to 65535")
        }
        return domain
    }
}

/// The time limit for people.
struct TimeLimitOption: ParsableArguments {
    @Option(
        help: .saying(
            "How many seconds to wait for a person or the other device at each stage.", valueName: "seconds"))
    var timeout: UInt32 = 120

    func validate() throws {
        guard timeout > 0 else { throw ValidationError.saying("--timeout takes 1 second or more") }
    }

    /// People get as long as the option says. Machines keep their own limits, unless those are longer than that.
    var limits: TimeLimits {
        var limits = TimeLimits.standard
        let people = Duration.seconds(timeout)
        // Who wants a person to be waited for less long wants it of a client too.
        if people < limits.command { limits.departure = people }
        limits.discovery = people
        limits.command = people
        limits.lateUpdate = people
        limits.advertising = min(limits.advertising, people)
        limits.idle = min(limits.idle, people)
        limits.tunnel = min(limits.tunnel, people)
        limits.handshake = min(limits.handshake, people)
        return limits
    }
}
