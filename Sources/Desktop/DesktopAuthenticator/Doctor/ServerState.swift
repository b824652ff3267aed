internal import HybridProtocol
internal import HybridTransport
internal import TunnelClient

/// State of a tunnel service's server before any tunnel.
struct ServerState: Sendable {
    /// True if the name has an address; nil if there was no answer in time.
    let name: Bool?
    /// The answer of the server; nil without an address.
    let answer: TunnelServerProbe.Answer?
    let isSecure: Bool

    static func of(_ target: TunnelTarget) async -> Self {
        let probe: TunnelServerProbe
        do throws(DataChannelError) {
            probe = try TunnelServerProbe(target.service.base, authorityFiles: target.authorityFiles)
        } catch {
            return Self(name: false, answer: nil, isSecure: true)
        }
        let name = await probe.resolves()
        return Self(name: name, answer: name == true ? await probe.answer() : nil, isSecure: probe.isSecure)
    }
}
