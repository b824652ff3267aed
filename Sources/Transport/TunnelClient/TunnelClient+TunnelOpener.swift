public import TransportInterfaces
public import TunnelProtocol

extension TunnelClient: TunnelOpener {
    /// Opens a tunnel with the headers that its request needs; see ``open(_:headers:)``.
    public func open(_ url: String, contact: ContactHeaders?) async throws(DataChannelError) -> OpenedTunnel {
        try await open(url, headers: contact?.fields ?? [])
    }
}
