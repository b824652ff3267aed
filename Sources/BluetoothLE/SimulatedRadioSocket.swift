internal import Edges
internal import NIOCore
internal import NIOPosix

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// The UDP sockets of the simulated radio: how they are bound and closed, and their errors by name.
enum SimulatedRadioSocket {
    /// One byte more than the longest datagram, so that a longer one shows, in a size that allocators like.
    private static let receiveCapacity = 512

    /// Binds a socket that nobody else can share.
    static func bind(
        to address: SimulatedRadioAddress,
        initializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws(RadioError) -> any Channel {
        let target = try address.socketAddress()
        do {
            return try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(
                    .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: receiveCapacity)
                )
                .channelInitializer(initializer)
                .bind(to: target).get()
        } catch {
            throw Self.error(for: error, at: address)
        }
    }

    /// Closes a socket and returns when it is closed; one that is closed already is left alone.
    static func close(_ channel: any Channel) async {
        try? await channel.close().get()
    }

    /// What to tell a person about an error of the system.
    static func reason(for error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return String(cString: strerror(error.errnoCode))
    }

    private static func error(for error: any Error, at address: SimulatedRadioAddress) -> RadioError {
        let code: RadioError.Code =
            switch (error as? IOError)?.errnoCode {
            case EADDRINUSE: .addressInUse
            case EACCES, EPERM: .notPermitted
            case EADDRNOTAVAIL, EAFNOSUPPORT: .absent
            default: .failed
            }
        return RadioError(code, reason: "cannot listen at \(address): \(reason(for: error))")
    }
}
