import Captures
import HybridProtocol
import Testing

/// Connections to a tunnel service in a capture of a network.
@Suite("A tunnel of a capture")
struct TunnelTests {
    private static let request = Array("GET /cable/new/00 HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    private static let answer = Array("HTTP/1.1 101 Switching Protocols\r\n\r\n".utf8)

    @Test("is read in segments of any size, in any order, and however often they come", arguments: [1, 7, 100])
    func segments(size: Int) throws {
        let session = try RecordedSession(requestByteCount: 10)
        let capture = HostCapture()
        var tunnel = Tunnel(capture)
        // A connection is known by a segment that begins as a request does.
        tunnel.send(Self.request, fromOpener: true, by: max(size, 11))
        tunnel.send(Self.answer, fromOpener: false, by: size)
        tunnel.send(Tunnel.frame(session.fromClient[0], isMasked: true), fromOpener: true, by: size)
        tunnel.send(Tunnel.frame(session.fromAuthenticator[0], isMasked: false), fromOpener: false, by: size)
        capture.finish()
        #expect(capture.messages == ["client handshake 81", "authenticator handshake 81"])
        #expect(capture.tunnelEnds.map(\.1) == [.captureEnded])
    }

    @Test("keeps a segment that waits once, however often it comes")
    func repetition() throws {
        let session = try RecordedSession(requestByteCount: 10)
        let capture = HostCapture()
        var tunnel = Tunnel(capture)
        tunnel.send(Self.request, fromOpener: true)
        tunnel.send(Self.answer, fromOpener: false)
        let frames = join(
            Tunnel.frame(session.fromClient[0], isMasked: true),
            Tunnel.frame([UInt8](repeating: 1, count: 1_000), isMasked: true))
        for _ in 0..<400 { tunnel.segment(Array(frames.dropFirst()), fromOpener: true, ahead: 1) }
        tunnel.segment([frames[0]], fromOpener: true)
        #expect(capture.messages == ["client handshake 81"])
    }

    @Test("whose request does not end is forgotten, and one that follows on the same ports is read")
    func endlessRequest() {
        let capture = HostCapture()
        var tunnel = Tunnel(capture)
        tunnel.send(Array("GET /cable/".utf8) + [UInt8](repeating: 0x61, count: 17_000), fromOpener: true)
        tunnel.send(Self.request, fromOpener: true)
        tunnel.send(Self.answer, fromOpener: false)
        capture.finish()
        #expect(capture.tunnelEnds.map(\.1) == [.captureEnded])
    }

    @Test("has no messages that come before the service has agreed")
    func early() throws {
        let session = try RecordedSession(requestByteCount: 10)
        let capture = HostCapture()
        var tunnel = Tunnel(capture)
        tunnel.send(Self.request, fromOpener: true)
        tunnel.send(Tunnel.frame(session.fromClient[0], isMasked: true), fromOpener: true)
        tunnel.send(Self.answer, fromOpener: false)
        capture.finish()
        #expect(capture.events.isEmpty)
    }

    @Test("is one of many that wait for what never comes, and what is held of them is bounded")
    func flood() {
        let capture = HostCapture()
        let part = [UInt8](repeating: 2, count: 50_000)
        for port in UInt16(0)..<200 {
            var tunnel = Tunnel(capture, port: 10_000 + port)
            tunnel.send(Self.request, fromOpener: true)
            tunnel.send(Self.answer, fromOpener: false)
            for number in 0..<4 { tunnel.segment(part, fromOpener: true, ahead: 1 + UInt32(number * part.count)) }
        }
        capture.finish()
        let ends = capture.tunnelEnds
        #expect(ends.count == 200 && ends.count { $0.1 == .crowdedOut } >= 160)
    }
}

extension HostCapture {
    fileprivate var tunnelEnds: [(CapturedTunnel, ChannelEnding)] {
        events.compactMap { if case .tunnelClosed(let tunnel, let end) = $0.kind { (tunnel, end) } else { nil } }
    }
}

/// A TCP connection in a capture of raw IPv4.
private struct Tunnel {
    private let capture: HostCapture
    private let port: UInt16
    private var next: (opener: UInt32, service: UInt32) = (.max - 20, 5)

    init(_ capture: HostCapture, port: UInt16 = 40_000) {
        self.capture = capture
        self.port = port
    }

    /// A WebSocket message.
    static func frame(_ payload: [UInt8], isMasked: Bool) -> [UInt8] {
        let length = payload.count < 126 ? [UInt8(payload.count)] : join([126], big(UInt16(payload.count)))
        guard isMasked else { return join([0x82], length, payload) }
        let mask: [UInt8] = [1, 2, 3, 4]
        let masked = payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
        return join([0x82, length[0] | 0x80], Array(length.dropFirst()), mask, masked)
    }

    /// Sends bytes in order. Where there are two segments or more, the first two change places, and come again.
    mutating func send(_ bytes: [UInt8], fromOpener: Bool, by size: Int = 10_000) {
        let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
        let isBegun = fromOpener ? next.opener != .max - 20 : next.service != 5
        if isBegun, pieces.count > 1 {
            segment(pieces[1], fromOpener: fromOpener, ahead: UInt32(pieces[0].count))
        }
        for piece in pieces {
            segment(piece, fromOpener: fromOpener)
            segment(piece, fromOpener: fromOpener)
            if fromOpener { next.opener &+= UInt32(piece.count) } else { next.service &+= UInt32(piece.count) }
        }
    }

    func segment(_ payload: [UInt8], fromOpener: Bool, ahead: UInt32 = 0) {
        let ports = fromOpener ? [port, 443] : [443, port]
        let sequence = (fromOpener ? next.opener : next.service) &+ ahead
        let rest: [UInt8] = [0, 0, 0, 0, 0x50, 0x10, 0, 0, 0, 0, 0, 0]
        let tcp = join(big(ports[0]), big(ports[1]), big(sequence), rest, payload)
        let packet = join(
            [0x45, 0], big(UInt16(20 + tcp.count)), [0, 0, 0, 0, 64, 6, 0, 0], [127, 0, 0, 1], [127, 0, 0, 1], tcp)
        capture.take(CapturedPacket(time: 1, linkType: .raw, bytes: packet[...]))
    }
}

private func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
}
