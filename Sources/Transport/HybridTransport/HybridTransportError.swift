internal import Cryptography
package import Encodings
package import HybridProtocol

/// Failure of a ceremony: the stage that was not reached, the cause, and advice for the user.
///
/// Two errors are equal if their codes and stages are: the rest is for people. None of it holds a secret.
public struct HybridTransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure, as an open set of names.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name, in lower case with hyphens, as it stands in `--json` output.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// The stage that was not reached.
    public let stage: Stage
    /// The cause, for people: lower case, one line. It begins with the name of the cause's own error code.
    public let cause: String
    /// The cause without the name of its error code, for people.
    package let reason: String
    /// One thing that the user can do about it.
    public let advice: Advice
    /// The place in our sources that made the error, or its cause.
    package let place: SourcePlace

    /// Makes an error at the place that calls this.
    package init(
        _ code: Code, stage: Stage, cause: String, advice: Advice, fileID: StaticString = #fileID, line: Int = #line
    ) {
        self.init(code, stage: stage, cause: cause, advice: advice, place: SourcePlace(fileID: fileID, line: line))
    }

    /// Makes an error whose cause was made at `place`. Without a reason of its own, the cause has no name of a code.
    package init(
        _ code: Code, stage: Stage, cause: String, reason: String? = nil, advice: Advice, place: SourcePlace
    ) {
        self.code = code
        self.stage = stage
        self.cause = cause
        self.reason = reason ?? cause
        self.advice = advice
        self.place = place
    }

    /// Makes an error that another one is the cause of.
    private init<Other>(
        _ code: Code, stage: Stage, _ cause: CodedError<Other>, reason: String? = nil, advice: Advice
    ) {
        self.init(
            code, stage: stage, cause: cause.description, reason: reason ?? cause.reason, advice: advice,
            place: cause.place)
    }

    /// True if both errors have the same code and stage.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code && left.stage == right.stage }

    /// Code, stage and cause on one line.
    public var description: String { "\(code.rawValue) before \(stage.rawValue): \(cause)" }
}

extension HybridTransportError.Code {
    /// A time limit passed.
    public static let timeout = Self(rawValue: "timeout")
    /// The radio could not send or hear adverts.
    public static let radio = Self(rawValue: "radio")
    /// The tunnel service could not be reached.
    public static let tunnelUnreachable = Self(rawValue: "tunnel-unreachable")
    /// The tunnel service was reached and refused, or does not keep to the protocol.
    public static let tunnelRefused = Self(rawValue: "tunnel-refused")
    /// The other side, or an intermediary, broke the protocol.
    public static let protocolViolation = Self(rawValue: "protocol-violation")
    /// The other side ended the session before it was complete.
    public static let peerClosed = Self(rawValue: "peer-closed")
    /// The QR code offers no channel that we have, or its client does not know our tunnel domain.
    public static let noCommonChannel = Self(rawValue: "no-common-channel")
    /// The session carries no CTAP.
    public static let noCTAP = Self(rawValue: "no-ctap")
    /// The session carries no digital credentials.
    public static let noDigitalCredentials = Self(rawValue: "no-digital-credentials")
    /// The caller asked for something that the session cannot carry: a message of wrong length, or out of turn.
    public static let invalidRequest = Self(rawValue: "invalid-request")
    /// The caller cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// libcrypto, or something else of this machine, failed.
    public static let internalFailure = Self(rawValue: "internal-failure")
}

// The ceremony's error for each error of the modules below.

extension HybridTransportError {
    /// Makes an error of whatever was thrown on the way to `stage`.
    init(_ error: any Error, reaching stage: Stage, as role: Role) {
        switch error {
        case let error as HybridTransportError: self = error
        case let error as HybridProtocolError: self.init(error, reaching: stage)
        case let error as DataChannelError: self.init(error, reaching: stage, as: role)
        case let error as RadioError:
            self.init(.radio, stage: stage, error, advice: .checkRadio(error.code.rawValue))
        case let error as CryptographyError:
            self.init(.internalFailure, stage: stage, error, advice: .checkCryptography)
        case is CancellationError:
            self.init(.cancelled, stage: stage, cause: "cancelled", advice: .startAgain)
        default:
            // The description of an unknown error could hold anything, a secret too; its type is harmless.
            self.init(.internalFailure, stage: stage, cause: "an unexpected \(type(of: error))", advice: .report)
        }
    }

    /// Makes the error of a stage that was not reached in time.
    static func timeout(reaching stage: Stage, as role: Role, limit: Duration) -> Self {
        Self(
            .timeout, stage: stage, cause: "not reached within \(limit.inSeconds)",
            advice: .timeout(before: stage, as: role))
    }

    /// Makes an error of a message that our own caller wanted to send on the way to `stage`.
    static func unsealed(_ error: HybridProtocolError, reaching stage: Stage) -> Self {
        let callersFaults: Set<HybridProtocolError.Code> = [.empty, .tooLong, .unexpectedMessage]
        guard callersFaults.contains(error.code) else { return Self(error, reaching: stage) }
        return Self(.invalidRequest, stage: stage, error, advice: .sendOneMessage)
    }

