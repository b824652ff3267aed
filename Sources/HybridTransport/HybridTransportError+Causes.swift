internal import Cryptography
internal import Edges
internal import HybridProtocol

// Which of a person's failures each error of the rooms below is.

extension HybridTransportError {
    /// Makes an error of whatever was thrown on the way to `stage`.
    init(_ error: any Error, reaching stage: Stage, as role: Role) {
        switch error {
        case let error as HybridTransportError: self = error
        case let error as HybridProtocolError: self.init(error, reaching: stage, as: role)
        case let error as DataChannelError: self.init(error, reaching: stage, as: role)
        case let error as RadioError:
            self.init(.radio, stage: stage, cause: error.description, hint: Hint.radio(error.code))
        case let error as CryptographyError:
            self.init(.internalFailure, stage: stage, cause: error.description, hint: Hint.checkOpenSSL)
        case is CancellationError:
            self.init(.cancelled, stage: stage, cause: "cancelled", hint: Hint.startAgain)
        default:
            // What an unknown error says of itself could be anything, a secret too; its type is harmless.
            self.init(.internalFailure, stage: stage, cause: "an unexpected \(type(of: error))", hint: Hint.report)
        }
    }

    /// Makes the error of a stage that was not reached in time.
    static func timeout(reaching stage: Stage, as role: Role, limit: Duration) -> Self {
        Self(.timeout, stage: stage, cause: "not reached within \(limit.inSeconds)", hint: Hint.timeout(stage, role))
    }

    /// Makes an error of a message that our own caller wanted to send on the way to `stage`.
    static func unsealed(_ error: HybridProtocolError, reaching stage: Stage, as role: Role) -> Self {
        let callersFaults: Set<HybridProtocolError.Code> = [.empty, .tooLong, .unexpectedMessage]
        guard callersFaults.contains(error.code) else { return Self(error, reaching: stage, as: role) }
        return Self(.invalidRequest, stage: stage, cause: error.description, hint: Hint.oneMessageAtATime)
    }

    private init(_ error: HybridProtocolError, reaching stage: Stage, as role: Role) {
        let (code, hint): (Code, String) =
            switch (error.code, stage) {
            case (.cryptographyFailed, _): (.internalFailure, Hint.checkOpenSSL)
            case (.sessionEnded, _): (.peerClosed, Hint.startAgain)
            case (.counterExhausted, _): (.peerClosed, Hint.startAgain)
            case (_, .qrScanned): (.protocolViolation, Hint.scanAgain)
            case (.unassignedDomain, _): (.protocolViolation, Hint.unknownService)
            case (.badTag, .handshaken): (.protocolViolation, Hint.otherCode)
            default: (.protocolViolation, Hint.theirFault)
            }
        self.init(code, stage: stage, cause: error.description, hint: hint)
    }

    private init(_ error: DataChannelError, reaching stage: Stage, as role: Role) {
        let (code, hint): (Code, String) =
            switch error.code {
            case .cancelled: (.cancelled, Hint.startAgain)
            // Before a connection over Bluetooth there is no tunnel, or none is used.
            case _ where stage == .channelOpened || stage == .advertising: (.radio, Hint.nearby)
            // Before the tunnel is there, the only other side is the service.
            case .closed where stage == .tunnelOpened || stage == .tunnelJoined,
                .connectionLost where stage == .tunnelOpened || stage == .tunnelJoined:
                (.tunnelRefused, Hint.strangeService)
            case .closed, .connectionLost: (.peerClosed, Hint.peerClosed(stage, role))
            case .timeout: (.timeout, Hint.checkNetwork)
            case .unreachable: (.tunnelUnreachable, Hint.checkNetwork)
            case .tlsFailed: (.tunnelUnreachable, Hint.checkCertificate)
            case .messageTooLong, .framingViolation: (.protocolViolation, Hint.theirFault)
            case .invalidURL: (.tunnelRefused, Hint.tunnelAddress)
            case .gone: (.tunnelRefused, Hint.linkIsGone)
            case .unavailable: (.tunnelRefused, Hint.notListening)
            case .tooManyRequests: (.tunnelRefused, Hint.tooManyWakes)
            default: (.tunnelRefused, Hint.strangeService)
            }
        self.init(code, stage: stage, cause: error.description, hint: hint)
    }
}

extension Duration {
    /// The duration in words: `120 s`, or `0.25 s`.
    fileprivate var inSeconds: String {
        let (seconds, attoseconds) = components
        return attoseconds == 0 ? "\(seconds) s" : "\(Double(seconds) + Double(attoseconds) / 1e18) s"
    }
}
