package import HybridProtocol

/// The parts of this machine's ceremonies in either role: radio, tunnels, channels, time limits and key log.
package struct CeremonyParts: Sendable {
    /// The radio.
    package var radio: any Radio
    /// Opens tunnels.
    package var opener: any TunnelOpener
    /// The address of the tunnel service; nil for the domain's own.
    package var service: TunnelURL.Service?
    /// The tunnel domain that an authenticator's advert names.
    package var domain: TunnelDomain
    /// The channels that are used.
    package var channel: ChannelChoice
    /// The time limits.
    package var limits: TimeLimits
    /// Gets the keys of each session: anyone who has them and a capture reads it. Nil but in a laboratory.
    package var keyLog: TrafficKeyLog?

    /// Puts the parts together; nothing is opened yet.
    package init(
        radio: any Radio, opener: any TunnelOpener, service: TunnelURL.Service? = nil, domain: TunnelDomain = .google,
        channel: ChannelChoice = .webSocket, limits: TimeLimits = .standard, keyLog: TrafficKeyLog? = nil
    ) {
        self.radio = radio
        self.opener = opener
        self.service = service
        self.domain = domain
        self.channel = channel
        self.limits = limits
        self.keyLog = keyLog
    }

    /// The address of an authenticator's tunnel service.
    package var tunnelService: TunnelURL.Service { service ?? TunnelURL.Service(domain) }

    /// Makes a client's ceremony.
    ///
    /// - Parameter observe: gets every stage.
    /// - Throws: ``RadioError``.
    package func client(observe: @escaping CeremonyObserver) throws(RadioError) -> ClientCeremony {
        var ceremony = ClientCeremony(
            scanner: try radio.scanner(), opener: opener, nearby: try nearby(), channel: channel, service: service,
            limits: limits, observe: observe)
        ceremony.keyLog = keyLog
        return ceremony
    }

    /// Makes an authenticator's ceremony, for a QR code.
    ///
    /// - Parameter observe: gets every stage.
    /// - Throws: ``RadioError``.
    package func authenticator(observe: @escaping CeremonyObserver) throws(RadioError) -> AuthenticatorCeremony {
        var ceremony = AuthenticatorCeremony(
            advertiser: try radio.advertiser(), opener: opener, nearby: try nearby(), channel: channel, domain: domain,
            service: service, limits: limits, observe: observe)
        ceremony.keyLog = keyLog
        return ceremony
    }

    /// Makes an authenticator's ceremony, for the request of a linked client.
    ///
    /// - Parameter observe: gets every stage.
    /// - Throws: ``RadioError``.
    package func woken(observe: @escaping CeremonyObserver) throws(RadioError) -> WokenCeremony {
        var ceremony = WokenCeremony(
            advertiser: try radio.advertiser(), opener: opener, service: tunnelService, limits: limits,
            observe: observe)
        ceremony.keyLog = keyLog
        return ceremony
    }

    private func nearby() throws(RadioError) -> (any NearbyConnector & NearbyListener)? {
        channel == .webSocket ? nil : try radio.channels()
    }
}
