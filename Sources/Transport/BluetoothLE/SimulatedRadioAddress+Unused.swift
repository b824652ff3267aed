public import HybridTransport
internal import NIOCore
internal import Synchronization

extension SimulatedRadioAddress {
    /// Ports below those that Linux hands out by itself (ip_local_port_range begins at 32768): a port that was found
    /// unused there is not given to the next best socket before a scanner binds it.
    private static let candidates: ClosedRange<UInt16> = 10_000...19_999
    private static let attempts = 64
    /// The port that was tried last: none is tried again before all the others were.
    private static let lastCandidate = Mutex(UInt16.random(in: candidates))

    /// Finds a port of 127.0.0.1 that is not in use, for a scanner that other processes need not know beforehand.
    ///
    /// The port is free when this returns; it is reserved only once a scanner binds it.
    ///
    /// - Throws: `RadioError` with `address-in-use` if every port that was tried is taken; `not-permitted` or `failed`
    ///   if the system allows none.
    public static func unused() async throws(RadioError) -> Self {
        for _ in 1..<attempts {
            if let address = try await unusedCandidate() { return address }
        }
        throw RadioError(.addressInUse, reason: "no unused port was found on \(localhost.address)")
    }

    private static func unusedCandidate() async throws(RadioError) -> Self? {
        let port = lastCandidate.withLock { last in
            last = last < candidates.upperBound ? last + 1 : candidates.lowerBound
            return last
        }
        let address = Self(host: localhost.address, port: port)
        do {
            let channel = try await SimulatedRadioSocket.boundOnce(to: address) {
                $0.eventLoop.makeSucceededVoidFuture()
            }
            await SimulatedRadioSocket.end(channel)
            return address
        } catch {
            guard error.code == .addressInUse else { throw error }
            return nil
        }
    }
}
