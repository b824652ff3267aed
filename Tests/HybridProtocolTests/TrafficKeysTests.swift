import Cryptography
import HybridProtocol
import Synchronization
import Testing

/// The lines of a key log for a session.
@Suite("The keys of a session")
struct TrafficKeysTests {
    @Test("are the same at both ends, name the session by message 1, and open every message from its start")
    func bothEnds() throws {
        let log = Mutex<[[UInt8]]>([])
        let invitation = try Inputs.clientInvitation()
        let advert = try Inputs.advert()
        let responder = try Responder(Invitation(url: invitation.invitation.url()), advert: advert)
        let initiator = try Initiator(invitation, advert: advert, ephemeralKey: .generate())
        let message = initiator.message
        let connected = try responder.answer(message.span, ephemeralKey: .generate()) { keys in
            log.withLock { $0.append(keys.line.take()) }
        }
        let response = connected.response
        let waiting = try initiator.finish(response.span) { keys in log.withLock { $0.append(keys.line.take()) } }
        let authenticator = try connected.sendFirstMessage(FirstMessage(getInfo: Inputs.getInfo))
        var client = try waiting.readFirstMessage(authenticator.firstFrame)
        let request = try client.sealRequest(.ctap([4]))

        let lines = log.withLock { $0 }
        #expect(lines.count == 2 && lines.first == lines.last)
        let line = String(decoding: try #require(lines.first), as: UTF8.self)
        #expect(line.hasSuffix("\n") && line.utf8.count == 19 + 3 * 65 + 1)
        guard let keys = TrafficKeys(line: line.dropLast()) else { throw Unread() }
        #expect(keys.session == Array(message[1...32]))
        var fromAuthenticator = try FrameOpener(key: keys.authenticatorToClient.span)
        #expect(try fromAuthenticator.open(authenticator.firstFrame).isEmpty == false)
        var fromClient = try FrameOpener(key: keys.clientToAuthenticator.span)
        #expect(try fromClient.open(request) == [1, 4])
    }

    @Test(
        "are read from a whole line only",
        arguments: [
            "", "HYBRID_TRAFFIC_KEYS", "CLIENT_RANDOM \(hex(32)) \(hex(32)) \(hex(32))",
            "HYBRID_TRAFFIC_KEYS \(hex(32)) \(hex(32))", "HYBRID_TRAFFIC_KEYS \(hex(31)) \(hex(32)) \(hex(32))",
            "HYBRID_TRAFFIC_KEYS \(hex(32)) \(hex(33)) \(hex(32))",
            "HYBRID_TRAFFIC_KEYS \(hex(32)) \(hex(32)) \(hex(0))",
            "HYBRID_TRAFFIC_KEYS \(hex(32)) \(hex(32)) \(hex(32)) \(hex(32))",
            "HYBRID_TRAFFIC_KEYS x\(hex(32).dropFirst()) \(hex(32)) \(hex(32))",
        ])
    func badLine(line: String) {
        #expect(!isRead(line))
        #expect(isRead("HYBRID_TRAFFIC_KEYS \(hex(32)) \(hex(32)) \(hex(32))"))
    }
}

private struct Unread: Error {}

private func isRead(_ line: String) -> Bool {
    if case .some = TrafficKeys(line: line) { true } else { false }
}

private func hex(_ byteCount: Int) -> String { String(repeating: "0f", count: byteCount) }
