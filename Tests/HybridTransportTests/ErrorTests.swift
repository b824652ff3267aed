import Cryptography
import HybridProtocol
import HybridTransport
import TestPeers
import Testing
import TransportInterfaces

/// Every failure names its stage, its cause, and one thing to do; none contains a secret.
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
        let authenticator = await TestContext(onNew: answer).authenticator(try QRReader.anyURL())
        #expect(authenticator.failed(code, before: .tunnelOpened))
        #expect(authenticator.error?.cause == "\(cause.rawValue): for a test")
        let (client, _, _) = await TestContext(onConnect: answer).run(authenticator: .short(\.advertising))
        #expect(client.failed(code, before: .tunnelJoined))
        for error in [authenticator.error, client.error] { try expectGoodCause(error) }
    }

    @Test(
        "says that another device has taken the tunnel, or that the one that opened it has left",
        arguments: [
            (409, Advice.showNewCode, Advice.showNewCode), (404, .checkTunnelService, .startAgain),
            (403, .checkTunnelService, .checkTunnelService),
        ])
    func refusedTunnel(status: Int, opening: Advice, joining: Advice) async throws {
        let answer = TestTunnels.Answer.refuse(DataChannelError(.upgradeRefused, reason: "", httpStatus: status))
        let authenticator = await TestContext(onNew: answer).authenticator(try QRReader.anyURL())
        #expect(authenticator.failed(.tunnelRefused, before: .tunnelOpened) && authenticator.error?.advice == opening)
        let (client, _, _) = await TestContext(onConnect: answer).run(authenticator: .short(\.advertising))
        #expect(client.failed(.tunnelRefused, before: .tunnelJoined) && client.error?.advice == joining)
    }

    @Test(
        "names a tunnel service that sends no routing ID, or none of three bytes",
        arguments: [
            nil, "", "0a0b", "0a0b0c0d", "0a0b0g", "0a0b0", "০a0b0c", String(repeating: "0", count: 100_000),
        ])
    func routingID(header: String?) async throws {
        let context = TestContext(routingIDHeader: header)
        let authenticator = await context.authenticator(try QRReader.anyURL())
        #expect(authenticator.failed(.tunnelRefused, before: .tunnelOpened))
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("says that a text which is no QR code should be scanned again")
    func notAQRCode() {
        let error = HybridTransportError(HybridProtocolError(.notFIDOURL, reason: "for a test"), reaching: .qrScanned)
        #expect(error.code == .protocolViolation && error.stage == .qrScanned)
        #expect(error.advice == .scanAgain && error.cause == "not-fido-url: for a test")
    }

    @Test("names a QR code without a channel that we have")
    func noCommonChannel() async throws {
        let authenticator = await TestContext().authenticator(try QRReader.anyURL(channels: [.ble]))
        #expect(authenticator.failed(.noCommonChannel, before: .tunnelOpened))
        #expect(authenticator.stages.isEmpty)
    }

    @Test(
        "at any message names its cause, and contains neither the digits of the QR code nor its secret",
        arguments: [true, false])
    func noSecrets(isClients: Bool) async throws {
        for number in 0..<3 {
            for fate in [TestChannel.Fate.closed, .replaced([[UInt8](repeating: 4, count: 81)])] {
                let fates: TestTunnels.Fates = isClients ? .client(number, fate) : .authenticator(number, fate)
                let (client, authenticator, url) = await TestContext(fates: fates).run()
                let secret = try TestContext.secret(of: url)
                let tunnelID = try Invitation(url: url).tunnelID().hex
                for error in [client.error, authenticator.error].compactMap({ $0 }) {
                    try expectGoodCause(error)
                    let text = "\(error) \(String(reflecting: error))".lowercased()
                    #expect(!text.contains(url.dropFirst(6).prefix(17)))
                    #expect(!text.contains(hex(secret)))
                    #expect(!text.contains("\(secret)".dropFirst().dropLast()))
                    #expect(!text.contains(tunnelID))
                }
            }
        }
    }

    @Test("is one line: code, stage and cause")
    func description() {
        let error = HybridTransportError(.timeout, stage: .advertSeen, cause: "because", advice: .checkBluetooth)
        #expect(error.description == "timeout before advertSeen: because")
        #expect(error == HybridTransportError(.timeout, stage: .advertSeen, cause: "", advice: .startAgain))
        #expect(
            error != HybridTransportError(.timeout, stage: .advertOpened, cause: "because", advice: .checkBluetooth))
    }

    private func expectGoodCause(_ error: HybridTransportError?) throws {
        let error = try #require(error)
        #expect(!error.cause.isEmpty && !error.cause.contains("\n"))
    }
}
