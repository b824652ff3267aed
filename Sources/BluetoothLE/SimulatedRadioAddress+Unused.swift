public import Edges
internal import NIOCore

extension SimulatedRadioAddress {
    private static let chosenBySystem: UInt16 = 0

    /// Finds a port of 127.0.0.1 on which nobody listens, for a scanner that other processes need not know beforehand.
    ///
    /// The port is free when this returns; it is reserved only once a scanner binds it.
    ///
    /// - Throws: ``RadioError`` with `failed` if the system has none left.
    public static func unused() async throws(RadioError) -> Self {
        let wish = Self(host: localhost.address, port: chosenBySystem)
        let channel = try await SimulatedRadioSocket.bind(to: wish) { $0.eventLoop.makeSucceededVoidFuture() }
        let port = channel.localAddress?.port.flatMap(UInt16.init(exactly:))
        await SimulatedRadioSocket.close(channel)
        guard let port else { throw RadioError(.failed, reason: "the system named no port") }
        return Self(host: localhost.address, port: port)
    }
}
