// Both modules hold the system's socket types, and the compiler finds them in this one only.
internal import CBlueZ
internal import Glibc
internal import HybridProtocol
internal import NIOCore
internal import NIOPosix
internal import SystemPackage

/// The UDP sockets of the simulated radio: how they are bound and closed, and their errors by name.
enum SimulatedRadioSocket {
    /// One byte more than the longest datagram, so that a longer one shows, in a size that allocators like.
    private static let receiveCapacity = 512
    /// The time for which an address that is in use is tried again, and the pause between two attempts. A program that
    /// is being started holds copies of all sockets of its parent until it is executed, also of those that the parent
    /// has closed meanwhile.
    private static let retries = (duration: Duration.seconds(2), pause: Duration.milliseconds(5))

    /// Binds a socket that no other process can share, and that no program started from this process inherits.
    ///
    /// - Throws: `RadioError` with `address-in-use` if the address stays in use for two seconds.
    static func bound(
        to address: SimulatedRadioAddress,
        initializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws(RadioError) -> any Channel {
        let start = ContinuousClock.now
        while true {
            do {
                return try await boundOnce(to: address, initializer: initializer)
            } catch {
                guard error.code == .addressInUse, ContinuousClock.now - start < retries.duration else { throw error }
                // A cancelled sleep returns at once; the attempts still end with the time.
                try? await Task.sleep(for: retries.pause)
                guard !Task.isCancelled else { throw error }
            }
        }
    }

    /// Binds a socket if its address is free now.
    static func boundOnce(
        to address: SimulatedRadioAddress,
        initializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws(RadioError) -> any Channel {
        let descriptor = try boundDescriptor(at: address)
        do {
            return try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(
                    .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: receiveCapacity)
                )
                .channelInitializer(initializer)
                .withBoundSocket(descriptor).get()
        } catch {
            throw RadioError(.failed, reason: "cannot listen at \(address): \(reason(for: error))")
        }
    }

    /// NIO's own sockets are inherited by programs that are started meanwhile, which would keep the address in use.
    private static func boundDescriptor(at address: SimulatedRadioAddress) throws(RadioError) -> CInt {
        let target = try address.socketAddress()
        let kind = CInt(SOCK_DGRAM.rawValue) | CInt(bitPattern: SOCK_CLOEXEC.rawValue)
        let descriptor = socket(target.protocol.rawValue, kind, 0)
        guard descriptor >= 0 else { throw error(errno, at: address) }
        let result = target.withSockAddr { bind(descriptor, $0, socklen_t($1)) }
        guard result == 0 else {
            let number = errno
            close(descriptor)
            throw error(number, at: address)
        }
        return descriptor
    }

    /// Closes a socket and returns when it is closed; one that is closed already is left alone.
    static func end(_ channel: any Channel) async {
        try? await channel.close().get()
    }

    /// The system's text for an error.
    static func reason(for error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return "\(Errno(rawValue: error.errnoCode))"
    }

    private static func error(_ number: CInt, at address: SimulatedRadioAddress) -> RadioError {
        let code: RadioError.Code =
            switch number {
            case EADDRINUSE: .addressInUse
            case EACCES, EPERM: .notPermitted
            case EADDRNOTAVAIL, EAFNOSUPPORT: .absent
            default: .failed
            }
        return RadioError(code, reason: "cannot listen at \(address): \(Errno(rawValue: number))")
    }
}
