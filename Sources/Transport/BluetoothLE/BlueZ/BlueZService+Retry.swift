internal import HybridTransport
internal import LinuxSupport

extension BlueZService {
    /// Longest time that bluetoothd may be busy with an adapter. The kernel goes on with the scan of a bluetoothd that
    /// crashed for some ten seconds, and the next one can begin none before that has ended.
    private static let busyLimit = Duration.seconds(15)
    /// Longest time that an adapter may fail without a reason.
    private static let failureLimit = Duration.seconds(2)
    /// Time between two calls.
    private static let interval = Duration.milliseconds(250)

    /// Calls a method of an adapter, and again if bluetoothd is busy with the adapter or fails without a reason.
    ///
    /// Both pass by themselves: an adapter that rfkill had switched off refuses the first advert afterwards and takes
    /// the next.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func callWithRetries(
        _ member: String, of interface: String, at path: String, _ body: [DBusValue] = [], adapter: String
    ) async throws {
        let begun = ContinuousClock.now
        while true {
            do {
                try await call(member, of: interface, at: path, body, adapter: adapter)
                return
            } catch let error as RadioError {
                let limit: Duration =
                    switch error.code {
                    case .busy: Self.busyLimit
                    case .failed: Self.failureLimit
                    default: .zero
                    }
                guard begun.duration(to: .now) < limit else { throw error }
            }
            try await Task.sleep(for: Self.interval)
        }
    }
}
