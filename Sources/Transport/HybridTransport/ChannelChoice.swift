public import HybridProtocol

/// The data channels that a ceremony may use (CTAP 2.3 section 11.5.1.1; HT-BLE-1, HT-BLE-2).
public enum ChannelChoice: String, Sendable, CaseIterable {
    /// A WebSocket through a tunnel service, which every implementation knows.
    case webSocket = "websocket"
    /// An L2CAP channel between the two devices: no network is needed.
    case l2cap
    /// An L2CAP channel if both devices can have one, otherwise a WebSocket.
    case any

    /// The channels that this allows; a client offers them in its QR code (HT-QR-44).
    public var channels: [ChannelIdentifier] {
        switch self {
        case .webSocket: [.webSocket]
        case .l2cap: [.ble]
        case .any: [.webSocket, .ble]
        }
    }
}
