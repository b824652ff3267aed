import Cryptography
import Glibc
import HybridProtocol
import Synchronization
import Testing

@testable import HybridTransport

/// Clients that authenticate themselves at the same time.
@Suite("Of two clients that know the code", .timeLimit(.minutes(2)))
struct LateCandidateTests {
    /// Lets the threads that come go on once there are two.
    private final class Barrier: Sendable {
        private let count = Atomic(0)

        func wait() {
            count.add(1, ordering: .sequentiallyConsistent)
            let end = ContinuousClock.now + .seconds(30)
            while count.load(ordering: .sequentiallyConsistent) < 2, ContinuousClock.now < end { usleep(1_000) }
        }
    }

    @Test("the one that comes too late is closed")
    func late() async throws {
        let context = NearbyTests.context()
        let nearby = try #require(context.nearby)
        let secret = randomBytes(count: Invitation.secretByteCount)
        let staticKey = try P256.PrivateKey.generate()
        let invitation = try Invitation(
            clientPublicKey: staticKey.publicKey, secret: SecretBytes(copying: secret.span),
            details: .init(timestamp: nil, hint: .getAssertion, channels: [.ble]))
        let url = invitation.url()
        var ceremony = AuthenticatorCeremony(
            advertiser: context.radio, opener: context.tunnels, nearby: nearby, channel: .l2cap, limits: .generous)
        // Each has authenticated itself before the ceremony hears of either.
        let barrier = Barrier()
        ceremony.keyLog = { _ in barrier.wait() }
        async let count = ceremony.run(
            Invitation(url: url),
            offer: SessionOffer(getInfo: TestContext.getInfo, isComplete: { _, _ in false }) { _ in TestContext.answer }
        )

        var key = try invitation.advertKey()
        var heard: AdvertPlaintext?
        while heard == nil {
            try await Task.sleep(for: TestRadio.interval)
            for advert in context.radio.onAir { heard = try? key.open(advert.span).plaintext }
        }
        let advert = try #require(heard)
        let presharedKey = KeySchedule.derive(
            .presharedKey, from: secret.span, salt: advert.bytes.span, byteCount: 32)
        var handshake = try Handshake(.knPSK0, role: .initiator, staticKey: staticKey, presharedKey: presharedKey)
        let message = try handshake.writeMessage(ephemeralKey: .generate())
        let address = try #require(BluetoothAddress("00:11:22:33:44:55", .random))
        var channels: [any DataChannel] = []
        for _ in 0..<2 {
            let channel = try await nearby.connect(to: address, psm: TestNearby.psm)
            try await channel.send(message + MessageAssembler.terminator)
            channels.append(channel)
        }
        let ends = await withTaskGroup { group in
            for channel in channels {
                group.addTask {
                    let isAnswered = (try? await channel.receive()) != nil
                    await channel.close()
                    return isAnswered
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ends.filter(\.self).count == 1)
        _ = try? await count
        #expect(context.resources.now == ResourceCounter.Counts())
    }
}
