import Captures
import CommandLine
import Encodings
import FoundationEssentials
import HybridProtocol

/// The events of a capture as lines for people.
struct CaptureTimeline {
    private let tunnelID: TunnelID?
    private var day: Int64?

    private static let longestNotation = 600
    private static let nanosecondsPerDay: Int64 = 86_400_000_000_000

    init(_ tunnelID: TunnelID?) { self.tunnelID = tunnelID }

    /// The lines of an event.
    mutating func lines(_ event: CaptureEvent) -> [String] {
        var texts: [String]
        switch event.kind {
        case .advert(let advert): texts = self.advert(advert)
        case .advertTimes(let advert, let times): return [Self.times(advert, times, event.place)]
        case .channelOpened(let channel): texts = [Self.opened(channel)]
        case .channelRefused(let psm, let result): texts = ["channel to PSM \(psm) refused, result \(result)"]
        case .channelClosed(let channel, let end): texts = [Self.closed(channel, end)]
        case .tunnelOpened(let tunnel): texts = [tunnelOpened(tunnel)]
        case .tunnelClosed(let tunnel, let end):
            texts = [
                "tunnel \(tunnel.number) \(Self.reason(end)): \(tunnel.byteCountFromOpener) bytes to the service, "
                    + "\(tunnel.byteCountFromService) bytes from it"
            ]
        case .session(let session): texts = [Self.session(session)]
        case .message(let message): texts = Self.message(message)
        case .sessionLost(let number, let reason):
            texts = ["session \(number) cannot be followed any further: \(reason)"]
        }
        let first = texts.removeFirst()
        return dayLine(event.time) + ["\(Self.clock(event.time))  \(event.place)  \(first)"] + texts.map { "    \($0)" }
    }

    private mutating func dayLine(_ time: Int64?) -> [String] {
        guard let time, time / Self.nanosecondsPerDay != day else { return [] }
        day = time / Self.nanosecondsPerDay
        let date = Date(timeIntervalSince1970: Double(time / 1_000_000_000))
        return ["\(date.formatted(.iso8601.year().month().day())), times are UTC"]
    }

