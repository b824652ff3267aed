import Captures
import CommandLine
import Encodings
import HybridProtocol

// The lines of `--json` for captures: one object each, told apart by `event`. Times are seconds since 1970.

extension Line {
    /// Something that a capture has recorded.
    init(recorded event: String, _ fields: Fields...) {
        self.init(event, Fields(fields))
        isRecorded = true
    }

    /// An event of a capture.
    ///
    /// - Parameter tunnelID: the tunnel of the QR code, if there is one.
    init(_ event: CaptureEvent, tunnelID: TunnelID?) {
        let place: Fields = ["time": seconds(event.time), "packet": event.packet, "place": event.place]
        switch event.kind {
        case .advert(let advert): self.init(recorded: "advert", place, advert.fields(tunnelID))
        case .advertTimes(let advert, let times):
            self.init(
                recorded: "advert_times",
                [
                    "place": event.place, "advert": advert.number, "first": seconds(times.first),
                    "last": seconds(times.last), "count": times.count,
                    "mean_interval_ms": milliseconds(times.meanGap),
                    "shortest_interval_ms": milliseconds(times.shortestGap),
                ])
        case .channelOpened(let channel): self.init(recorded: "channel_opened", place, channel.fields)
        case .channelClosed(let channel, let end):
            self.init(recorded: "channel_closed", place, channel.fields, ["reason": end.rawValue])
        case .channelRefused(let psm, let result):
            self.init(recorded: "channel_refused", place, ["psm": psm, "result": result])
        case .tunnelOpened(let tunnel): self.init(recorded: "tunnel_opened", place, tunnel.fields)
        case .tunnelClosed(let tunnel, let end):
            self.init(recorded: "tunnel_closed", place, tunnel.fields, ["reason": end.rawValue])
        case .session(let session):
            self.init(
                recorded: "session",
                place,
                [
                    "session": session.number, "id": Hexadecimal.encode(session.id), "carrier": session.carrier.name,
                    "channel": session.channel, "keys": session.hasKeys, "repeated": session.isRepetition,
                ])
        case .sessionLost(let number, let reason):
            self.init(recorded: "session_lost", place, ["session": number, "reason": reason])
        case .message(let message):
            let text = MessageText(message)
            self.init(
                recorded: "message",
                place,
                [
                    "session": message.session, "carrier": message.carrier.name,
                    "from": message.isFromClient ? "client" : "authenticator", "kind": text.kind,
                    "text": text.summary,
                    // Without padding; absent where they are encrypted, or hold a link secret or values of `prf`.
                    "bytes": text.bytes.map { Hexadecimal.encode($0) },
                ])
        }
    }
}

extension CapturedAdvert {
    /// The advert: its kind is `hybrid`, `decoy` or `too-short`; it is `opened`, of an `other-session` or `invalid`,
    /// and neither without a key. The PSM of the suffix is not authenticated.
    fileprivate func fields(_ tunnelID: TunnelID?) -> Fields {
        let isHybrid = service.canBeHybrid(serviceData.count)
        let suffix = serviceData.dropFirst(AdvertKey.advertByteCount).map(\.self)
        let (name, plaintext): (String?, AdvertPlaintext?) =
            switch opening {
            case .notTried: (nil, nil)
            case .foreign: ("other-session", nil)
            case .invalid: ("invalid", nil)
            case .opened(let opened): ("opened", opened.plaintext)
            }
        return [
            "advert": number, "service": service.uuid,
            "kind": isHybrid ? "hybrid" : service == .nearbyPresence ? "decoy" : "too-short",
            "direction": direction == .sent ? "sent" : "received", "address": address?.text,
            "address_type": address?.kind, "extended": isExtended, "rssi": rssi,
            "data": Hexadecimal.encode(serviceData), "psm": isHybrid ? AdvertSuffix(suffix.span).psm : nil,
            "opening": name, "routing_id": plaintext?.routingID.hex, "tunnel_domain": plaintext?.domain.number,
            "tunnel_host": plaintext.map { $0.domain.host() },
            "tunnel_id": plaintext.flatMap { _ in tunnelID?.hex },
        ]
    }
}

extension CapturedTunnel {
    fileprivate var fields: Fields {
        [
            "channel": number, "path": path, "bytes_to_service": byteCountFromOpener,
            "bytes_from_service": byteCountFromService,
        ]
    }
}

extension CapturedChannel {
    fileprivate var fields: Fields {
        [
            "channel": number, "psm": psm, "opened_by": isOpenedByPeer ? "peer" : "host", "peer": peer?.text,
            "peer_type": peer?.kind, "initiator": initiator.fields, "acceptor": acceptor.fields,
        ]
    }
}

extension ChannelSide {
    fileprivate var fields: Fields {
        [
            "cid": cid, "mtu": mtu, "mps": mps, "credits_granted": creditsGranted, "frames": frameCount,
            "sdus": sduCount, "bytes": byteCount, "broken": brokenCount,
        ]
    }
}

extension Carrier {
    /// The name of the carrier.
    var name: String {
        switch self {
        case .tunnel: "tunnel"
        case .l2cap: "l2cap"
        case .advert: "advert"
        }
    }
}

extension AdvertService {
    /// The 16 bits as they are written: `FFF9`.
    var uuid: String { Hexadecimal.encode([UInt8(rawValue >> 8), UInt8(rawValue & 0xFF)], .upperCase) }
}

extension DeviceAddress {
    /// As an address is written: `AA:BB:CC:DD:EE:FF`.
    var text: String { bytes.map { Hexadecimal.encode([$0], .upperCase) }.joined(separator: ":") }
}

/// Seconds since 1970 of nanoseconds.
func seconds(_ nanoseconds: Int64?) -> Double? { nanoseconds.map { Double($0 / 1_000) / 1e6 } }

/// Milliseconds of nanoseconds.
func milliseconds(_ nanoseconds: Int64?) -> Double? { nanoseconds.map { Double($0 / 1_000) / 1e3 } }
