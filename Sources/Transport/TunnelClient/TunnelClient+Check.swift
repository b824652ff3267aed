package import HybridProtocol

extension TunnelClient {
    /// Looks whether something answers at the address of a tunnel service, by a TCP connection that is closed at once.
    /// Nothing is sent to it; where there is a proxy, that is asked to connect.
    ///
    /// - Parameters:
    ///   - service: the address of the tunnel service.
    ///   - limit: the time after which no answer counts as none that is bad.
    /// - Throws: `unreachable`, for a name without an address or a port at which nothing answers; `invalid-url`;
    ///   `proxy-failed`.
    package func check(_ service: TunnelURL.Service, within limit: Duration) async throws(DataChannelError) {
        let attempt = try attempt(to: WebSocketURL(parsing: service.base), isSecured: false)
        guard let error = await attempt.look(within: limit), error.code != .timeout else { return }
        throw error
    }
}
