import Cryptography
import Edges
import HybridProtocol
import HybridTransport
import TestPeers
import Testing

/// Every failure names its stage, its cause, and one thing to do; none tells a secret.
@Suite("An error of a ceremony", .timeLimit(.minutes(2)))
struct ErrorTests {
    @Test(
        "names a tunnel service that refuses, whatever it says",
        arguments: [
            (DataChannelError.Code.unreachable, HybridTransportError.Code.tunnelUnreachable),
            (.tlsFailed, .tunnelUnreachable), (.upgradeRefused, .tunnelRefused), (.gone, .tunnelRefused),
            (.subprotocolMissing, .tunnelRefused), (.redirectRefused, .tunnelRefused), (.invalidURL, .tunnelRefused),
            (.messageTooLong, .protocolViolation), (.framingViolation, .protocolViolation), (.timeout, .timeout),
            (.connectionLost, .tunnelRefused), (DataChannelError.Code(rawValue: "something-new"), .tunnelRefused),
        ])
    func tunnelService(cause: DataChannelError.Code, code: HybridTransportError.Code) async throws {
        let answer = TestTunnels.Answer.refuse(DataChannelError(cause, reason: "for a test", httpStatus: 500))
        let authenticator = await Scene(onNew: answer).authenticator(try QRReader.anyURL())
        #expect(authenticator.failed(code, before: .tunnelOpened))
        #expect(authenticator.error?.cause == "\(cause.rawValue): for a test")
        let (client, _, _) = await Scene(onConnect: answer).play(authenticator: .short(\.discovery))
        #expect(client.failed(code, before: .tunnelJoined))
        for error in [authenticator.error, client.error] { try expectGoodHint(error) }
    }

    @Test(
        "names a tunnel service that tells no routing ID, or none of three bytes",
        arguments: [
            nil, "", "0a0b", "0a0b0c0d", "0a0b0g", "0a0b0", "০a0b0c", String(repeating: "0", count: 100_000),
        ])
    func routingID(header: String?) async throws {
        let scene = Scene(routingIDHeader: header)
        let authenticator = await scene.authenticator(try QRReader.anyURL())
        #expect(authenticator.failed(.tunnelRefused, before: .tunnelOpened))
        #expect(scene.census.now == Census.Counts())
    }

    @Test(
        "names a QR code that is none",
        arguments: [
            "", "FIDO:/", "https://example.com", "FIDO:/123", "FIDO://1234",
            "FIDO:/" + String(repeating: "9", count: 7_100),
        ])
    func notAQRCode(url: String) async throws {
        let scene = Scene()
        let authenticator = await scene.authenticator(url)
        #expect(authenticator.failed(.protocolViolation, before: .qrScanned))
        #expect(authenticator.error?.hint == "scan the QR code again; its text starts with FIDO:/")
        #expect(scene.tunnels.urls.isEmpty)
    }

    @Test("names a QR code without a channel that we have")
    func noCommonChannel() async throws {
        let authenticator = await Scene().authenticator(try QRReader.anyURL(channels: [.ble]))
        #expect(authenticator.failed(.noCommonChannel, before: .tunnelOpened))
        #expect(authenticator.stages == [.qrScanned])
    }

    @Test(
        "at any message says what to do, and tells neither the QR code's digits nor its secret",
        arguments: [true, false])
    func noSecrets(isClients: Bool) async throws {
        for number in 0..<3 {
            for fate in [TestChannel.Fate.closed, .replaced([[UInt8](repeating: 4, count: 81)])] {
                let fates: TestTunnels.Fates = isClients ? .client(number, fate) : .authenticator(number, fate)
                let (client, authenticator, url) = await Scene(fates: fates).play()
                let secret = try Scene.secret(of: url)
                let tunnelID = try Invitation(url: url).tunnelID().hex
                for error in [client.error, authenticator.error].compactMap({ $0 }) {
                    try expectGoodHint(error)
                    let text = "\(error) \(String(reflecting: error))".lowercased()
                    #expect(!text.contains(url.dropFirst(6).prefix(17)))
                    #expect(!text.contains(hex(secret)))
                    #expect(!text.contains("\(secret)".dropFirst().dropLast()))
                    #expect(!text.contains(tunnelID))
                }
            }
        }
    }

    @Test("is one line: code, stage, cause and hint")
    func description() {
        let error = HybridTransportError(.timeout, stage: .advertSeen, cause: "because", hint: "do this")
        #expect(error.description == "timeout before advertSeen: because (hint: do this)")
        #expect(error == HybridTransportError(.timeout, stage: .advertSeen, cause: "", hint: ""))
        #expect(error != HybridTransportError(.timeout, stage: .advertOpened, cause: "because", hint: "do this"))
    }

    private func expectGoodHint(_ error: HybridTransportError?) throws {
        let error = try #require(error)
        #expect(error.hint.count > 15 && error.hint.first?.isLowercase == true && error.hint.last != ".")
        #expect(!error.cause.isEmpty && !error.cause.contains("\n"))
    }
}