    /// The time of the day, to the microsecond.
    private static func clock(_ time: Int64?) -> String {
        guard let time, time >= 0 else { return "--:--:--.------" }
        let micros = time % nanosecondsPerDay / 1_000
        let seconds = micros / 1_000_000
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":") + "."
            + padded(micros % 1_000_000, 6)
    }

    private func advert(_ advert: CapturedAdvert) -> [String] {
        let address = advert.address.map { "\($0.text), \($0.kind)" } ?? "an address that the capture does not tell"
        let kind = advert.isExtended ? "extended" : "legacy"
        let way = advert.direction == .sent ? "sent from" : "received from"
        let strength = advert.rssi.map { ", \($0) dBm" } ?? ""
        let head =
            "advert \(advert.number)  \(advert.service.uuid), \(advert.serviceData.count) bytes, \(way) \(address), "
            + "\(kind)\(strength)"
        return [head, Hexadecimal.encode(advert.serviceData)] + meaning(advert)
    }

    private func meaning(_ advert: CapturedAdvert) -> [String] {
        guard advert.service.canBeHybrid(advert.serviceData.count) else {
            return advert.service == .nearbyPresence
                ? ["a decoy: Google's Nearby Presence, and no hybrid advert"] : ["too short for a hybrid advert"]
        }
        var lines: [String] = []
        let suffix = advert.serviceData.dropFirst(AdvertKey.advertByteCount).map(\.self)
        if !suffix.isEmpty {
            let psm =
                AdvertSuffix(suffix.span).psm.map { "offers L2CAP at PSM \($0)" } ?? "offers nothing that is known"
            lines.append("suffix \(Hexadecimal.encode(suffix)): \(psm), not authenticated")
        }
        switch advert.opening {
        case .notTried: break
        case .foreign: lines.append("not of this QR code's session")
        case .invalid(let error): lines.append("of this QR code's session, and breaks the rules: \(error.reason)")
        case .opened(let opened): lines.append(place(opened.plaintext))
        }
        return lines
    }

    private func place(_ plaintext: AdvertPlaintext) -> String {
        let host = plaintext.domain.host()
        let tunnel = tunnelID.map { ", tunnel \($0.hex)" } ?? ""
        return
            "opened: routing ID \(plaintext.routingID.hex), tunnel domain \(plaintext.domain.number) (\(host))\(tunnel)"
    }

    private static func times(_ advert: CapturedAdvert, _ times: AdvertTimes, _ place: String) -> String {
        let span = "\(clock(times.first)) to \(clock(times.last))"
        let head = "advert \(advert.number)  \(advert.service.uuid) on \(place), \(span)"
        guard advert.direction == .received else {
            return "\(head), switched on \(times.count == 1 ? "once" : "\(times.count) times")"
                + (times.isOn ? ", and not off again" : "")
        }
        guard let mean = milliseconds(times.meanGap), let shortest = milliseconds(times.shortestGap) else {
            return "\(head), received once"
        }
        return "\(head), received \(times.count) times, every \(mean) ms, at least \(shortest) ms apart"
    }

    private static func opened(_ channel: CapturedChannel) -> String {
        let peer = channel.peer.map { " (\($0.text), \($0.kind))" } ?? ""
        let opener = channel.isOpenedByPeer ? "the peer\(peer) to this host" : "this host to the peer\(peer)"
        return
            "channel \(channel.number) opened by \(opener), PSM \(channel.psm); "
            + "initiator \(limits(channel.initiator)); acceptor \(limits(channel.acceptor))"
    }

    private static func limits(_ side: ChannelSide) -> String {
        "MTU \(side.mtu), MPS \(side.mps), \(side.creditsGranted) credits"
    }

    private static func closed(_ channel: CapturedChannel, _ end: ChannelEnding) -> String {
        "channel \(channel.number) \(reason(end)): initiator sent \(traffic(channel.initiator)), acceptor "
            + traffic(channel.acceptor)
    }

    private static func reason(_ end: ChannelEnding) -> String {
        switch end {
        case .closed: "closed"
        case .connectionLost: "gone with its connection"
        case .captureEnded: "still open at the end of the capture"
        case .crowdedOut: "not followed any further"
        }
    }

    private func tunnelOpened(_ tunnel: CapturedTunnel) -> String {
        let isOurs = tunnelID.map { tunnel.path.lowercased().hasSuffix($0.hex) } ?? false
        return "tunnel \(tunnel.number) opened, \(quoted(tunnel.path))\(isOurs ? ", of this QR code" : "")"
    }

    private static func traffic(_ side: ChannelSide) -> String {
        let broken = side.brokenCount == 0 ? "" : ", \(side.brokenCount) of them broken"
        return "\(side.byteCount) bytes in \(side.sduCount) SDUs\(broken), granted \(side.creditsGranted) credits"
    }

    private static func session(_ session: CapturedSession) -> String {
        let carrier = session.carrier == .l2cap ? "channel" : "tunnel"
        guard !session.isRepetition else {
            return "the same session as seen before, on \(carrier) \(session.channel): not shown again"
        }
        let keys = session.hasKeys ? "its keys are in the key log" : "no keys"
        return "session \(session.number) on \(carrier) \(session.channel), \(keys): \(Hexadecimal.encode(session.id))"
    }

    private static func message(_ message: CapturedMessage) -> [String] {
        let text = MessageText(message)
        let way = message.isFromClient ? "client → authenticator" : "authenticator → client"
        let head = "session \(message.session)  \(way)  \(text.summary)"
        guard let notation = text.notation else { return [head] }
        let isLong = notation.count > longestNotation
        return [head, isLong ? "\(notation.prefix(longestNotation))… (\(notation.count) characters)" : notation]
    }
}
