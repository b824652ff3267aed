import Cryptography
import HybridProtocol
import TestPeers
import Testing

@testable import HybridTransport

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
            (.webSocketViolation, .tunnelRefused),
            (.connectionLost, .tunnelRefused), (DataChannelError.Code(rawValue: "something-new"), .tunnelRefused),
        ])
    func tunnelService(cause: DataChannelError.Code, code: HybridTransportError.Code) async throws {
        let answer = TestTunnels.Answer.refuse(DataChannelError(cause, reason: "for a test", httpStatus: 500))
        let authenticator = await TestContext(onNew: answer).authenticator(try QRReader.anyURL())
        #expect(authenticator.failed(code, before: .tunnelOpened))
        let domain = cause == .unreachable ? " (tunnel domain 0)" : ""
        #expect(authenticator.error?.cause == "\(cause.rawValue): for a test\(domain)")
        #expect(authenticator.error?.reason == "for a test\(domain)")
        let (client, _, _) = await TestContext(onConnect: answer).run(authenticator: .short(\.advertising))
        #expect(client.failed(code, before: .tunnelJoined))
        for error in [authenticator.error, client.error] { try expectGoodCause(error) }
    }

    @Test(
        "says that another device has taken the tunnel, or that the one that opened it has left",
        arguments: [
            (409, Advice.showNewCode, Advice.showNewCode), (404, .checkTunnelService, .startAgain),
            (403, .checkTunnelService, .checkTunnelService), (410, .checkTunnelService, .startAgain),
            (418, .startAgain, .startAgain), (500, .waitForService, .waitForService),
            (511, .checkTunnelService, .checkTunnelService),
            (429, .waitForService, .waitForService), (503, .waitForService, .waitForService),
        ])
    func refusedTunnel(status: Int, opening: Advice, joining: Advice) async throws {
        let codes: [Int: DataChannelError.Code] = [410: .gone, 429: .tooManyRequests, 503: .unavailable]
        let error = DataChannelError(codes[status] ?? .upgradeRefused, reason: "", httpStatus: status)
        let answer = TestTunnels.Answer.refuse(error)
        let authenticator = await TestContext(onNew: answer).authenticator(try QRReader.anyURL())
        #expect(authenticator.failed(.tunnelRefused, before: .tunnelOpened) && authenticator.error?.advice == opening)
        let (client, _, _) = await TestContext(onConnect: answer).run(authenticator: .short(\.advertising))
        #expect(client.failed(.tunnelRefused, before: .tunnelJoined) && client.error?.advice == joining)
    }

    @Test(
        "says what to do about a service whose TLS fails, that closes without an answer, or that a proxy keeps away",
        arguments: [
            (DataChannelError(.tlsFailed, reason: "", tlsFault: .otherName), Advice.checkServiceName),
            (DataChannelError(.tlsFailed, reason: "", tlsFault: .noHandshake), .checkServicePort),
            (DataChannelError(.tlsFailed, reason: "", tlsFault: .untrusted), .checkTrust),
            (DataChannelError(.tlsFailed, reason: ""), .checkTrust),
            (DataChannelError(.connectionLost, reason: ""), .checkSilentService),
            (DataChannelError(.proxyFailed, reason: ""), .checkProxy),
            (DataChannelError(.proxyFailed, reason: "", hasUnsupportedProxyScheme: true), .useLocalProxy),
        ])
    func service(error: DataChannelError, advice: Advice) async throws {
        let authenticator = await TestContext(onNew: .refuse(error)).authenticator(try QRReader.anyURL())
        #expect(authenticator.error?.advice == advice)
    }

    @Test("of a session that broke, and that nobody has closed, blames nobody")
    func brokenConnection() {
        for role in [Role.client, .authenticator] {
            let error = HybridTransportError(
                DataChannelError(.connectionLost, reason: ""), reaching: .commandAnswered, as: role)
            #expect(error.code == .peerClosed && error.advice == .checkConnection)
        }
    }

    @Test("of a link names the ways that are left, whatever the service answers")
    func links() {
        for (code, advice) in [
            (DataChannelError.Code.gone, Advice.useCode), (.unavailable, .listenOrUseCode),
            (.tooManyRequests, .waitOrUseCode), (.unreachable, .checkNetwork),
        ] {
            let error = HybridTransportError(ofLink: DataChannelError(code, reason: ""))
            #expect(error.stage == .tunnelJoined && error.advice == advice)
        }
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

    @Test("says that a text which is not a QR code should be scanned again")
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

    @Test("names a tunnel domain that the client does not know, before anything is advertised (HT-DOM-4)")
    func unknownDomain() async throws {
        let authenticator = await TestContext().authenticator(try QRReader.anyURL(knownDomainCount: 0))
        #expect(authenticator.failed(.noCommonChannel, before: .tunnelOpened))
        #expect(authenticator.stages.isEmpty)
        #expect(authenticator.error?.advice == .chooseComputedDomain)
        let other = await TestContext().authenticator(
            try QRReader.anyURL(knownDomainCount: 1), .short(\.advertising), domain: .apple)
        #expect(other.failed(.noCommonChannel, before: .tunnelOpened))
    }

    @Test("goes on where the client knows the domain, does not say, or needs not know it", arguments: [nil, 1, 0])
    func knownDomain(count: UInt64?) async throws {
        let authenticator = await TestContext().authenticator(
            try QRReader.anyURL(knownDomainCount: count), .short(\.advertising),
            domain: count == 0 ? try TunnelDomain(256) : .google)
        #expect(authenticator.failed(.timeout, before: .handshaken))
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
