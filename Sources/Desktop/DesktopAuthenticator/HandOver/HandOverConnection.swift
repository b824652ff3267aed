internal import HybridProtocol
package import HybridTransport
package import PasskeyExchange

/// One end of a hand-over that is under way: sends and receives its messages, in their order.
package typealias HandOverConnection = MessageChannel<HandOverState>

extension MessageChannel where Codec == HandOverState {
    /// The number that is typed; nil before this end knows it.
    package var code: ComparisonCode? { codec.code }

    /// The receiver's first message, which commits it to a number.
    ///
    /// - Parameter nonce: 32 random bytes, for this session.
    package func hello(committingTo nonce: [UInt8]) -> HandOverMessage { codec.hello(committingTo: nonce) }

    /// The sender's commitment to the digits that were typed, as ``HandOverState/typing(_:nonce:)`` makes it.
    package func typing(_ digits: String, nonce: [UInt8]) -> HandOverMessage { codec.typing(digits, nonce: nonce) }

    /// The bytes that the receiver signs.
    package var statement: [UInt8] { codec.statement }

    /// Says that from now on no stop is sent: it would say that nothing of the payload was kept, which is not certain
    /// any more (PX-HOV-21).
    package func withholdStop() { codec.withholdStop() }

    /// Tells the peer why the hand-over ends, unless it has ended already, or the stop is withheld. If the channel is
    /// gone, that reaches nobody.
    package func stop(_ reason: HandOverStop) async { await sendLast(.stopped(reason)) }

    /// Runs a hand-over, and tells the peer if it fails.
    fileprivate nonisolated func stoppingIfItFails<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch {
            let reason: HandOverStop = error is CancellationError || Task.isCancelled ? .cancelled : .failed
            // In a task of its own: ours may be cancelled, and the peer should hear of the end even so.
            await Task { await stop(reason) }.value
            throw error
        }
    }
}

extension ClientCeremony {
    /// Shows a QR code to the device that hands passkeys over, and takes them.
    ///
    /// When this returns or throws, the scan is over and the channel is closed, whatever happened; cancelling the task
    /// ends it promptly, and tells the sender.
    ///
    /// - Parameters:
    ///   - timestamp: the time that the QR code states, in seconds since 1970; nil leaves it out.
    ///   - show: shows the QR code. Its text is a secret between the screen and the user.
    ///   - session: runs the hand-over.
    /// - Returns: the value of `session`.
    /// - Throws: ``HybridTransportError`` if the devices do not meet; otherwise the error of `show` or `session`.
    package func receiveHandOver<Value: Sendable>(
        timestamp: UInt64? = nil, show: @escaping @Sendable (_ url: String) async throws -> Void,
        session: @escaping @Sendable (HandOverConnection) async throws -> Value
    ) async throws -> Value {
        try await openChannel(for: .handOver, timestamp: timestamp) { handshakeHash in
            HandOverState(role: .receiver, handshakeHash: handshakeHash)
        } show: { url in
            try await show(url)
        } session: { connection in
            try await connection.stoppingIfItFails { try await session(connection) }
        }
    }
}

extension AuthenticatorCeremony {
    /// Hands passkeys over to the device that shows a QR code of this kind.
    ///
    /// When this returns or throws, the advert is off the air and the channel is closed, whatever happened; cancelling
    /// the task ends it promptly, and tells the receiver.
    ///
    /// - Parameters:
    ///   - invitation: the contents of the QR code.
    ///   - session: runs the hand-over.
    /// - Returns: the value of `session`.
    /// - Throws: ``HybridTransportError`` if the devices do not meet; otherwise the error of `session`.
    package func handOver<Value: Sendable>(
        _ invitation: consuming HandOverInvitation,
        session: @escaping @Sendable (HandOverConnection) async throws -> Value
    ) async throws -> Value {
        try await openChannel(invitation.intoInvitation()) { handshakeHash in
            HandOverState(role: .sender, handshakeHash: handshakeHash)
        } session: { connection in
            try await connection.stoppingIfItFails { try await session(connection) }
        }
    }
}
