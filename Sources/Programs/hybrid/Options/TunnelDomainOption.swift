import ArgumentParser
import HybridProtocol

/// The option that chooses the tunnel service of an authenticator.
struct TunnelDomainOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The tunnel domain that the advert names: 0, 1, or 256 and above. (default: 0)", valueName: "number"),
        transform: Self.domain(parsing:))
    var tunnelDomain: TunnelDomain = .google

    /// The address of the service.
    ///
    /// - Throws: ``HybridProtocolError`` for a domain that is not assigned.
    func service(_ tunnel: TunnelOptions) throws(HybridProtocolError) -> TunnelURL.Service {
        if let service = tunnel.tunnel { service } else { try TunnelURL.Service(tunnelDomain) }
    }

    private static func domain(parsing text: String) throws -> TunnelDomain {
        // UInt16's own parser takes a leading plus sign.
        guard text.first != "+", let number = UInt16(text), let domain = try? TunnelDomain(number) else {
            throw ValidationError("give 0, 1, or 256 to 65535")
        }
        return domain
    }
}
