package import HybridProtocol

/// An event that a capture tells of.
package struct CaptureEvent {
    /// Nanoseconds since 1970; nil where the capture has no time.
    package let time: Int64?
    /// The number of the packet that completed it, from 1 on, as Wireshark counts; 0 behind the last one.
    package let packet: Int
    /// The adapter or interface: `hci0`, `air`, `if0`.
    package let place: String
    package let kind: Kind

    package enum Kind {
        /// An advert that was not there before.
        case advert(CapturedAdvert)
        /// The times of an advert, when it is over.
        case advertTimes(CapturedAdvert, AdvertTimes)
        /// A channel was opened.
        case channelOpened(CapturedChannel)
        /// A channel was refused, with the result of the Bluetooth specification.
        case channelRefused(psm: UInt16, result: UInt16)
        /// A channel was closed, or the capture ended, or something else did that held the channel.
        case channelClosed(CapturedChannel, ChannelEnding)
        /// A connection to a tunnel service, without TLS, was opened.
        case tunnelOpened(CapturedTunnel)
        /// It was closed, or the capture ended.
        case tunnelClosed(CapturedTunnel, ChannelEnding)
        /// A session began: the client's handshake message has come.
        case session(CapturedSession)
        /// A message of a session.
        case message(CapturedMessage)
        /// A session that cannot be followed any further, and why.
        case sessionLost(number: Int, reason: String)
    }
}

/// Reason why a channel is over.
package enum ChannelEnding: String {
    case closed, connectionLost = "connection-lost", captureEnded = "capture-ended", crowdedOut = "crowded-out"
}

/// The address of a Bluetooth device.
package struct DeviceAddress: Hashable, Sendable {
    /// 6 bytes, the most significant first, as an address is written.
    package let bytes: [UInt8]
    package let isRandom: Bool

    /// Takes 6 bytes as they are on the air, the least significant first.
    package init(littleEndian: ArraySlice<UInt8>, type: UInt8) {
        bytes = littleEndian.reversed()
        isRandom = type & 1 == 1
    }

    /// The kind of address; of a random one, by its upper two bits.
    package var kind: String {
        guard isRandom, let first = bytes.first else { return "public" }
        return switch first >> 6 {
        case 0: "non-resolvable"
        case 1: "resolvable"
        default: "random static"
        }
    }
}

/// An advert of a service that is looked at here.
package struct CapturedAdvert {
    /// The number that its times refer to, from 1 on.
    package let number: Int
    package let service: AdvertService
    package let serviceData: [UInt8]
    package let direction: CapturedPacket.Direction
    /// The sender; nil where it is not known.
    package let address: DeviceAddress?
    package let isExtended: Bool
    /// Of the first reception, in dBm.
    package let rssi: Int?
    package let opening: Opening

    /// Outcome of opening an advert.
    package enum Opening {
        /// There was no key, or the service data is not a hybrid advert's.
        case notTried
        /// It is another session's.
        case foreign
        /// It is of the QR code's session, and here is its plaintext.
        case opened(OpenedAdvert)
        /// It is of the QR code's session, and breaks the rules.
        case invalid(HybridProtocolError)
    }
}

/// The times of an advert on the air.
package struct AdvertTimes {
    package var first: Int64?
    package var last: Int64?
    /// The number of receptions; of adverts of ours, how often they were switched on.
    package var count = 0
    /// The shortest time between two receptions, in nanoseconds.
    package var shortestGap: Int64?
    package var isOn = false

    /// The mean time between two receptions, in nanoseconds.
    package var meanGap: Int64? {
        guard let first, let last, count > 1 else { return nil }
        let (span, isOut) = last.subtractingReportingOverflow(first)
        return isOut ? nil : span / Int64(count - 1)
    }

    mutating func note(_ time: Int64?) {
        count += 1
        guard let time else { return }
        if let last, time >= last {
            let gap = time.subtractingReportingOverflow(last).partialValue
            shortestGap = min(shortestGap ?? gap, gap)
        }
        first = first ?? time
        last = time
    }
}

/// Services whose adverts are looked at.
package enum AdvertService: UInt16, Sendable, CaseIterable {
    /// The FIDO Alliance's, of CTAP.
    case fido = 0xFFF9
    /// Google's, of early caBLE.
    case google = 0xFDE2
    /// Google's Nearby Presence, whose 22 bytes have been taken for a hybrid advert. It is none.
    case nearbyPresence = 0xFCF1

    /// True if service data of so many bytes can be a hybrid advert (HT-ADV-8).
    package func canBeHybrid(_ byteCount: Int) -> Bool {
        self != .nearbyPresence && byteCount >= AdvertKey.advertByteCount
    }
}

/// An L2CAP connection-oriented channel. The initiator is the client of a session.
package struct CapturedChannel {
    /// From 1 on.
    package let number: Int
    package let psm: UInt16
    package let isOpenedByPeer: Bool
    package let peer: DeviceAddress?
    package var initiator = ChannelSide()
    package var acceptor = ChannelSide()
    package var openedAt: Int64?
}

/// One side of a channel: its limits, and counts of its traffic.
package struct ChannelSide {
    package var cid: UInt16 = 0
    package var mtu: UInt16 = 0
    package var mps: UInt16 = 0
    /// Credits that it has granted, from the beginning on.
    package var creditsGranted = 0
    /// Frames that it has sent, each for a credit.
    package var frameCount = 0
    /// SDUs that it has sent whole.
    package var sduCount = 0
    /// The bytes of their contents.
    package var byteCount = 0
    /// SDUs that broke the rules of the channel, or did not come whole.
    package var brokenCount = 0
}

/// A connection to a tunnel service.
package struct CapturedTunnel {
    /// From 1 on, among channels and tunnels.
    package let number: Int
    /// The path of the request, as it was sent. Foreign text.
    package let path: String
    /// The bytes of messages of its opener, and of the service.
    package let byteCountFromOpener: Int
    package let byteCountFromService: Int
}

/// A hybrid session.
package struct CapturedSession {
    /// From 1 on.
    package let number: Int
    /// The X coordinate of the client's ephemeral key, which names it in a key log: 32 bytes.
    package let id: [UInt8]
    package let carrier: Carrier
    /// The number of the channel or tunnel that carries it.
    package let channel: Int
    package let hasKeys: Bool
    /// True if the session was told of already, on another adapter: its messages are not repeated.
    package let isRepetition: Bool
}

/// Carrier of a session, by its number in exported packets.
package enum Carrier: UInt8, Sendable { case tunnel = 0, l2cap = 1, advert = 2 }

/// A message of a session.
package struct CapturedMessage {
    package let session: Int
    package let carrier: Carrier
    package let isFromClient: Bool
    package let contents: Contents

    package enum Contents {
        /// As on the wire: 81 bytes.
        case handshake([UInt8])
        /// The authenticator's first message, decrypted.
        case first([UInt8])
        /// Any other, decrypted; `isTyped` if it begins with its type.
        case message([UInt8], isTyped: Bool)
        /// One that was not decrypted, of so many bytes.
        case sealed(Int)
    }
}