    /// Makes the error of a stage that a broken rule of the protocol has prevented: `qrScanned` for a text that is no
    /// QR code of this transport.
    package init(_ error: HybridProtocolError, reaching stage: Stage) {
        let (code, advice): (Code, Advice) =
            switch (error.code, stage) {
            case (.cryptographyFailed, _): (.internalFailure, .checkCryptography)
            case (.sessionEnded, _): (.peerClosed, .startAgain)
            case (.counterExhausted, _): (.peerClosed, .startAgain)
            case (.otherPurpose, _): (.protocolViolation, .useOtherCommand)
            case (_, .qrScanned): (.protocolViolation, .scanAgain)
            case (.unassignedDomain, _): (.protocolViolation, .updateProgram)
            case (.badTag, .handshaken): (.protocolViolation, .useSameCode)
            default: (.protocolViolation, .blameOtherDevice)
            }
        let reason =
            switch (error.code, stage) {
            case (.otherPurpose, _): error.reason
            case (_, .qrScanned): "the text of the QR code is incomplete or damaged: \(error.reason)"
            default: "\(error.code.rawValue.replacing("-", with: " ")): \(error.reason)"
            }
        self.init(code, stage: stage, error, reason: reason, advice: advice)
    }

    private init(_ error: DataChannelError, reaching stage: Stage, as role: Role) {
        let (code, advice): (Code, Advice) =
            switch error.code {
            case .cancelled: (.cancelled, .startAgain)
            // Before a connection over Bluetooth there is no tunnel, or none is used.
            case _ where stage == .channelOpened || stage == .advertising: (.radio, .moveNearer)
            // Before the tunnel is there, the only other side is the service.
            case .closed where stage == .tunnelOpened || stage == .tunnelJoined,
                .connectionLost where stage == .tunnelOpened || stage == .tunnelJoined:
                (.tunnelRefused, .checkSilentService)
            case .closed: (.peerClosed, .peerClosed(before: stage, as: role))
            // Nobody has closed it: the service, or the way to it, is gone.
            case .connectionLost: (.peerClosed, .checkConnection)
            case .timeout: (.timeout, .checkNetwork)
            case .unreachable: (.tunnelUnreachable, .checkNetwork)
            case .proxyFailed where error.hasUnsupportedProxyScheme: (.tunnelUnreachable, .useLocalProxy)
            case .proxyFailed: (.tunnelUnreachable, .checkProxy)
            case .tlsFailed: (.tunnelUnreachable, .tls(error.tlsFault))
            case .messageTooLong, .framingViolation: (.protocolViolation, .blameOtherDevice)
            case .invalidURL: (.tunnelRefused, .correctTunnelAddress)
            case .unavailable, .tooManyRequests: (.tunnelRefused, .waitForService)
            case .upgradeRefused where error.isTaken: (.tunnelRefused, .showNewCode)
            case .upgradeRefused where error.isLate: (.tunnelRefused, .startAgain)
            case .upgradeRefused where error.isServersFailure: (.tunnelRefused, .waitForService)
            // The other device has opened this tunnel there, and has left since.
            case .upgradeRefused where error.isUnknown && stage == .tunnelJoined, .gone where stage == .tunnelJoined:
                (.tunnelRefused, .startAgain)
            default: (.tunnelRefused, .checkTunnelService)
            }
        self.init(
            code, stage: stage, cause: error.description, reason: error.reason, advice: advice, place: error.place)
    }
}

extension HybridTransportError {
    /// Makes the error of a linked device that could not be reached. A tunnel service's answer about a link means
    /// something other than one about a QR code (HT-TUN-36, HT-STA-8), and another way is left.
    init(ofLink error: any Error) {
        let failure = Self(error, reaching: .tunnelJoined, as: .client)
        let advice: Advice? =
            switch (error as? DataChannelError)?.code {
            case .gone: .useCode
            case .unavailable: .listenOrUseCode
            case .tooManyRequests: .waitOrUseCode
            default: nil
            }
        self =
            advice.map {
                Self(
                    failure.code, stage: failure.stage, cause: failure.cause, reason: failure.reason, advice: $0,
                    place: failure.place)
            } ?? failure
    }
}

extension DataChannelError {
    /// True if the tunnel service says that the tunnel is in use (HT-TUN-42): anyone who uses it has the QR code too.
    var isTaken: Bool { httpStatus == Self.conflict }

    /// True if the tunnel service says that it knows no such tunnel.
    var isUnknown: Bool { httpStatus == Self.notFound }

    /// True if the tunnel service says that the client came too late for the tunnel.
    var isLate: Bool { httpStatus == Self.tooLate }

    /// True if the tunnel service has failed, or a server in front of it. With 511 it is a guest network that has
    /// answered in its place, and no wait helps.
    fileprivate var isServersFailure: Bool {
        httpStatus.map { Self.serversFailures.contains($0) && $0 != Self.guestNetwork } ?? false
    }

    private static let conflict = 409
    private static let tooLate = 418
    private static let serversFailures = 500...599
    /// RFC 6585 section 6.
    private static let guestNetwork = 511
    private static let notFound = 404
}

extension Duration {
    /// The duration in words: `120 s`, or `0.25 s`.
    fileprivate var inSeconds: String {
        let (seconds, attoseconds) = components
        return attoseconds == 0 ? "\(seconds) s" : "\(Double(seconds) + Double(attoseconds) / 1e18) s"
    }
}
