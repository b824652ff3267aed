import Metrics
import NIOHTTP1

/// The service's counters in swift-metrics. No label carries an identifier.
///
/// | label | dimensions | counts |
/// |---|---|---|
/// | `tunnel_service_connections_total` | | connections accepted |
/// | `tunnel_service_connections_dropped_total` | | connections closed without an answer, beyond every limit |
/// | `tunnel_service_refusals_total` | `status` | requests refused |
/// | `tunnel_service_registrations_total` | | registrations of authenticators that want contact IDs, or to be woken |
/// | `tunnel_service_wakes_total` | | wakes that the authenticator acknowledged |
/// | `tunnel_service_tunnels_opened_total` | | tunnels opened: by an authenticator, or by a client after its wake |
/// | `tunnel_service_tunnels_paired_total` | | tunnels whose second end joined |
/// | `tunnel_service_tunnels_closed_total` | `reason` | tunnels that ended |
/// | `tunnel_service_messages_total` | | messages passed on |
/// | `tunnel_service_bytes_total` | | their bytes |
struct ServiceMetrics: Sendable {
    private let connections: Counter
    private let dropped: Counter
    private let registrations: Counter
    private let wakes: Counter
    private let opened: Counter
    private let paired: Counter
    private let messages: Counter
    private let bytes: Counter

    private let refusals: [UInt: Counter]
    private let closed: [EndReason: Counter]

    /// Makes the counters.
    init(_ factory: any MetricsFactory) {
        connections = Counter(label: "tunnel_service_connections_total", factory: factory)
        dropped = Counter(label: "tunnel_service_connections_dropped_total", factory: factory)
        registrations = Counter(label: "tunnel_service_registrations_total", factory: factory)
        wakes = Counter(label: "tunnel_service_wakes_total", factory: factory)
        opened = Counter(label: "tunnel_service_tunnels_opened_total", factory: factory)
        paired = Counter(label: "tunnel_service_tunnels_paired_total", factory: factory)
        messages = Counter(label: "tunnel_service_messages_total", factory: factory)
        bytes = Counter(label: "tunnel_service_bytes_total", factory: factory)
        refusals = Dictionary(
            Refusal.statuses.map { status in
                let dimensions = [("status", "\(status.code)")]
                return (
                    status.code,
                    Counter(label: "tunnel_service_refusals_total", dimensions: dimensions, factory: factory)
                )
            },
            uniquingKeysWith: { first, _ in first }
        )
        closed = Dictionary(
            EndReason.allCases.map { reason in
                let dimensions = [("reason", reason.rawValue)]
                return (
                    reason,
                    Counter(label: "tunnel_service_tunnels_closed_total", dimensions: dimensions, factory: factory)
                )
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Counts a connection.
    func accepted() { connections.increment() }

    /// Counts a connection that was closed without an answer.
    func connectionDropped() { dropped.increment() }

    /// Counts a registration.
    func registered() { registrations.increment() }

    /// Counts a wake that was acknowledged.
    func woken() { wakes.increment() }

    /// Counts a tunnel that was opened.
    func tunnelOpened() { opened.increment() }

    /// Counts a tunnel whose second end joined.
    func tunnelPaired() { paired.increment() }

    /// Counts a message of this length that was passed on.
    func relayed(byteCount: Int) {
        messages.increment()
        bytes.increment(by: byteCount)
    }

    /// Counts a refused request.
    func refused(_ refusal: Refusal) { refusals[refusal.status.code]?.increment() }

    /// Counts a tunnel that ended.
    func ended(_ reason: EndReason) { closed[reason]?.increment() }
}
