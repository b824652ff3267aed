import Cryptography
import HybridProtocol
import HybridTransport
import Testing

/// Attacks that others have described, as far as no other suite shows their outcome (the article KnownAttacks).
@Suite("A known attack", .timeLimit(.minutes(2)))
struct KnownAttackTests {
    /// PoisonSeed, and every relay of a QR code without a receiver in place: the client has made the code, knows the
    /// tunnel, and is not near.
    @Test("by a client that has shown the code and not received the advert comes to no session, and nobody is asked")
    func codeWithoutAdvert() async throws {
        let context = TestContext()
        let (urls, shown) = AsyncStream<String>.makeStream()
        async let client: Void = context.rawClient(
            show: { shown.yield($0) },
            hearing: { advert in
                // All that can be known from afar: the service, and where it has the tunnel.
                try AdvertPlaintext(
                    nonce: randomBytes(count: AdvertPlaintext.nonceByteCount), routingID: advert.routingID,
                    domain: .google)
            },
            body: { _ in Issue.record("the handshake was finished") })
        let url = await urls.first { _ in true } ?? ""
        var limits = TimeLimits.generous
        limits.handshake = .seconds(5)
        limits.discovery = .seconds(5)
        let ending = await context.authenticator(
            url, limits,
            respond: { _ in
                Issue.record("the client's command is answered")
                return TestContext.answer
            })
        #expect(ending.value == nil && !ending.stages.contains(.handshaken))
        do {
            try await client
            Issue.record("the client was answered")
        } catch is DataChannelError {}
    }
}
