import Cryptography
import HybridProtocol
import HybridTransport
import Synchronization
import Testing

/// A client's treatment of every advert on the air (HT-ADV-8 to HT-ADV-19).
@Suite("A client's scan", .timeLimit(.minutes(2)))
struct AdvertTests {
    @Test("finds an advert that was on the air before the scan, since it is repeated")
    func advertBeforeScan() async throws {
        let context = TestContext()
        // The radio scans before the code is shown, but adverts are read only when it is: a screen that is slow to
        // draw, and an authenticator that is quick to read, leave more adverts behind than are kept.
        let (urls, shown) = AsyncStream<String>.makeStream()
        let isOnAir = Gate()
        async let client = context.client(show: {
            shown.yield($0)
            await isOnAir.wait()
            try await context.radio.repeatAdverts(100)
        })
        let log = EventLog { if $0 == .stage(.advertising) { isOnAir.open() } }
        for await url in urls {
            let authenticator = await context.authenticator(url, log: log)
            #expect(authenticator.value == 1)
            break
        }
        #expect(await client.value == TestContext.answer)
    }

    @Test("finds its advert in a flood of foreign ones, too short and too long ones, and garbage")
    func flood() async throws {
        let context = TestContext()
        for byteCount in 0..<120 { context.radio.broadcast(randomBytes(count: byteCount)) }
        let (client, authenticator, _) = await context.run()
        #expect(client.value == TestContext.answer)
        #expect(authenticator.value == 1)
        #expect(client.notices.isEmpty)
    }

    @Test(
        "receives adverts under Google's service UUID, with a suffix, and with a bad suffix",
        arguments: [
            [], [0xa1, 0x01, 0x19, 0x12, 0x34], [0xff], [0x00], [UInt8](repeating: 0xa1, count: 200),
        ] as [[UInt8]])
    func suffix(suffix: [UInt8]) async throws {
        let context = TestContext()
        let client = try await context.clientAnswered(by: { try $0.advert() + suffix }, service: .google)
        // The advert opened, and only the tunnel that it names is not there.
        #expect(client.failed(.tunnelRefused, before: .tunnelJoined))
        #expect(client.stages == [.qrShown, .advertSeen, .advertOpened])
    }

    @Test("ends with a name when the advert of its own session breaks the rules")
    func brokenAdvert() async throws {
        let unassigned = try await TestContext().clientAnswered(by: { try $0.advert(domainBytes: [2, 0]) })
        #expect(unassigned.failed(.protocolViolation, before: .advertOpened))
        #expect(unassigned.error?.advice == .updateProgram)
        let reserved = try await TestContext().clientAnswered(by: { try $0.advert(reserved: 1) })
        #expect(reserved.failed(.protocolViolation, before: .advertOpened))
        #expect(reserved.error?.cause.hasPrefix("reserved-byte") == true)
    }

    @Test("takes the first device and warns once of each further one, whenever it comes", arguments: [true, false])
    func furtherDevices(isLate: Bool) async throws {
        let context = TestContext()
        let (urls, shown) = AsyncStream<String>.makeStream()
        let warned = Gate()
        let warnings = Mutex(0)
        let log = EventLog { event in
            guard event == .notice(.secondDevice) else { return }
            let count = warnings.withLock { count in
                count += 1
                return count
            }
            if count == 4 { warned.open() }
        }
        let ready = Gate()
        async let client = context.client(log: log, show: { shown.yield($0) }) { connection in
            ready.open()
            await warned.wait()
            try await context.radio.repeatAdverts(10)
            return try await connection.send(TestContext.command)
        }
        for await url in urls {
            async let authenticator = context.authenticator(url)
            if isLate { await ready.wait() }
            let others = try QRReader(url: url)
            for _ in 0..<3 {
                let advert = try others.advert()
                // After the authenticator's own, which has the lower number.
                while !isLate, !context.radio.hasAdvertised { try await Task.sleep(for: .milliseconds(1)) }
                context.radio.broadcast(advert)
                // The same device under the older UUID, with a suffix, is no further one.
                context.radio.broadcast(advert + [0xa0], service: .google)
            }
            context.radio.broadcast(try others.advert(domainBytes: [2, 0]))
            #expect(await authenticator.value == 1)
            break
        }
        let ending = await client
        #expect(ending.value == TestContext.answer)
        #expect(ending.notices == [.secondDevice, .secondDevice, .secondDevice, .secondDevice])
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("names the radio when it fails before the advert, and does without it afterwards", arguments: [true, false])
    func radioFails(isEarly: Bool) async throws {
        let context = TestContext()
        let failure = RadioError(.failed, reason: "unplugged")
        if isEarly {
            let client = await context.client(show: { _ in context.radio.fail(failure) })
            #expect(client.failed(.radio, before: .advertSeen))
        } else {
            let (client, _, _) = await context.run(session: { connection in
                context.radio.fail(failure)
                return try await connection.send(TestContext.command)
            })
            #expect(client.value == TestContext.answer)
        }
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("that cannot begin, and an advert that cannot be sent, are named with their stage")
    func noRadio() async throws {
        let context = TestContext()
        context.radio.refuse(RadioError(.absent, reason: "no adapter"))
        let client = await context.client(show: { _ in Issue.record("the code must not be shown without a radio") })
        #expect(client.failed(.radio, before: .qrShown))
        let authenticator = await context.authenticator(try QRReader.anyURL())
        #expect(authenticator.failed(.radio, before: .advertising))
        #expect(context.resources.now == ResourceCounter.Counts())
    }
}

/// A reader of a QR code that makes adverts of it, valid and invalid.
struct QRReader {
    private let eidKey: [UInt8]

    init(url: String) throws {
        let secret = try TestContext.secret(of: url)
        let key = KeySchedule.derive(.eidKey, from: secret.span, byteCount: AdvertKey.byteCount)
        eidKey = key.span.withUnsafeBufferPointer { Array($0) }
    }

    /// A new advert, sealed as CTAP 2.2 section 11.5.1 says.
    func advert(reserved: UInt8 = 0, domainBytes: [UInt8] = [0, 0]) throws -> [UInt8] {
        let plaintext = [reserved] + (randomBytes(count: 13)) + domainBytes
        var cipher = try AES256Block(key: eidKey.span.extracting(first: 32), .encrypt)
        let block = try cipher.transform(plaintext.span)
        var mac = HMACSHA256(key: eidKey.span.extracting(droppingFirst: 32))
        let code = mac.authenticationCode(for: block.span)
        return block + code.prefix(4)
    }

    /// A QR code that is not shown.
    static func anyURL(channels: [ChannelIdentifier] = [.webSocket], knownDomainCount: UInt64? = 2) throws -> String {
        let invitation = try ClientInvitation(
            privateKey: .generate(), secret: .random(count: Invitation.secretByteCount),
            details: Invitation.Details(
                knownDomainCount: knownDomainCount, timestamp: nil, hint: .getAssertion, channels: channels))
        return invitation.invitation.url()
    }
}

extension TestContext {
    /// Runs a client whose QR code is answered by an advert alone.
    fileprivate func clientAnswered(
        by advert: @escaping @Sendable (QRReader) throws -> [UInt8],
        service: ServiceUUID = .fido
    ) async throws -> Ending<[UInt8]> {
        await client(show: { radio.broadcast(try advert(QRReader(url: $0)), service: service) })
    }
}
