import Metrics
import NIOCore
import NIOHTTP1

/// The service's counters, gauges and histograms in swift-metrics. No label carries an identifier.
///
/// A class, because a copy for each message would retain every one of them.
final class ServiceMetrics: Sendable {
    /// The names, each with its meaning. Of three, each value of a dimension counts on its own: `status` of a refusal,
    /// `reason` of a tunnel's end or of an eviction.
    static let help = [
        "tunnel_service_connections_total": "Connections accepted.",
        "tunnel_service_connections_dropped_total": "Connections closed without an answer, beyond every limit.",
        "tunnel_service_refusals_total": "Requests refused, by status.",
        "tunnel_service_registrations_total": "Registrations of authenticators that want contact IDs, or to be woken.",
        "tunnel_service_wakes_total": "Wakes that the authenticator acknowledged.",
        "tunnel_service_tunnels_opened_total": "Tunnels opened: by an authenticator, or by a client after its wake.",
        "tunnel_service_tunnels_paired_total": "Tunnels whose second end joined.",
        "tunnel_service_tunnels_closed_total": "Tunnels that ended, by reason.",
        "tunnel_service_evictions_total":
            "Connections evicted because others needed their places, by their purpose; silence: early.",
        "tunnel_service_messages_total": "Messages passed on.",
        "tunnel_service_bytes_total": "Bytes of messages passed on.",
        "tunnel_service_connections": "Open connections.",
        "tunnel_service_tunnels_pending": "Tunnels that wait for their second end.",
        "tunnel_service_tunnels_paired": "Tunnels that have both ends.",
        "tunnel_service_authenticators": "Authenticators that wait to be woken.",
        "tunnel_service_contacts_pending": "Clients that wait for their authenticator to know of them.",
        "tunnel_service_buffered_bytes": "Bytes of unfinished and unsent messages.",
        "tunnel_service_ready": "1 while new connections are accepted, otherwise 0.",
        "tunnel_service_cluster_connected": "1 while other nodes can be reached, 0 while not, or if there are none.",
        "tunnel_service_cluster_wakes_total": "Wakes of authenticators that wait at other nodes, acknowledged.",
        "tunnel_service_cluster_dropped_total": "Messages between nodes that were rejected, by reason.",
        "tunnel_service_cluster_gaps_total":
            "Gaps in the messages of other nodes, after which everything that waits was announced again.",
        "tunnel_service_setup_seconds": "From a connection's acceptance to the answer 101, TLS included.",
        "tunnel_service_wake_seconds": "From a client's request to the acknowledgement of its authenticator.",
        "tunnel_service_relay_seconds": "From a message's last byte until the other end's connection has taken it.",
    ]

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
    private let evictions: [Place.Standing?: Counter]

    private let openConnections: Meter
    private let pending: Meter
    private let pairs: Meter
    private let authenticators: Meter
    private let contacts: Meter
    private let bufferedBytes: Meter
    private let ready: Meter
    private let clusterConnected: Meter
    private let clusterWakes: Counter
    private let clusterGaps: Counter
    private let clusterDrops: [ClusterMessage.Violation: Counter]

    private let setUps: Timer
    private let wakeTimes: Timer
    private let relayTimes: Timer

