package import HybridProtocol

/// A channel whose pieces are SDUs, each as its sender made it: for tests that send wrong ones.
package protocol SDUChannel: DataChannel {
    /// Sends one SDU as it is, also one without bytes, or longer than the other device takes.
    ///
    /// - Throws: `DataChannelError`, as `DataChannel/send(_:)`.
    func sendSDU(_ sdu: [UInt8]) async throws(DataChannelError)

    /// True if the other end has not read everything that was sent, or has closed without having read it. Known of
    /// local sockets alone: it is false of Bluetooth.
    var hasUnreadSDUs: Bool { get }
}
