import Captures
import HybridProtocol
import Testing

/// Channels of a capture, and the sessions on them.
@Suite("A channel of a capture")
struct ChannelTests {
    private static let terminator: [UInt8] = [0x0D, 0x0A]

    private func keys(_ line: String) -> CaptureKeys {
        let keys = CaptureKeys()
        for line in line.split(separator: "\n") { keys.add(line: line) }
        return keys
    }

    private func play(_ session: RecordedSession, in capture: HostCapture, terminated: Bool) {
        let end = terminated ? Self.terminator : []
        func send(_ message: [UInt8], fromClient: Bool) {
            var rest = (message + end)[...]
            while !rest.isEmpty {
                capture.sdu(Array(rest.prefix(600)), fromClient: fromClient)
                rest = rest.dropFirst(600)
            }
        }
        send(session.fromClient[0], fromClient: true)
        send(session.fromAuthenticator[0], fromClient: false)
        send(session.fromAuthenticator[1], fromClient: false)
        send(session.fromClient[1], fromClient: true)
        send(session.fromAuthenticator[2], fromClient: false)
        send(session.fromClient[2], fromClient: true)
    }

    @Test("gives every message with the keys of the log, whatever ends them", arguments: [true, false])
    func messages(terminated: Bool) throws {
        let session = try RecordedSession()
        let capture = HostCapture(keys(session.line))
        capture.openChannel()
        play(session, in: capture, terminated: terminated)
        #expect(
            capture.messages == [
                "client handshake 81", "authenticator handshake 81", "authenticator first 6",
                "client typed \([1, 2] + [UInt8](repeating: 0x0D, count: 2_000))", "authenticator typed [1, 46]",
                "client typed [0]",
            ])
        #expect(capture.counts.sessions == 1 && capture.counts.sessionsWithKeys == 1)
    }

    @Test("without keys, or with another session's, gives lengths only")
    func withoutKeys() throws {
        let session = try RecordedSession(requestByteCount: 100)
        for line in ["", try RecordedSession().line] {
            let capture = HostCapture(keys(line))
            capture.openChannel()
            play(session, in: capture, terminated: true)
            #expect(capture.messages.count == 6 && capture.messages.dropFirst(2).allSatisfy { $0.hasSuffix("sealed") })
            #expect(capture.counts.sessions == 1 && capture.counts.sessionsWithKeys == 0)
        }
    }

    @Test("whose messages were altered is followed up to there")
    func altered() throws {
        var session = try RecordedSession(requestByteCount: 100)
        session.fromClient[1][5] ^= 1
        let capture = HostCapture(keys(session.line))
        capture.openChannel()
        play(session, in: capture, terminated: false)
        #expect(capture.messages.count == 4 && capture.messages.last == "authenticator typed [1, 46]")
    }

    @Test("has its limits, credits and traffic, and ends")
    func traffic() throws {
        let capture = HostCapture()
        capture.event(0x3E, [0x01, 0, 64, 0, 0, 1, 6, 5, 4, 3, 2, 0xC1, 0, 0, 0, 0, 0, 0, 0])
        capture.openChannel(psm: 0x85)
        capture.sdu([UInt8](repeating: 1, count: 300), fromClient: true)
        capture.l2cap(5, [0x16, 2, 4, 0, 0x41, 0, 25, 0], sent: false)
        capture.l2cap(5, [0x06, 3, 4, 0, 0x41, 0, 0x40, 0], sent: true)
        guard case .channelClosed(let channel, .closed) = try #require(capture.events.last).kind else {
            throw Missing()
        }
        #expect(channel.psm == 0x85 && !channel.isOpenedByPeer && channel.peer?.bytes == [0xC1, 2, 3, 4, 5, 6])
        #expect(channel.initiator.mtu == 672 && channel.acceptor.mps == 64)
        #expect(channel.initiator.byteCount == 300 && channel.initiator.sduCount == 1)
        #expect(channel.acceptor.creditsGranted == 35 && channel.initiator.frameCount == 5)
        #expect(capture.messages.isEmpty)
    }

    @Test("can be one of several of an enhanced request, and can be refused")
    func enhanced() {
        let capture = HostCapture()
        let offer: [UInt8] = [100, 0, 64, 0, 1, 0]
        capture.l2cap(5, join([0x17, 1, 12, 0, 128, 0], offer, [0x40, 0, 0x42, 0]), sent: false)
        capture.l2cap(5, join([0x18, 1, 12, 0], offer, [0, 0, 0x43, 0, 0x44, 0]), sent: true)
        let opened = capture.events.count { if case .channelOpened = $0.kind { true } else { false } }
        #expect(opened == 2)
        capture.l2cap(5, join([0x14, 2, 10, 0, 130, 0, 0x45, 0], offer), sent: false)
        capture.l2cap(5, [0x15, 2, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0], sent: true)
        guard case .channelRefused(130, 2)? = capture.events.last?.kind else {
            Issue.record("not refused")
            return
        }
    }

    @Test("is one of very many, and what is held of them is bounded")
    func flood() {
        let capture = HostCapture()
        let offer: [UInt8] = [0xFF, 0xFF, 64, 0, 1, 0]
        for number in 0..<3_000 {
            let handle = UInt16(number % 1_000)
            let cid = UInt16(0x40 + number % 64)
            capture.l2cap(5, join([0x14, 1, 10, 0, 128, 0], little(cid), offer), sent: true, handle: handle)
            capture.l2cap(5, join([0x15, 1, 10, 0], little(cid), offer, [0, 0]), sent: false, handle: handle)
            // An SDU that never ends.
            capture.l2cap(cid, [0xFF, 0xFF, 4, 4, 4], sent: true, handle: handle)
        }
        capture.finish()
        let (opened, closed) = capture.events.reduce(into: (0, 0)) { counts, event in
            if case .channelOpened = event.kind { counts.0 += 1 }
            if case .channelClosed = event.kind { counts.1 += 1 }
        }
        #expect(opened == 3_000 && closed == 3_000)
    }

    @Test("of a session that another adapter shows too is not told twice")
    func repetition() throws {
        let session = try RecordedSession()
        let capture = HostCapture(keys(session.line))
        for handle in 0..<2 {
            _ = handle
            capture.openChannel()
            play(session, in: capture, terminated: true)
        }
        #expect(capture.messages.count == 6 && capture.counts.sessions == 1)
    }
}
