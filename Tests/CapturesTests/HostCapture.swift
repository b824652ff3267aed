import Captures
import Cryptography
import HybridProtocol

/// A capture of a Bluetooth host, packet by packet, as btmon writes it.
final class HostCapture {
    private(set) var events: [CaptureEvent] = []
    private let keys: CaptureKeys
    private lazy var analysis = CaptureAnalysis(keys) { [unowned self] in events.append($0) }
    private var time: Int64 = 1_795_435_200_000_000_000

    init(_ keys: CaptureKeys = CaptureKeys()) { self.keys = keys }

    var counts: CaptureAnalysis.Counts { analysis.counts }

    func take(_ opcode: UInt32, _ bytes: [UInt8], adapter: UInt32 = 0) {
        time += 1_000_000
        analysis.take(
            CapturedPacket(time: time, linkType: .btsnoopMonitor, flags: adapter << 16 | opcode, bytes: bytes[...]))
    }

    func take(_ packet: CapturedPacket) { analysis.take(packet) }

    func finish() { analysis.finish() }

    func command(_ opcode: UInt16, _ parameters: [UInt8]) {
        take(2, join(little(opcode), [UInt8(parameters.count)], parameters))
    }

    func event(_ code: UInt8, _ parameters: [UInt8]) { take(3, join([code, UInt8(parameters.count)], parameters)) }

    /// A legacy report of an advert with service data.
    func advert(_ service: UInt16, _ data: [UInt8], address: [UInt8] = [1, 2, 3, 4, 5, 6]) {
        let structure = join([UInt8(data.count + 3), 0x16], little(service), data)
        event(0x3E, join([0x02, 1, 3, 1], address, [UInt8(structure.count)], structure, [0xC4]))
    }

    /// A part of an extended report.
    func extendedAdvert(_ data: [UInt8], status: UInt16) {
        let type: UInt16 = status << 5
        let head: [UInt8] = [1, 6, 5, 4, 3, 2, 1, 1, 1, 5, 0x7F, 0xC4, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        event(0x3E, join([0x0D, 1], little(type), head, [UInt8(data.count)], data))
    }

    /// An L2CAP packet, in fragments of a size.
    func l2cap(_ cid: UInt16, _ contents: [UInt8], sent: Bool, handle: UInt16 = 64, by size: Int = 27) {
        var packet = join(little(UInt16(contents.count)), little(cid), contents)[...]
        var isFirst = true
        while isFirst || !packet.isEmpty {
            let fragment = Array(packet.prefix(size))
            packet = packet.dropFirst(size)
            let boundary: UInt16 = isFirst ? (sent ? 0 : 2) : 1
            isFirst = false
            let head = handle | boundary << 12
            take(sent ? 4 : 5, join(little(head), little(UInt16(fragment.count)), fragment))
        }
    }

    /// Opens a channel: ours is 0x40, theirs 0x41.
    func openChannel(psm: UInt16 = 128, mtu: UInt16 = 672) {
        let offer = join(little(mtu), little(UInt16(64)), little(UInt16(10)))
        l2cap(5, join([0x14, 1, 10, 0], little(psm), [0x40, 0], offer), sent: true)
        l2cap(5, join([0x15, 1, 10, 0, 0x41, 0], offer, [0, 0]), sent: false)
    }

    /// An SDU of the client, which has opened the channel, or of the authenticator; in frames of 64 bytes.
    func sdu(_ bytes: [UInt8], fromClient: Bool) {
        var rest = join(little(UInt16(bytes.count)), bytes)[...]
        while !rest.isEmpty {
            l2cap(fromClient ? 0x41 : 0x40, Array(rest.prefix(64)), sent: fromClient)
            rest = rest.dropFirst(64)
        }
    }

    /// The messages, as a word for each.
    var messages: [String] {
        events.compactMap { event in
            guard case .message(let message) = event.kind else { return nil }
            let sender = message.isFromClient ? "client" : "authenticator"
            switch message.contents {
            case .handshake(let bytes): return "\(sender) handshake \(bytes.count)"
            case .first(let bytes): return "\(sender) first \(bytes.count)"
            case .message(let bytes, let isTyped): return "\(sender) \(isTyped ? "typed" : "untyped") \(bytes)"
            case .sealed: return "\(sender) sealed"
            }
        }
    }

    var adverts: [CapturedAdvert] {
        events.compactMap { if case .advert(let advert) = $0.kind { advert } else { nil } }
    }
}

/// The bytes of several parts.
func join(_ parts: [UInt8]...) -> [UInt8] { Array(parts.joined()) }

func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
}

/// The messages of both ends of a session, with its keys.
struct RecordedSession {
    var fromClient: [[UInt8]] = []
    var fromAuthenticator: [[UInt8]] = []
    var line = ""
    let secret: [UInt8]
    let advert: [UInt8]

    /// Runs a session with one request of the given length.
    init(requestByteCount: Int = 2_000) throws {
        let secret = (0..<16).map { _ in UInt8.random(in: 0...255) }
        self.secret = secret
        let invitation = try ClientInvitation(
            privateKey: .generate(), secret: SecretBytes(copying: secret.span),
            details: .init(timestamp: 1_700_000_000, hint: .getAssertion))
        let plaintext = try AdvertPlaintext(
            nonce: [UInt8](repeating: 7, count: 10), routingID: .init([1, 2, 3]), domain: .google)
        var key = try invitation.invitation.advertKey()
        advert = try key.seal(plaintext)
        let responder = try Responder(Invitation(url: invitation.invitation.url()), advert: plaintext)
        let initiator = try Initiator(invitation, advert: plaintext, ephemeralKey: .generate())
        let log = LineLog()
        fromClient.append(initiator.message)
        let message = initiator.message
        let connected = try responder.answer(message.span, ephemeralKey: .generate()) {
            log.take($0.line.take())
        }
        let response = connected.response
        fromAuthenticator.append(response)
        let waiting = try initiator.finish(response.span)
        var authenticator = try connected.sendFirstMessage(FirstMessage(getInfo: [0xA1, 1, 0x80]))
        fromAuthenticator.append(authenticator.firstFrame)
        var client = try waiting.readFirstMessage(authenticator.firstFrame)
        let request = try client.sealRequest(.ctap([2] + [UInt8](repeating: 0x0D, count: requestByteCount)))
        fromClient.append(request)
        _ = try authenticator.open(request)
        fromAuthenticator.append(try authenticator.sealResponse(.ctap([0x2E])))
        if let shutdown = try client.sealShutdown() { fromClient.append(shutdown) }
        line = log.text
    }
}

private final class LineLog: @unchecked Sendable {
    // Called by one thread, before the test reads it.
    private(set) var text = ""
    func take(_ line: [UInt8]) { text += String(decoding: line, as: UTF8.self) }
}
