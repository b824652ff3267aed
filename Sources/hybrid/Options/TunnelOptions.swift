import ArgumentParser
import Edges
import HybridProtocol
import TunnelClient

/// How the tunnel service is reached.
struct TunnelOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The tunnel service, instead of the domain's own: wss://HOST[:PORT].", valueName: "url"))
    var tunnel: String?

    @Option(help: ArgumentHelp("A file of PEM certificates to trust beside the system's.", valueName: "file"))
    var ca: [String] = []

    var service: TunnelURL.Service? { tunnel.map(TunnelURL.Service.init(address:)) }

    /// The client of the tunnel service.
    ///
    /// - Throws: ``DataChannelError`` for a file that holds no certificates.
    func opener() throws -> any TunnelOpener {
        var configuration = TunnelClient.Configuration()
        configuration.additionalAuthorities = ca
        return try TunnelClient(configuration: configuration)
    }
}
