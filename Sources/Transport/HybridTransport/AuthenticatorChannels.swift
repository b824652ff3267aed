internal import Cryptography
internal import HybridProtocol

/// The channels on which an authenticator can be reached in one ceremony, until its client has chosen one.
struct AuthenticatorChannels: Sendable {
    /// The tunnel that was opened, and the part of the service that has it; nil where there is none.
    let tunnel: (channel: any DataChannel, routingID: RoutingID)?
    /// The L2CAP channel at which clients connect over Bluetooth, where they can.
    let nearby: (any ListeningChannel)?

    /// The bytes behind the advert.
    var suffix: AdvertSuffix { AdvertSuffix(psm: nearby?.psm) }

    /// The tunnel alone.
    var withoutNearby: Self { Self(tunnel: tunnel, nearby: nil) }

    /// Closes everything.
    func close() async {
        await nearby?.close()
        await tunnel?.channel.close()
    }
}
