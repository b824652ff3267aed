/// Kind of the coming request, so that the authenticator can prepare its screen (HT-QR-39): no limit
/// (HT-QR-43).
public enum RequestHint: String, Sendable, CaseIterable {
    /// Sign in with a passkey.
    case getAssertion = "ga"
    /// Make a passkey.
    case makeCredential = "mc"
    /// Present a digital credential.
    case digitalCredentialPresentation = "dcp"
    /// Be issued a digital credential.
    case digitalCredentialIssuance = "dci"
}

/// A way to carry a session's messages (CTAP 2.3; HT-QR-46).
public enum ChannelIdentifier: UInt64, Sendable, CaseIterable, Comparable {
    /// A WebSocket through a tunnel service: what there is where key 6 is absent (HT-QR-47).
    case webSocket = 0
    /// An L2CAP channel over Bluetooth LE.
    case ble = 1

    /// In the order of their numbers.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
