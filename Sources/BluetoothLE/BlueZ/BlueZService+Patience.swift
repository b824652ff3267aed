internal import DBus
internal import Edges

extension BlueZService {
    /// How often a call is made that may pass next time, and how long bluetoothd is left alone in between: two seconds in all.
    private static let attempts = 9
    private static let pause = Duration.milliseconds(250)

    /// Calls a method of an adapter, and again if bluetoothd is busy with the adapter or fails without saying why.
    ///
    /// Both pass by themselves: bluetoothd that has just started is busy with its own discovery, and an adapter that rfkill had
    /// switched off refuses the first advert afterwards and takes the next.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func callPatiently(
        _ path: String, _ interface: String, _ member: String, _ body: [DBusValue] = [], of adapter: String
    ) async throws {
        for _ in 1..<Self.attempts {
            do {
                try await call(path, interface, member, body, of: adapter)
                return
            } catch let error as RadioError where error.code == .failed || error.code == .busy {
                try await Task.sleep(for: Self.pause)
            }
        }
        try await call(path, interface, member, body, of: adapter)
    }
}
