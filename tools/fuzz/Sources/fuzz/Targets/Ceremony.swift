internal import Dispatch
internal import Edges
internal import HybridProtocol
internal import HybridTransport
internal import Synchronization

extension FuzzTarget {
    static let ceremony = FuzzTarget(
        "ceremony", "both ceremonies against each other, over a network and a radio with faults", maxByteCount: 1_024
    ) { input in
        let play = FaultyPlay(&input)
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            await play.run()
            done.signal()
        }
        // Many times what all limits and delays together allow.
        expect(done.wait(timeout: .now() + .seconds(20)) == .success, "a ceremony does not end")
    }
}

/// One client and one authenticator, everything between them drawn from the input, and what must hold of their ends.
private struct FaultyPlay: Sendable {
    private static let getInfo: [UInt8] = [0xa1, 0x01, 0x80]
    private static let command: [UInt8] = [0x02, 0xa0]
    private static let answer: [UInt8] = [0x00, 0xa1, 0x01, 0x02]
    private static let limits = TimeLimits(
        discovery: .milliseconds(60), tunnel: .milliseconds(40), handshake: .milliseconds(40),
        command: .milliseconds(40),
        idle: .milliseconds(40), closing: .milliseconds(20), nearby: .milliseconds(40))
    /// How many messages of each sender a client has to do with before it has its answer.
    private static let messageCounts = (client: 2, authenticator: 3)
    private static let troubledAdverts = 4
    private static let troubledMessages = 4

    private let census = Census()
    private let damage = DamageReport()
    private let radio: TestRadio
    private let nearby: TestNearby?
    private let scanner: FaultyScanner
    private let clientOpener: FaultyOpener
    private let authenticatorOpener: FaultyOpener
    private let answerDelay: Duration

    init(_ input: inout FuzzInput) {
        radio = TestRadio(census)
        let tunnels = TestTunnels(census)
        nearby = input.number(below: 4) == 1 ? TestNearby(census, pieceByteCount: 1 + input.number(below: 200)) : nil
        answerDelay = .milliseconds(input.number(below: 8) == 1 ? 60 : 0)
        scanner = FaultyScanner(
            scanner: radio, troubles: (0..<Self.troubledAdverts).map { _ in FaultyScanner.Trouble(&input) })
        let damage = damage
        func opener(_ sender: DamageReport.Sender, _ input: inout FuzzInput) -> FaultyOpener {
            FaultyOpener(
                opener: tunnels, trouble: FaultyOpener.Trouble(&input),
                faults: (0..<Self.troubledMessages).map { _ in Fault(&input) }
            ) { damage.note(sender, $0) }
        }
        clientOpener = opener(.client, &input)
        authenticatorOpener = opener(.authenticator, &input)
    }

    func run() async {
        let (urls, shown) = AsyncStream<String>.makeStream()
        async let client = client { shown.yield($0) }
        var url = ""
        for await next in urls {
            url = next
            break
        }
        async let authenticator = authenticator(url)
        let (answer, answerCount) = await (client, authenticator)
        expect(census.now == Census.Counts(), "a ceremony leaves something behind: \(census.now)")
        guard let answer else { return }
        expect(answer == Self.answer, "the client has another answer than was given")
        expect(answerCount != nil || !damage.concerns(.client, first: Self.messageCounts.client), "nobody answered")
        guard nearby == nil else { return }
        expect(!damage.concerns(.client, first: Self.messageCounts.client), "altered messages of the client were taken")
        expect(
            !damage.concerns(.authenticator, first: Self.messageCounts.authenticator),
            "altered messages of the authenticator were taken")
    }

    /// The client's answer, or nil if it failed by name.
    private func client(_ show: @escaping @Sendable (String) -> Void) async -> [UInt8]? {
        let ceremony = ClientCeremony(scanner: scanner, opener: clientOpener, nearby: nearby, limits: Self.limits)
        return await named {
            try await ceremony.run(hint: .getAssertion, timestamp: 1_700_000_000) {
                show($0)
            } session: {
                try await $0.send(Self.command)
            }
        }
    }

    /// How many commands the authenticator answered, or nil if it failed by name.
    private func authenticator(_ url: String) async -> Int? {
        let ceremony = AuthenticatorCeremony(
            advertiser: radio, opener: authenticatorOpener, nearby: nearby, limits: Self.limits)
        return await named {
            let offer = SessionOffer(getInfo: Self.getInfo) { [answerDelay] request in
                expect(request == Self.command, "the authenticator is asked for what no client asked for")
                if answerDelay > .zero { try? await Task.sleep(for: answerDelay) }
                return Self.answer
            }
            return try await ceremony.run(url: url, offer: offer)
        }
    }

    private func named<Value: Sendable>(_ ceremony: () async throws -> Value) async -> Value? {
        do { return try await ceremony() } catch {
            expect(error is HybridTransportError, "a ceremony fails with \(error)")
            return nil
        }
    }
}
