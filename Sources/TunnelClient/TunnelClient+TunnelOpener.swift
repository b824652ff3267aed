public import Edges

extension TunnelClient: TunnelOpener {
    /// Opens a tunnel with the usual request headers; see ``open(_:headers:)``.
    public func open(_ url: String) async throws(DataChannelError) -> OpenedTunnel {
        try await open(url, headers: [])
    }
}
