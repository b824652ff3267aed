internal import HybridProtocol
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

extension DataChannelError {
    /// The task was cancelled.
    static let cancelledTask = DataChannelError(.cancelled, reason: "cancelled")

    /// The connection ended before the upgrade was answered.
    static let closedBeforeAnswer = DataChannelError(
        .connectionLost,
        reason: "the tunnel service closed before it answered"
    )

    /// The same error; where nothing answered although there is a proxy, it says why that was not used.
    func by(_ way: ProxySettings.Way) -> Self {
        guard code == .unreachable, case .excepted = way else { return self }
        return Self(code, reason: "\(reason); no_proxy keeps it from the proxy")
    }

    /// The same error; where it is about a server that a redirect has led to, it says whose.
    func afterRedirect(from first: WebSocketURL?) -> Self {
        guard let first, [.unreachable, .tlsFailed, .timeout].contains(code) else { return self }
        return Self(code, reason: "\(reason); \(first.authority) redirects to it", tlsFault: tlsFault)
    }

    /// The error that a library's error means while a connection is made.
    init(_ cause: any Error, during phase: ConnectionAttempt.Phase, at target: WebSocketURL) {
        switch cause {
        case let error as DataChannelError: self = error
        case let error as NIOConnectionError: self.init(error)
        case ChannelError.connectTimeout:
            self.init(.timeout, reason: "the tunnel service could not be connected to in time")
        case HTTPParserError.invalidEOFState: self = .closedBeforeAnswer
        case let error as HTTPParserError:
            self.init(.upgradeRefused, reason: "the tunnel service's answer is not HTTP (\(error.debugDescription))")
        case let error where error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError:
            self.init(tls: error, during: phase, at: target)
        case let error as IOError where phase == .connecting:
            self.init(
                .unreachable, reason: "nothing answers at \(target.authority): \(Self.description(of: error))")
        case let error as IOError:
            self.init(.connectionLost, reason: "the connection broke: \(Self.description(of: error))")
        default: self.init(phase == .connecting ? .unreachable : .connectionLost, reason: "\(cause)")
        }
    }

    /// The system's text for an error, without the name of the call that met it.
    static func description(of error: IOError) -> String { String(cString: strerror(error.errnoCode)) }

    private init(_ error: NIOConnectionError) {
        if let failure = error.connectionErrors.first {
            if case ChannelError.connectTimeout = failure.error {
                self.init(.timeout, reason: "\(error.host) could not be connected to in time")
            } else {
                let cause = (failure.error as? IOError).map(Self.description(of:)) ?? "\(failure.error)"
                self.init(.unreachable, reason: "nothing answers at \(error.host):\(error.port): \(cause)")
            }
        } else {
            self.init(.unreachable, reason: "the name \(error.host) could not be resolved")
        }
    }

    private static let untrustedMark = "CERTIFICATE_VERIFY_FAILED"

    private init(tls error: any Error, during phase: ConnectionAttempt.Phase, at target: WebSocketURL) {
        if phase == .upgrading, case NIOSSLError.uncleanShutdown = error {
            self = .closedBeforeAnswer
        } else if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            self.init(.tlsFailed, reason: "the certificate is not for \(target.host)", tlsFault: .otherName)
        } else if "\(error)".contains(Self.untrustedMark) {
            self.init(
                .tlsFailed, reason: "the certificate of \(target.host) is not trusted, or not valid today",
                tlsFault: .untrusted)
        } else {
            self.init(
                .tlsFailed, reason: "no TLS connection to \(target.authority): \(Self.description(ofTLS: error))",
                tlsFault: .noHandshake)
        }
    }

    /// The TLS library's own name for an error, of all that it tells.
    private static func description(ofTLS error: any Error) -> String {
        let text = "\(error)"
        guard let mark = text.firstRange(of: "OPENSSL_internal:") else { return "the handshake was aborted" }
        let name = text[mark.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        return name.lowercased().replacing("_", with: " ")
    }
}
