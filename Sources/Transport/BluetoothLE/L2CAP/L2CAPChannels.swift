internal import Glibc
package import HybridProtocol
internal import LinuxSupport

/// L2CAP connection-oriented channels over Low Energy, by the kernel's sockets: no root is needed, and no pairing.
///
/// The kernel's sockets know nothing of BlueZ; of that, only the adapter's address is asked.
///
/// Source: Bluetooth Core Specification, volume 3 part A section 10.1 (LE credit-based flow control); the
/// article L2CAP of HybridProtocol.
package struct L2CAPChannels: NearbyConnector, NearbyListener {
    /// Longest time that connecting may take. The kernel itself would look for a peer that is gone for forty seconds.
    package static let connectLimit = Duration.seconds(15)

    private let adapter: @Sendable () async throws -> BluetoothAddress

    /// Makes channels over the adapter that BlueZ's ``BlueZAdvertiser`` and ``BlueZScanner`` use for the same
    /// selection.
    ///
    /// - Parameter selection: the adapter that connects or listens.
    package init(_ selection: AdapterSelection = .firstReady) {
        self.init {
            try await BlueZService.with(selection.bus, on: { _ in }) { try await Self.address(of: selection, by: $0) }
        }
    }

    /// Channels over the adapter that ``ManagementAdvertiser`` and ``ManagementScanner`` use for the same selection.
    ///
    /// - Parameter selection: the adapter that connects or listens.
    package static func withoutBlueZ(_ selection: AdapterSelection = .firstReady) -> Self {
        Self {
            try await ManagementInterface.with(.kernel) { try await Self.address(of: selection, by: $0) }
        }
    }

    private static func address(
        of selection: AdapterSelection, by source: some AdapterSource
    ) async throws -> BluetoothAddress {
        try await selection.adapter(of: source, without: \.scanObstacle).lowEnergyAddress
    }

    /// Makes channels over the adapter whose address `adapter` returns.
    init(of adapter: @escaping @Sendable () async throws -> BluetoothAddress) { self.adapter = adapter }

    /// The same, with the adapter chosen now, once and for all.
    ///
    /// - Throws: `RadioError`; `CancellationError`.
    package func settled() async throws -> Self {
        let address = try await adapter()
        return Self { address }
    }

    /// Connects to an authenticator; see `NearbyConnector/connect(to:psm:)`.
    ///
    /// - Parameters:
    ///   - address: the authenticator's. It has to advertise, and to take connections.
    ///   - psm: 1 to 65535.
    /// - Throws: `DataChannelError` with `unreachable`, or `timeout` after ``connectLimit``; `RadioError`;
    ///   `CancellationError`.
    package func connect(to address: BluetoothAddress, psm: UInt16) async throws -> any DataChannel {
        let socket = try L2CAPSocket(of: try await adapter())
        BluetoothLog.note("connecting to PSM \(psm)")
        try socket.connect(to: address, psm: psm)
        try await L2CAPWait.wait(for: POLLOUT, of: [socket], or: .forChannel(), atMost: Self.connectLimit)
        try socket.checkConnection(to: address)
        BluetoothLog.note("connected to PSM \(psm)")
        return try await L2CAPChannel.over(socket)
    }

    /// Listens under a PSM of the system's choice; see `NearbyListener/listen()`.
    ///
    /// - Throws: `DataChannelError` with `unreachable`; `RadioError`; `CancellationError`.
    package func listen() async throws -> any ListeningChannel {
        let socket = try L2CAPSocket(of: try await adapter())
        let psm = try socket.listen()
        BluetoothLog.note("listening on PSM \(psm)")
        return L2CAPListeningChannel([socket], psm: psm, wakePipe: try .forChannel())
    }
}
