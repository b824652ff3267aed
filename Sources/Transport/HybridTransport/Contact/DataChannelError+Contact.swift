internal import HybridProtocol

extension DataChannelError.Code {
    /// Another listener with the same contact key is connected now; two would replace each other for ever
    /// (TS-CON-22).
    public static let replaced = Self(rawValue: "replaced")
    /// The service refuses the proof of our contact key.
    public static let wrongProof = Self(rawValue: "wrong-proof")
    /// The list of links could not be read, so that nothing was registered.
    public static let linksUnavailable = Self(rawValue: "links-unavailable")
    /// The contact key could not sign: libcrypto failed, or there are more than 64 links.
    public static let contactFailed = Self(rawValue: "contact-failed")
}

extension DataChannelError {
    /// A service that breaks the contact protocol.
    static func contactViolation(_ reason: String) -> Self { Self(.framingViolation, reason: reason) }

    /// The same error, under the name that the contact protocol has for it.
    var asContactError: Self {
        switch closeCode {
        case CloseCode.replaced.rawValue:
            Self(.replaced, reason: "another listener of this authenticator has taken over", closeCode: closeCode)
        case CloseCode.wrongProof.rawValue:
            Self(
                .wrongProof, reason: "the tunnel service refuses the contact key, or has another name",
                closeCode: closeCode)
        case CloseCode.tooManyMessages.rawValue:
            Self(.tooManyRequests, reason: "the tunnel service had too many messages", closeCode: closeCode)
        default: self
        }
    }

    /// True if waiting does not help.
    ///
    /// - Parameter afterRegistration: true if the service has accepted us before: then its failure may be temporary.
    func isPermanent(afterRegistration: Bool) -> Bool {
        switch code {
        case .replaced, .wrongProof, .contactFailed: true
        case .invalidURL, .upgradeRefused, .subprotocolMissing, .redirectRefused, .tlsFailed, .gone: !afterRegistration
        default: false
        }
    }
}
