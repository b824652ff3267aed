import HybridProtocol
import HybridTransport
import Testing

/// A channel that closes, cuts, flips, repeats or swaps at each message: a named error with the stage, on both sides
/// (HT-FRM-20: any failure ends the session).
@Suite("A damaged message", .timeLimit(.minutes(5)))
struct DamageTests {
    /// A message of the exchange, the end that refuses it when it is damaged, and the effect on the other end.
    struct Place: Sendable, CustomTestStringConvertible {
        let name: String
        let isClients: Bool
        let number: Int
        let client: Stage?
        let authenticator: Stage?

        var testDescription: String { name }
        var refuserIsClient: Bool { !isClients }

        func fates(_ fate: @escaping @Sendable ([UInt8]) -> TestChannel.Fate) -> TestTunnels.Fates {
            let wrapped: @Sendable (Int, [UInt8]) -> TestChannel.Fate = { [number] count, message in
                count == number ? fate(message) : .delivered
            }
            return isClients ? .init(ofClient: wrapped) : .init(ofAuthenticator: wrapped)
        }

        /// The authenticator sends message 2 and its first message at once: the client may end the session over one of
        /// them before or after both are sent, and over the update before or after it has sent its command.
        func stages(_ stage: Stage) -> [Stage] {
            switch name {
            case "message 2", "first message": [.handshaken, stage]
            case "update": [.commandSent, .commandAnswered]
            default: [stage]
            }
        }

        func clientStages(_ stage: Stage) -> [Stage] { name == "update" ? [.commandSent, stage] : [stage] }

        static let all = [
            Place(name: "message 1", isClients: true, number: 0, client: .handshaken, authenticator: .handshaken),
            Place(name: "message 2", isClients: false, number: 0, client: .handshaken, authenticator: .commandSent),
            Place(name: "first message", isClients: false, number: 1, client: .ready, authenticator: .commandSent),
            Place(name: "command", isClients: true, number: 1, client: .commandAnswered, authenticator: .commandSent),
            Place(name: "update", isClients: false, number: 2, client: .commandAnswered, authenticator: .commandSent),
            Place(name: "answer", isClients: false, number: 3, client: .commandAnswered, authenticator: nil),
            Place(name: "shutdown", isClients: true, number: 2, client: nil, authenticator: .commandSent),
        ]
    }

    private func run(_ place: Place, _ fate: @escaping @Sendable ([UInt8]) -> TestChannel.Fate) async {
        let context = TestContext(fates: place.fates(fate))
        let (client, authenticator, _) = await context.run()
        if let stage = place.client {
            // After it answered, the authenticator does not mind how the client leaves.
            let code: HybridTransportError.Code = place.refuserIsClient ? .protocolViolation : .peerClosed
            #expect(place.clientStages(stage).contains { client.failed(code, before: $0) })
        } else {
            #expect(client.value == TestContext.answer)
        }
        if let stage = place.authenticator {
            let code: HybridTransportError.Code = place.refuserIsClient ? .peerClosed : .protocolViolation
            let hasAnswered = place.name == "update" && authenticator.value == 1
            #expect(hasAnswered || place.stages(stage).contains { authenticator.failed(code, before: $0) })
        } else {
            #expect(authenticator.value == 1)
        }
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("is refused in every truncation", arguments: Place.all)
    func truncations(place: Place) async {
        // As long as the longest of them; a cut that removes nothing is not played.
        for byteCount in 1..<handshakeMessageByteCount {
            let isShort = place.number == 0 || byteCount < 48
            guard isShort else { break }
            await run(place) { .replaced([Array($0.prefix(byteCount))]) }
        }
    }

    @Test("is refused with any bit flipped", arguments: Place.all)
    func flippedBits(place: Place) async {
        let byteCount = place.number == 0 ? handshakeMessageByteCount : 48
        for bit in 0..<byteCount * 8 {
            await run(place) { message in
                var changed = message
                changed[bit / 8] ^= 1 << (bit % 8)
                return .replaced([changed])
            }
        }
    }

    @Test("is refused with a byte too many, and as 1 MiB of noise", arguments: Place.all)
    func tooLong(place: Place) async {
        await run(place) { .replaced([$0 + [0]]) }
        await run(place) { _ in .replaced([[UInt8](repeating: 0xa5, count: 1 << 20)]) }
    }

    @Test("is refused when it is the other side's own, sent back", arguments: [true, false])
    func reflected(isClients: Bool) async {
        // The answer is the command again, or the command the first message: both well sealed, by the wrong side.
        let echo = Echo()
        let context = TestContext(
            fates: isClients
                ? .init(
                    ofClient: { $0 == 1 ? echo.out($1) : .delivered },
                    ofAuthenticator: { $0 == 1 ? echo.in($1) : .delivered })
                : .init(
                    ofClient: { $0 == 1 ? echo.in($1) : .delivered },
                    ofAuthenticator: { $0 == 3 ? echo.out($1) : .delivered }))
        let (client, authenticator, _) = await context.run()
        if isClients {
            #expect(authenticator.failed(.protocolViolation, before: .commandSent))
        } else {
            #expect(client.failed(.protocolViolation, before: .commandAnswered))
        }
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("is refused when it comes twice", arguments: [0, 1, 2, 3])
    func repeated(number: Int) async {
        let context = TestContext(fates: .init(ofAuthenticator: { $0 == number ? .replaced([$1, $1]) : .delivered }))
        let (client, _, _) = await context.run(session: { connection in
            let answer = try await connection.send(TestContext.command)
            return try await connection.send(answer)
        })
        // Message 2 stands where the first message should, the first message where an answer should, and so on.
        let anyTime: [Stage] = [.commandSent, .commandAnswered]
        let stages: [[Stage]] = [[.ready], anyTime, anyTime, anyTime]
        #expect(client.error?.code == .protocolViolation)
        #expect(client.error.map { stages[number].contains($0.stage) } == true)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("that never comes because the channel closed in its place is named with its stage", arguments: Place.all)
    func closedInstead(place: Place) async {
        let context = TestContext(fates: place.fates { _ in .closed })
        let (client, authenticator, _) = await context.run()
        if let stage = place.client {
            #expect(place.clientStages(stage).contains { client.failed(.peerClosed, before: $0) })
        } else {
            #expect(client.value == TestContext.answer)
        }
        switch place.authenticator {
        case .commandSent where place.name == "shutdown": #expect(authenticator.value == 1)
        case .some(let stage):
            let hasAnswered = place.name == "update" && authenticator.value == 1
            #expect(hasAnswered || place.stages(stage).contains { authenticator.failed(.peerClosed, before: $0) })
        case nil: #expect(authenticator.value == 1)
        }
        #expect(context.resources.now == ResourceCounter.Counts())
    }
}
