package import HybridProtocol
package import NIOCore
internal import NIOPosix
internal import Synchronization

/// Opens tunnels: WebSockets of the subprotocol `fido.cable` to a tunnel service.
///
/// Source: CTAP 2.2 section 11.5.1 (the tunnel service); HT-TUN-1, HT-TUN-3; RFC 6455. Everything that the
/// service sends is treated as hostile: its cost in time and memory is bounded, and every refusal has a name.
package struct TunnelClient: TunnelOpener {
    /// The configuration of this client.
    package let configuration: Configuration
    let eventLoopGroup: any EventLoopGroup
    private let trust: TrustStore
    /// Connections that were made ahead.
    private let waiting = WaitingConnections()

    /// Makes a client; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - configuration: trust, time limits and sizes.
    ///   - eventLoopGroup: the threads that serve the connections; NIO's shared ones by default.
    /// - Throws: `tls-failed` if a certificate authority cannot be read.
    package init(
        configuration: Configuration = Configuration(),
        eventLoopGroup: (any EventLoopGroup)? = nil
    ) throws(DataChannelError) {
        self.configuration = configuration
        self.eventLoopGroup = eventLoopGroup ?? MultiThreadedEventLoopGroup.singleton
        self.trust = try TrustStore(
            systemRoots: configuration.trustsSystemRoots,
            authorityFiles: configuration.additionalAuthorities,
            authorityTexts: configuration.additionalAuthorityTexts,
            keyLog: configuration.keyLog
        )
    }

    /// Opens a tunnel, following redirects.
    ///
    /// Cancelling the task closes the connections that are open by then and ends the wait.
    ///
    /// - Parameter request: its URL is `wss://host[:port]/path`; `ws://` for this machine, or where the configuration
    ///   allows it.
    /// - Returns: the open channel, a ``WebSocketChannel``, and the values of the service's answer.
    /// - Throws: `invalid-url`, `unreachable`, `tls-failed`, `timeout`, `connection-lost`, `redirect-refused`,
    ///   `proxy-failed`, `subprotocol-missing`, `gone` for the status 410, `unavailable` for 503, `too-many-requests`
    ///   for 429, `upgrade-refused` for any other answer, or `cancelled`.
    package func open(_ request: TunnelRequest) async throws(DataChannelError) -> OpenedTunnel {
        guard request.headers.allSatisfy(Self.isSound) else {
            throw DataChannelError(.upgradeRefused, reason: "a request header has an invalid character")
        }
        var configuration = configuration
        if let idleTimeout = request.idleTimeout { configuration.idleTimeout = idleTimeout }
        let maximumRedirects = request.followsRedirects ? configuration.maximumRedirects : 0
        let first = try WebSocketURL(parsing: request.url)
        var target = first
        guard permits(target) else {
            throw DataChannelError(.invalidURL, reason: "ws:// is for this machine only; use wss://")
        }
        var visited: Set<WebSocketURL> = [target]
        var takesWaiting = request.takesConnection
        while true {
            let held = takesWaiting ? waiting.take(to: target) : nil
            takesWaiting = false
            let attempt =
                switch held {
                case .some(let held): held
                case nil: try attempt(to: target)
                }
            let outcome: ConnectionAttempt.Outcome
            do throws(DataChannelError) {
                outcome = try await attempt.run(
                    .init(target: target, headers: request.headers, configuration: configuration))
            } catch {
                // It had waited, and its end crossed the request.
                if held != nil, error.code == .connectionLost { continue }
                throw error.afterRedirect(from: first == target ? nil : first)
            }
            switch outcome {
            case .opened(let tunnel):
                TunnelLog.note("opened")
                return tunnel
            case .redirected(let location):
                guard visited.count <= maximumRedirects else {
                    // The first URL is among those visited.
                    throw WebSocketURL.redirectRefusal("more than \(maximumRedirects) redirects")
                }
                target = try next(after: target, location: location, visited: &visited)
                TunnelLog.note("redirected", target)
            }
        }
    }

    /// Connects ahead; see `TunnelOpener`.
    ///
    /// Nothing is sent but TLS's own messages. Where `ws://` is not permitted nothing is done.
    package func connectAhead(to service: TunnelURL.Service) async -> Bool {
        guard let target = try? WebSocketURL(parsing: service.base), permits(target),
            let attempt = try? attempt(to: target)
        else { return true }
        waiting.add(attempt)
        defer { waiting.remove(attempt) }
        return await attempt.waitForRequest()
    }

    /// Makes an attempt to connect to a server.
    ///
    /// - Parameter isSecured: false to leave TLS out, where nothing is sent.
    func attempt(to server: WebSocketURL, isSecured: Bool = true) throws(DataChannelError) -> ConnectionAttempt {
        let way = try configuration.proxies.way(to: server)
        TunnelLog.connecting(to: server, way)
        return ConnectionAttempt(
            to: server, configuration: configuration, way: way, trust: isSecured && server.isSecure ? trust : nil,
            eventLoop: eventLoopGroup.next())
    }

    private func next(
        after target: WebSocketURL,
        location: String,
        visited: inout Set<WebSocketURL>
    ) throws(DataChannelError) -> WebSocketURL {
        let next = try target.redirected(to: location)
        guard permits(next) else { throw WebSocketURL.redirectRefusal("the new location is without TLS") }
        guard visited.insert(next).inserted else { throw WebSocketURL.redirectRefusal("the redirects form a loop") }
        return next
    }

    /// True if a header is of visible ASCII and spaces, so that it cannot become two.
    private static func isSound(_ header: (name: String, value: String)) -> Bool {
        let visible = UInt8(ascii: "!")...UInt8(ascii: "~")
        return !header.name.isEmpty && header.name.utf8.allSatisfy { visible.contains($0) && $0 != UInt8(ascii: ":") }
            && header.value.utf8.allSatisfy { visible.contains($0) || $0 == UInt8(ascii: " ") }
    }

    private func permits(_ url: WebSocketURL) -> Bool {
        url.isSecure || url.isLoopback || configuration.allowsPlaintext
    }
}

