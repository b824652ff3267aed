internal import Cryptography
internal import Edges
internal import HybridProtocol

// Which of a person's failures each error of the rooms below is, and what the person can do about it.

extension HybridTransportError {
    /// Makes an error of whatever was thrown on the way to `stage`.
    init(_ error: any Error, reaching stage: Stage) {
        switch error {
        case let error as HybridTransportError: self = error
        case let error as HybridProtocolError: self.init(error, reaching: stage)
        case let error as DataChannelError: self.init(error, reaching: stage)
        case let error as RadioError:
            self.init(.radio, stage: stage, cause: error.description, hint: "check the radio with --radio's help")
        case let error as CryptographyError:
            self.init(.internalFailure, stage: stage, cause: error.description, hint: "check the OpenSSL installation")
        case is CancellationError:
            self.init(.cancelled, stage: stage, cause: "cancelled", hint: "start again when you are ready")
        default:
            self.init(.internalFailure, stage: stage, cause: "\(error)", hint: "report this with the whole output")
        }
    }

    static func timeout(reaching stage: Stage, limit: Duration) -> Self {
        let hint: String
        switch stage {
        case .advertSeen:
            hint =
                "no hybrid advert was heard at all: check Bluetooth on both devices, and that they are near each other"
        case .advertOpened:
            hint = "only other sessions' adverts were heard: scan the QR code that is on the screen now"
        case .handshaken:
            hint = "the other device did not go on: check that it can reach the tunnel service, then start again"
        case .commandAnswered: hint = "approve the request on the authenticator in time"
        case .commandSent: hint = "the client asked for nothing: start again on the client"
        case .tunnelOpened, .tunnelJoined: hint = "check the network and the tunnel service"
        default: hint = "start again; a longer --timeout gives people more time"
        }
        return Self(.timeout, stage: stage, cause: "not reached within \(limit.components.seconds) s", hint: hint)
    }

    private init(_ error: HybridProtocolError, reaching stage: Stage) {
        guard error != .init(.cryptographyFailed, reason: "") else {
            self.init(.internalFailure, stage: stage, cause: error.description, hint: "check the OpenSSL installation")
            return
        }
        let hint =
            switch (error.code, stage) {
            case (.badTag, .handshaken): "the other side has another QR code: start again with the code on the screen"
            case (.unassignedDomain, _): "the other device uses a tunnel service that this version does not know"
            case (_, .qrScanned): "scan the QR code again; its text starts with FIDO:/"
            default: "start again; if it happens again, the other device's implementation is at fault"
            }
        self.init(.protocolViolation, stage: stage, cause: error.description, hint: hint)
    }

    private init(_ error: DataChannelError, reaching stage: Stage) {
        let (code, hint): (Code, String) =
            switch error.code {
            case .cancelled: (.cancelled, "start again when you are ready")
            case .closed, .connectionLost:
                (
                    .peerClosed,
                    "the other side ended the session: it was declined or cancelled there, or lost its network"
                )
            case .timeout: (.timeout, "check the network and the tunnel service")
            case .unreachable: (.tunnelUnreachable, "check the network, and the address if you gave --tunnel")
            case .tlsFailed: (.tunnelUnreachable, "check the date of this machine; --ca FILE adds a test authority")
            case .messageTooLong, .framingViolation:
                (
                    .protocolViolation,
                    "start again; if it happens again, the tunnel service or the other device is at fault"
                )
            case .invalidURL: (.tunnelRefused, "give --tunnel as wss://host[:port]")
            default: (.tunnelRefused, "the tunnel service answered, but not as one should: check --tunnel")
            }
        self.init(code, stage: stage, cause: error.description, hint: hint)
    }
}
