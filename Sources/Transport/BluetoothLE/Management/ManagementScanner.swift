package import HybridProtocol

/// A `AdvertScanner` over the kernel's management interface: for machines without bluetoothd. It needs CAP_NET_ADMIN.
///
/// A discovery of the kernel's ends by itself after about ten seconds; it is started anew before that, and whenever it
/// ends. An adapter has one discovery at a time for all programs: adverts of another program's are received here too.
///
/// Source: BlueZ 5.66, `doc/mgmt-api.txt`; the UUIDs are those of HT-ADV-17 and HT-ADV-18.
package struct ManagementScanner: AdvertScanner {
    /// Number of adverts that wait for a slow reader; the oldest are dropped beyond that.
    package static let bufferedAdverts = 64
    private let selection: AdapterSelection
    private let socket: ManagementSocket
    /// Time between two starts of the discovery.
    private let interval: Duration

    /// Makes a scanner; nothing is asked of the kernel yet.
    ///
    /// - Parameter selection: the adapter that scans.
    package init(_ selection: AdapterSelection = .firstReady) { self.init(selection, by: .kernel) }

    /// With a stand-in for the kernel.
    init(
        _ selection: AdapterSelection, by socket: ManagementSocket,
        restartedEvery interval: Duration = ScanUpkeep.interval
    ) {
        self.selection = selection
        self.socket = socket
        self.interval = interval
    }

    /// Scans while `body` runs, and never longer; see `AdvertScanner/scan(_:)`.
    ///
    /// - Parameter body: gets the adverts, the newest ``bufferedAdverts`` at most if it reads slowly.
    /// - Returns: the value of `body`.
    /// - Throws: `RadioError` if the scan could not start, by one of the codes that
    ///   ``BluetoothAdapter/knownToKernel()`` has, `absent`, `powered-off`, `blocked-by-rfkill` or `no-low-energy`;
    ///   otherwise the error of `body`. Adverts end with `absent`, `powered-off`, `blocked-by-rfkill`,
    ///   `controller-unresponsive` or `failed`.
    package func scan<Value: Sendable>(
        _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Value
    ) async throws -> Value {
        let (adverts, continuation) = ReceivedAdverts.makeStream(
            bufferingPolicy: .bufferingNewest(Self.bufferedAdverts))
        let filter = ManagementEventFilter { continuation.yield($0) }
        return try await ManagementInterface.with(socket, on: filter.take) { kernel in
            let adapter = try await selection.adapter(of: kernel, without: \.scanObstacle)
            let discovery = Discovery(kernel, index: try AdapterName.index(of: adapter.name))
            filter.select(ManagementEventFilter.Source(index: discovery.index))
            let result: Result<Value, any Error>
            do {
                try await discovery.start()
                result = .success(
                    try await BackgroundWork.run {
                        do {
                            try await AdapterInterruption.run(
                                {
                                    for await moment in startTimes(filter) {
                                        if moment == .interval { await discovery.stop() }
                                        try await discovery.start()
                                    }
                                },
                                until: filter.interruptions, of: adapter.name)
                        } catch {
                            if !Task.isCancelled { continuation.finish(throwing: error) }
                        }
                    } while: {
                        try await body(adverts)
                    })
            } catch {
                result = .failure(error)
            }
            continuation.finish()
            await discovery.stop()
            return try result.get()
        }
    }

    /// The reason for a start of the discovery.
    private enum StartTime { case end, interval }

    /// The moments to start a discovery: as one ends, and at intervals.
    private func startTimes(_ filter: ManagementEventFilter) -> AsyncStream<StartTime> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { [interval] moment in
            let ends = Task { for await _ in filter.discoveryEnds { moment.yield(.end) } }
            let clock = Task { while (try? await ScanUpkeep.wait(interval)) != nil { moment.yield(.interval) } }
            moment.onTermination = { _ in
                ends.cancel()
                clock.cancel()
            }
        }
    }
}

/// A search for Low Energy devices, ours or one that another program has started.
private actor Discovery {
    let index: UInt16
    private let kernel: ManagementInterface
    /// True if we started it, as far as we know.
    private var isOurs = false

    init(_ kernel: ManagementInterface, index: UInt16) {
        self.kernel = kernel
        self.index = index
    }

    /// Starts it unless one runs. Not by service UUIDs: with those, the kernel hides adverts that name the service only
    /// with their data, as most phones' do.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func start() async throws {
        let request = ManagementRequest.startDiscovery(index)
        let wasOurs = isOurs
        // Also if the task is cancelled before the answer.
        isOurs = true
        let answer = try await kernel.callOnce(request)
        if answer.status == .busy {
            isOurs = wasOurs
        } else {
            _ = try ManagementInterface.values(answer, of: request)
        }
    }

    /// Stops it if it is ours. In a task of its own: the caller may be cancelled.
    func stop() async {
        guard isOurs else { return }
        await Task {
            // Where it fails there is no discovery any more.
            _ = try? await kernel.callOnce(.stopDiscovery(index), within: ManagementInterface.cleanupLimit)
        }.value
    }
}