extension TunnelClient {
    /// Trust, time limits and sizes of a client.
    package struct Configuration: Sendable {
        /// True if the certificate authorities of this system are trusted.
        package var trustsSystemRoots = true
        /// Paths of PEM files with further certificate authorities to trust.
        package var additionalAuthorities: [String] = []
        /// Further certificate authorities to trust, each the text of a PEM file.
        package var additionalAuthorityTexts: [[UInt8]] = []
        /// The time limit of name look-up, connection and TLS handshake together, for each server.
        package var connectTimeout: Duration = .seconds(15)
        /// The time after which another connection to the same server is begun, while the first is not there: TCP sends
        /// a first packet that was lost again only after a second. The one that is there first is used.
        ///
        /// Source: the Minimum Connection Attempt Delay of RFC 8305 section 5. That section's 250 ms, for who cannot
        /// know the round trip, are for connections to different addresses; with them one lost packet would cost half
        /// of a sign-in 40 ms from its service.
        package var connectionAttemptDelay: Duration = .milliseconds(100)
        /// The longest time for which a connection that is made ahead waits for its request.
        package var waitingTimeout: Duration = .seconds(30)
        /// The time limit from the request to the end of the answer's head.
        package var upgradeTimeout: Duration = .seconds(15)
        /// The silence after which the peer is pinged, and the further silence after which it is given up.
        ///
        /// A peer that lives answers the ping, so that a user may think for as long as they like. Fewer than 256 bytes
        /// that do not complete a frame count as silence: a byte now and then does not keep a tunnel open.
        package var idleTimeout: Duration = .seconds(30)
        /// The time limit of the peer's answer to a close, after which its connection is cut.
        package var closeTimeout: Duration = .seconds(2)
        /// The longest message in either direction, in bytes: 1…2^30; other values are brought into that range.
        ///
        /// Implementations in the field take 1 MiB (HT-TUN-75).
        package var maximumMessageSize = TunnelWebSocket.defaultMessageByteCount
        /// The most redirects that are followed (HT-TUN-37).
        package var maximumRedirects = 5
        /// True if the `Origin` header is sent; some services ask for it, and all take it (HT-TUN-9).
        package var sendsOrigin = true
        /// True if `ws://` is allowed to servers on other machines. It always is to this one.
        package var allowsPlaintext = false

        /// The proxies through which servers are reached: none unless told.
        package var proxies = ProxySettings.none

        /// Gets the secrets of each TLS connection, as lines of an NSS key log; nil but in a laboratory.
        package var keyLog: (@Sendable ([UInt8]) -> Void)?

        /// The usual configuration.
        package init() {}
    }
}

extension TunnelClient.Configuration {
    /// The longest message, brought into the range that the framing can carry.
    var messageLimit: Int { min(max(maximumMessageSize, 1), TunnelWebSocket.maximumMessageByteCount) }
}

/// The connections of a client that wait for a request.
private final class WaitingConnections: Sendable {
    private let attempts = Mutex<[ConnectionAttempt]>([])

    func add(_ attempt: ConnectionAttempt) { attempts.withLock { $0.append(attempt) } }

    func remove(_ attempt: ConnectionAttempt) { attempts.withLock { $0.removeAll { $0 === attempt } } }

    /// Takes a connection to a request's server; nil if none is alive.
    func take(to target: WebSocketURL) -> ConnectionAttempt? {
        attempts.withLock { $0.first { $0.server.hasServer(of: target) && $0.take() } }
    }
}
