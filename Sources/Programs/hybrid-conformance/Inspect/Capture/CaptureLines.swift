import Captures
import CommandLine
import Encodings

// The lines of `--json` for captures: one object each, told apart by `event`. Times are seconds since 1970.

/// A capture, before its packets.
struct CaptureLine: RecordedLine {
    let event = "capture"
    let file: String
    let format: String
    let byteCount: Int
}

/// An advert that was not there before.
struct CapturedAdvertLine: RecordedLine {
    let event = "advert"
    let time: Double?
    let packet: Int
    let place: String
    let advert: Int
    let service: String
    /// `hybrid`, `decoy` or `too-short`.
    let kind: String
    let direction: String
    let address: String?
    let addressType: String?
    let extended: Bool
    let rssi: Int?
    let data: String
    /// The PSM of the suffix, which is not authenticated.
    let psm: UInt16?
    /// `opened`, `other-session`, or `invalid`; absent without a key.
    let opening: String?
    let routingID: String?
    let tunnelDomain: UInt16?
    let tunnelHost: String?
    let tunnelID: String?
}

/// The times of an advert.
struct CapturedAdvertTimesLine: RecordedLine {
    let event = "advert_times"
    let place: String
    let advert: Int
    let first: Double?
    let last: Double?
    let count: Int
    let meanIntervalMs: Double?
    let shortestIntervalMs: Double?
}

/// A channel that was opened, refused or closed.
struct CapturedChannelLine: RecordedLine {
    let event: String
    let time: Double?
    let packet: Int
    let place: String
    var channel: Int?
    let psm: UInt16
    var openedBy: String?
    var peer: String?
    var peerType: String?
    var initiator: Side?
    var acceptor: Side?
    var result: UInt16?
    var reason: String?

    struct Side: Encodable {
        let cid: UInt16
        let mtu: UInt16
        let mps: UInt16
        let creditsGranted: Int
        let frames: Int
        let sdus: Int
        let bytes: Int
        let broken: Int

        init(_ side: ChannelSide) {
            cid = side.cid
            mtu = side.mtu
            mps = side.mps
            creditsGranted = side.creditsGranted
            frames = side.frameCount
            sdus = side.sduCount
            bytes = side.byteCount
            broken = side.brokenCount
        }
    }
}

/// A connection to a tunnel service that was opened or closed.
struct CapturedTunnelLine: RecordedLine {
    let event: String
    let time: Double?
    let packet: Int
    let place: String
    let channel: Int
    let path: String
    let bytesToService: Int
    let bytesFromService: Int
    let reason: String?
}

/// A session that began, or that cannot be followed.
struct CapturedSessionLine: RecordedLine {
    let event: String
    let time: Double?
    let packet: Int
    let place: String
    let session: Int
    var id: String?
    var carrier: String?
    var channel: Int?
    var keys: Bool?
    var repeated: Bool?
    var reason: String?
}

/// A message of a session.
struct CapturedMessageLine: RecordedLine {
    let event = "message"
    let time: Double?
    let packet: Int
    let place: String
    let session: Int
    let carrier: String
    let from: String
    let kind: String
    let text: String
    /// In hexadecimal, without padding; absent where they are encrypted, or hold a link secret or values of `prf`.
    let bytes: String?
}

/// Numbers of the whole capture.
struct CaptureSummaryLine: RecordedLine {
    let event = "summary"
    let packets: Int
    let cutPackets: Int
    let damagedPackets: Int
    let unreadPackets: Int
    let unknownChannelFrames: Int
    let sessions: Int
    let sessionsWithKeys: Int
    let first: Double?
    let last: Double?
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
