internal import DBus
internal import Edges

extension BlueZService {
    /// How long bluetoothd may be busy with an adapter. The kernel goes on with the scan of a bluetoothd that crashed for some ten
    /// seconds, and the next one can begin none before that has ended.
    private static let busyLimit = Duration.seconds(15)
    /// How long an adapter may fail without saying why.
    private static let failureLimit = Duration.seconds(2)
    /// How long bluetoothd is left alone between two calls.
    private static let pause = Duration.milliseconds(250)

    /// Calls a method of an adapter, and again if bluetoothd is busy with the adapter or fails without saying why.
    ///
    /// Both pass by themselves: an adapter that rfkill had switched off refuses the first advert afterwards and takes the next.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func callPatiently(
        _ path: String, _ interface: String, _ member: String, _ body: [DBusValue] = [], of adapter: String
    ) async throws {
        let begun = ContinuousClock.now
        while true {
            do {
                try await call(path, interface, member, body, of: adapter)
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
            try await Task.sleep(for: Self.pause)
        }
    }
}
