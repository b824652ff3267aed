public import HybridProtocol
public import HybridTransport

extension TunnelClient: TunnelOpener {
    /// Opens a tunnel with the headers that its request needs; see ``open(_:headers:)``.
    public func open(_ url: String, contact: ContactHeaders?) async throws(DataChannelError) -> OpenedTunnel {
        try await open(url, headers: contact?.fields ?? [])
    }

    /// Opens a connection to the server of this URL and to no other, whatever the configuration says of redirects.
    public func openWithoutRedirects(_ url: String) async throws(DataChannelError) -> OpenedTunnel {
        try await open(url, headers: [], maximumRedirects: 0)
    }
}
