internal import Cryptography
package import HybridProtocol
internal import LinuxSupport

/// The data channels that a ceremony may use (CTAP 2.3 section 11.5.1.1; HT-BLE-1, HT-BLE-2).
package enum ChannelChoice: String, Sendable, CaseIterable {
    /// A WebSocket through a tunnel service, which every implementation knows.
    case webSocket = "websocket"
    /// An L2CAP channel between the two devices: no network is needed.
    case l2cap
    /// An L2CAP channel if both devices can have one, otherwise a WebSocket.
    case any

    /// The channels that this allows; a client offers them in its QR code (HT-QR-44).
    package var channels: [ChannelIdentifier] {
        switch self {
        case .webSocket: [.webSocket]
        case .l2cap: [.ble]
        case .any: [.webSocket, .ble]
        }
    }
}

/// The channels that a client offers; opens the one that the authenticator's advert names (HT-ADV-34, HT-ADV-36).
struct ClientChannels: Sendable {
    let opener: any TunnelOpener
    let nearby: (any NearbyConnector)?
    let choice: ChannelChoice
    /// The address of the tunnel service; nil for the one that the advert names.
    let service: TunnelURL.Service?
    /// True if a tunnel service that is known is connected to while the QR code is shown.
    var connectsAhead = false

    /// The shortest time from one connection that is made ahead to the next, if its end was not asked for.
    private static var aheadPause: Duration { .seconds(5) }

    /// True if the tunnel may be used.
    var isTunnelAllowed: Bool { choice.channels.contains(.webSocket) }

    /// Opens a channel: over Bluetooth if the advert says where (HT-BLE-4) and that succeeds (HT-BLE-8), otherwise
    /// through the tunnel (HT-BLE-5, HT-BLE-6), where that is allowed.
    ///
    /// - Returns: the channel; true if it is one over Bluetooth. Nothing has authenticated the address that it leads
    ///   to.
    /// - Throws: ``HybridTransportError`` with `noCommonChannel`; the error of the channel that was tried last.
    func open(
        _ advert: NearbyAdvert, _ tunnelID: TunnelID, _ context: CeremonyContext
    ) async throws -> (channel: any DataChannel, isNearby: Bool) {
        if let nearby, choice.channels.contains(.ble), let psm = advert.psm, let address = advert.sender {
            context.expect(.channelOpened)
            do {
                let channel = try await context.within(context.limits.nearby) {
                    try await nearby.connect(to: address, psm: psm)
                }
                context.reached(.channelOpened, next: .handshaken)
                return (channel, true)
            } catch {
                guard isTunnelAllowed, !Task.isCancelled else { throw error }
                context.notice(.tunnelInstead)
            }
        }
        guard isTunnelAllowed else {
            throw HybridTransportError(
                .noCommonChannel, stage: .channelOpened, cause: "the other device offers no connection over Bluetooth",
                advice: .useTunnel)
        }
        return (try await join(advert, tunnelID, context), false)
    }

    /// Keeps a connection to the tunnel service open for ``join(_:_:_:)``, until that has taken it or the task is
    /// cancelled: a name look-up, TCP and TLS are over when the advert comes.
    ///
    /// Only a service that is known is connected to: the one that was given, or that of a link. It learns that a code
    /// is shown here, and when, before anybody has answered it. To all others that stays unknown.
    ///
    /// - Parameter link: a linked authenticator, whose service is taken for the one that will be named.
    func connectAhead(of link: SharedLink?, _ timer: DeadlineTimer) async {
        guard connectsAhead, isTunnelAllowed, let service = service ?? link.map({ .init($0.link.domain) })
        else { return }
        while !Task.isCancelled, await !opener.connectAhead(to: service) {
            try? await timer.sleep(for: Self.aheadPause)
        }
    }

    /// Joins the tunnel that an advert names.
    ///
    /// - Throws: ``DataChannelError``, ``HybridTransportError``; ``HybridProtocolError`` for a domain that is not
    ///   assigned.
    func join(
        _ advert: NearbyAdvert, _ tunnelID: TunnelID, _ context: CeremonyContext
    ) async throws -> any DataChannel {
        context.expect(.tunnelJoined)
        let (domain, isGiven) = (advert.plaintext.domain, service != nil)
        var request = TunnelRequest(
            .connect(tunnelID, routingID: advert.plaintext.routingID, at: service ?? TunnelURL.Service(domain)))
        request.takesConnection = true
        let channel = try await context.within(context.limits.tunnel) { [request] in
            do throws(DataChannelError) {
                return try await opener.open(request).channel
            } catch {
                throw error.of(domain, unless: isGiven)
            }
        }
        context.reached(.tunnelJoined, next: .handshaken)
        return channel
    }

    /// Asks a linked authenticator's tunnel service to wake it.
    ///
    /// - Parameters:
    ///   - contactID: the name by which the service reaches it.
    ///   - request: the message to the authenticator.
    ///   - domain: the domain that the link names.
    /// - Throws: ``DataChannelError``; ``HybridProtocolError`` for a domain that is not assigned.
    func contact(_ contactID: ContactID, _ request: ContactRequest, of domain: TunnelDomain) async throws
        -> OpenedTunnel
    {
        let headers = ContactHeaders(clientPayload: request.encoded()).fields
        let service = service ?? TunnelURL.Service(domain)
        return try await opener.open(TunnelRequest(.contact(contactID, at: service), headers: headers))
    }
}

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