    /// Makes them.
    init(_ factory: any MetricsFactory) {
        openConnections = Meter(label: "tunnel_service_connections", factory: factory)
        pending = Meter(label: "tunnel_service_tunnels_pending", factory: factory)
        pairs = Meter(label: "tunnel_service_tunnels_paired", factory: factory)
        authenticators = Meter(label: "tunnel_service_authenticators", factory: factory)
        contacts = Meter(label: "tunnel_service_contacts_pending", factory: factory)
        bufferedBytes = Meter(label: "tunnel_service_buffered_bytes", factory: factory)
        ready = Meter(label: "tunnel_service_ready", factory: factory)
        clusterConnected = Meter(label: "tunnel_service_cluster_connected", factory: factory)
        clusterWakes = Counter(label: "tunnel_service_cluster_wakes_total", factory: factory)
        clusterGaps = Counter(label: "tunnel_service_cluster_gaps_total", factory: factory)
        clusterDrops = Dictionary(
            uniqueKeysWithValues: ClusterMessage.Violation.allCases.map { reason in
                let dimensions = [("reason", reason.rawValue)]
                return (
                    reason,
                    Counter(label: "tunnel_service_cluster_dropped_total", dimensions: dimensions, factory: factory)
                )
            })
        setUps = Timer(label: "tunnel_service_setup_seconds", factory: factory)
        wakeTimes = Timer(label: "tunnel_service_wake_seconds", factory: factory)
        relayTimes = Timer(label: "tunnel_service_relay_seconds", factory: factory)
        connections = Counter(label: "tunnel_service_connections_total", factory: factory)
        dropped = Counter(label: "tunnel_service_connections_dropped_total", factory: factory)
        registrations = Counter(label: "tunnel_service_registrations_total", factory: factory)
        wakes = Counter(label: "tunnel_service_wakes_total", factory: factory)
        opened = Counter(label: "tunnel_service_tunnels_opened_total", factory: factory)
        paired = Counter(label: "tunnel_service_tunnels_paired_total", factory: factory)
        messages = Counter(label: "tunnel_service_messages_total", factory: factory)
        bytes = Counter(label: "tunnel_service_bytes_total", factory: factory)
        refusals = Dictionary(
            HTTPRefusal.statuses.map { status in
                let dimensions = [("status", "\(status.code)")]
                return (
                    status.code,
                    Counter(label: "tunnel_service_refusals_total", dimensions: dimensions, factory: factory)
                )
            },
            uniquingKeysWith: { first, _ in first }
        )
        evictions = Dictionary(
            uniqueKeysWithValues: (Place.Standing.allCases + [nil]).map { standing in
                let dimensions = [("reason", standing?.name ?? "silence")]
                return (
                    standing,
                    Counter(label: "tunnel_service_evictions_total", dimensions: dimensions, factory: factory)
                )
            })
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

    /// Counts a connection that was ended because others needed its place; `nil` for one that was silent while places
    /// were short.
    func evicted(_ standing: Place.Standing?) { evictions[standing]?.increment() }

    /// Counts a connection.
    func accepted() { connections.increment() }

    /// Counts a connection that was closed without an answer.
    func connectionDropped() { dropped.increment() }

    /// Counts a registration.
    func registered() { registrations.increment() }

    /// Counts a wake that was acknowledged after this time.
    func woken(after time: TimeAmount) {
        wakes.increment()
        wakeTimes.recordNanoseconds(time.nanoseconds)
    }

    /// Counts a wake of an authenticator at another node.
    func clusterWoken() { clusterWakes.increment() }

    /// Counts that messages of another node did not come.
    func clusterGap() { clusterGaps.increment() }

    /// Counts a message of another node that was not believed.
    func clusterDropped(_ reason: ClusterMessage.Violation) { clusterDrops[reason]?.increment() }

    /// Counts the time of a set-up.
    func setUp(in time: TimeAmount) { setUps.recordNanoseconds(time.nanoseconds) }

    /// Counts the time in which messages were taken by the other end.
    func taken(in time: TimeAmount) { relayTimes.recordNanoseconds(time.nanoseconds) }

    /// Sets the gauges.
    func observe(_ state: Relay) {
        openConnections.set(state.counter.count)
        pending.set(state.registry.pendingCount)
        pairs.set(state.registry.pairedCount)
        authenticators.set(state.contacts?.registry.listenerCount ?? 0)
        contacts.set(state.contacts?.registry.callCount ?? 0)
        bufferedBytes.set(state.budget.heldBytes)
        clusterConnected.set(state.cluster?.isConnected == true ? 1 : 0)
        ready.set(state.unreadiness == nil ? 1 : 0)
    }

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
    func refused(_ refusal: HTTPRefusal) { refusals[refusal.status.code]?.increment() }

    /// Counts a tunnel that ended.
    func ended(_ reason: EndReason) { closed[reason]?.increment() }
}
