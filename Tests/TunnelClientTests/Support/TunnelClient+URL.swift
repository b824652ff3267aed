import HybridProtocol
import HybridTransport
import TunnelClient

extension TunnelClient {
    /// Opens a URL.
    func open(
        _ url: String, headers: [(name: String, value: String)] = []
    ) async throws(DataChannelError) -> OpenedTunnel {
        try await open(TunnelRequest(url: url, headers: headers))
    }
}
