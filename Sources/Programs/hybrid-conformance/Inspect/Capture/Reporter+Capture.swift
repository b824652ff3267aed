import Captures
import CommandLine
import Encodings
import HybridProtocol

extension Reporter {
    /// Writes a line for programs if they are wanted.
    func writeIfJSON(_ line: some Encodable) {
        if isJSON { writeJSON(line) }
    }

    /// Writes an event of a capture for programs.
    func write(_ event: CaptureEvent, tunnelID: TunnelID?) {
        let (time, packet, place) = (seconds(event.time), event.packet, event.place)
        switch event.kind {
        case .advert(let advert): writeJSON(CapturedAdvertLine(advert, event, tunnelID))
        case .advertTimes(let advert, let times):
            writeJSON(
                CapturedAdvertTimesLine(
                    place: place, advert: advert.number, first: seconds(times.first), last: seconds(times.last),
                    count: times.count, meanIntervalMs: milliseconds(times.meanGap),
                    shortestIntervalMs: milliseconds(times.shortestGap)))
        case .channelOpened(let channel): writeJSON(CapturedChannelLine("channel_opened", channel, event))
        case .channelClosed(let channel, let end):
            var line = CapturedChannelLine("channel_closed", channel, event)
            line.reason = end.rawValue
            writeJSON(line)
        case .channelRefused(let psm, let result):
            writeJSON(
                CapturedChannelLine(
                    event: "channel_refused", time: time, packet: packet, place: place, psm: psm, result: result))
        case .tunnelOpened(let tunnel): writeJSON(CapturedTunnelLine("tunnel_opened", tunnel, event, nil))
        case .tunnelClosed(let tunnel, let end): writeJSON(CapturedTunnelLine("tunnel_closed", tunnel, event, end))
        case .session(let session):
            writeJSON(
                CapturedSessionLine(
                    event: "session", time: time, packet: packet, place: place, session: session.number,
                    id: Hexadecimal.encode(session.id), carrier: session.carrier.name, channel: session.channel,
                    keys: session.hasKeys, repeated: session.isRepetition))
        case .sessionLost(let number, let reason):
            writeJSON(
                CapturedSessionLine(
                    event: "session_lost", time: time, packet: packet, place: place, session: number, reason: reason))
        case .message(let message):
            let text = MessageText(message)
            writeJSON(
                CapturedMessageLine(
                    time: time, packet: packet, place: place, session: message.session, carrier: message.carrier.name,
                    from: message.isFromClient ? "client" : "authenticator", kind: text.kind, text: text.summary,
                    bytes: text.bytes.map { Hexadecimal.encode($0) }))
        }
    }
}

extension CapturedTunnelLine {
    fileprivate init(_ name: String, _ tunnel: CapturedTunnel, _ event: CaptureEvent, _ end: ChannelEnding?) {
        self.init(
            event: name, time: seconds(event.time), packet: event.packet, place: event.place, channel: tunnel.number,
            path: tunnel.path, bytesToService: tunnel.byteCountFromOpener,
            bytesFromService: tunnel.byteCountFromService, reason: end?.rawValue)
    }
}

extension CapturedChannelLine {
    fileprivate init(_ name: String, _ channel: CapturedChannel, _ event: CaptureEvent) {
        self.init(
            event: name, time: seconds(event.time), packet: event.packet, place: event.place, channel: channel.number,
            psm: channel.psm, openedBy: channel.isOpenedByPeer ? "peer" : "host", peer: channel.peer?.text,
            peerType: channel.peer?.kind, initiator: Side(channel.initiator), acceptor: Side(channel.acceptor))
    }
}

extension CapturedAdvertLine {
    fileprivate init(_ advert: CapturedAdvert, _ event: CaptureEvent, _ tunnelID: TunnelID?) {
        let isHybrid = advert.service.canBeHybrid(advert.serviceData.count)
        let suffix = advert.serviceData.dropFirst(AdvertKey.advertByteCount).map(\.self)
        var plaintext: AdvertPlaintext?
        var opening: String?
        switch advert.opening {
        case .notTried: break
        case .foreign: opening = "other-session"
        case .invalid: opening = "invalid"
        case .opened(let opened):
            opening = "opened"
            plaintext = opened.plaintext
        }
        self.init(
            time: seconds(event.time), packet: event.packet, place: event.place, advert: advert.number,
            service: advert.service.uuid,
            kind: isHybrid ? "hybrid" : advert.service == .nearbyPresence ? "decoy" : "too-short",
            direction: advert.direction == .sent ? "sent" : "received", address: advert.address?.text,
            addressType: advert.address?.kind, extended: advert.isExtended, rssi: advert.rssi,
            data: Hexadecimal.encode(advert.serviceData), psm: isHybrid ? AdvertSuffix(suffix.span).psm : nil,
            opening: opening, routingID: plaintext?.routingID.hex, tunnelDomain: plaintext?.domain.number,
            tunnelHost: plaintext.flatMap { try? $0.domain.host() }, tunnelID: plaintext.flatMap { _ in tunnelID?.hex })
    }
}
