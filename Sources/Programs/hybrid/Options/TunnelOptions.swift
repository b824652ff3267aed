import ArgumentParser
import CommandLine
import HybridProtocol
import HybridTransport
import TunnelClient

/// The address of the tunnel service, and the authorities to trust.
struct TunnelOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The tunnel service, instead of the domain's own: wss://HOST[:PORT].", valueName: "url"),
        transform: Self.service(parsing:))
    var tunnel: TunnelURL.Service?

    @Option(
        help: ArgumentHelp("A file of PEM certificates to trust beside the system's.", valueName: "file"),
        completion: .file())
    var ca: [String] = []

    /// The client of the tunnel service.
    ///
    /// - Parameters:
    ///   - idleTimeout: the silence after which a channel sends a keep-alive; nil for the usual time.
    ///   - keyLog: gets the secrets of each TLS connection.
    /// - Throws: ``Failure`` for a file that cannot be read; ``DataChannelError`` for one that holds no certificates.
    func opener(idleTimeout: Duration? = nil, keyLog: KeyLogFile?) throws -> any TunnelOpener {
        for file in ca { try FileCheck.readable(file, option: "--ca") }
        var configuration = TunnelClient.Configuration()
        configuration.additionalAuthorities = ca
        if let idleTimeout { configuration.idleTimeout = idleTimeout }
        configuration.keyLog = keyLog?.tlsLines
        return try TunnelClient(configuration: configuration)
    }

    private static let secureScheme = "wss://"
    private static let plainScheme = "ws://"

    /// Reads an address at once, not only when the user has scanned the QR code.
    private static func service(parsing text: String) throws -> TunnelURL.Service {
        let isPlain = text.hasPrefix(plainScheme)
        guard isPlain || text.hasPrefix(secureScheme) else { throw ValidationError("give wss://HOST[:PORT]") }
        let authority = text.dropFirst((isPlain ? plainScheme : secureScheme).count)
        guard let address = HostAndPort(authority.hasSuffix("/") ? authority.dropLast() : authority), address.port != 0
        else { throw ValidationError("give wss://HOST[:PORT], without a path") }
        guard !isPlain || address.isLoopback else {
            throw ValidationError("ws:// is for this machine only: give wss://")
        }
        return TunnelURL.Service(address: text)
    }
}
