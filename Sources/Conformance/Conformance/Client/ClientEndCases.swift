internal import CTAP
internal import Encodings

/// Cases of the messages that a client takes in a session, of its handling of answers, and of authenticators
/// that go away.
enum ClientEndCases {
    private typealias MessageType = TunnelSession.MessageType

    private static let messages = CaseGroup<ClientTestContext>(
        role: .client, name: "message", rule: "HT-MSG-17")
    private static let answers = CaseGroup<ClientTestContext>(
        role: .client, name: "answer", rule: "HT-CTAP-47")
    private static let ends = CaseGroup<ClientTestContext>(
        role: .client, name: "end", rule: "HT-MSG-38")

    static let all =
        goodMessages + badMessages + badAnswers + endings
        + ends.survives(SessionLoss.ofAuthenticator + [.noise], reach)

    // MARK: - Messages

    private static let filler: [UInt8] = [0xA0]

    private static let goodMessages = [
        messages.behaves("update-before-request", "accept an update before its request", rule: "HT-MSG-27") {
            context in
            let session = try await context.ready()
            try await session.send(MessageType.update, filler)
            try await context.serve(session)
        },
        messages.behaves(
            "update-before-answer", "accept an update between its request and the answer", rule: "HT-MSG-27"
        ) {
            context in
            let (session, answer) = try await context.asked()
            try await session.send(MessageType.update, filler)
            try await session.send(MessageType.ctap, answer)
            try await context.finish(session)
        },
        messages.behaves("update-after-answer", "accept an update after the answer", rule: "HT-MSG-49") {
            context in
            let (session, answer) = try await context.asked()
            try await session.send(MessageType.ctap, answer)
            try? await session.send(MessageType.update, filler)
            try await context.finish(session)
        },
        messages.behaves("many-updates", "accept 100 updates", rule: "HT-MSG-27") { context in
            let (session, answer) = try await context.asked()
            for _ in 0..<100 { try await session.send(MessageType.update, filler) }
            try await session.send(MessageType.ctap, answer)
            try await context.finish(session)
        },
        messages.behaves(
            "update-of-512-bytes", "accept an update of 512 bytes, as Chromium's phone sends it", rule: "HT-LNK-20"
        ) {
            context in
            let session = try await context.ready()
            let map: CBORMap = [0: .bytes([UInt8](repeating: 0, count: 500))]
            try await session.send(MessageType.update, map.encoded())
            try await context.serve(session)
        },
        messages.behaves(
            "linking-unasked", "continue a session that brings unsolicited linking data",
            rule: "HT-LNK-33"
        ) {
            context in
            let session = try await context.ready()
            let linking: CBORValue = [1: .bytes([1]), 2: .bytes([2]), 6: .bytes([3])]
            try await session.send(MessageType.update, ([1: linking] as CBORMap).encoded())
            try await context.serve(session)
        },
        messages.behaves("answer-late", "accept an answer that takes 1.5 seconds", rule: "HT-CTAP-34") {
            context in
            let (session, answer) = try await context.asked()
            try await Task.sleep(for: UpgradeCases.delay)
            try await session.send(MessageType.ctap, answer)
            try await context.finish(session)
        },
        messages.behaves(
            "shutdown-from-authenticator", "end the session on a shutdown of the authenticator",
            rule: "HT-MSG-36"
        ) { context in
            let (session, _) = try await context.asked()
            try await session.send(MessageType.shutdown)
            try await session.goesNoFurther()
            throw ObservedBehaviour("ends with exit status \(try await context.peer.ended())")
        },
        messages.behaves(
            "request-user-verification", "request user verification", rule: "HT-CTAP-9"
        ) { context in
            let request = try await context.request(context.ready())
            let map = try? CBORValue.decode(Array(request.dropFirst()).span).mapValue
            let key = request[0] == CTAPCommand.makeCredential.rawValue ? 7 : 5
            try demand(map?[key]?.mapValue?["uv"]?.boolValue == true, "it does not request user verification")
        },
        messages.behaves("request-canonical", "send its request in canonical CBOR", rule: "HT-CTAP-4") {
            context in
            let request = try await context.request(context.ready())
            do throws(CBORError) { _ = try CBORValue.decode(Array(request.dropFirst()).span) } catch {
                throw Deviation("its request is not canonical CBOR: \(error.reason)")
            }
        },
        messages.behaves(
            "no-get-info-request", "not request getInfo, which came with the first message",
            rule: "HT-CTAP-16"
        ) { context in
            let request = try await context.request(context.ready())
            try demand(request[0] != CTAPCommand.getInfo.rawValue, "it asks for getInfo")
        },
    ]

    private static func refuses(
        _ name: String, _ requirement: String, rule: String? = nil,
        message: [UInt8]
    ) -> ScriptedCase<ClientTestContext> {
        messages.refuses(name, requirement, rule: rule) { context in
            let (session, answer) = try await context.asked()
            try await session.send(message)
            await session.mistakeIsSent()
            // A peer that ignores the mistake finds the right answer after it.
            try await session.send(MessageType.ctap, answer)
            try await context.givesUp(session)
        }
    }

    private static let badMessages =
        ([4, 5, 16, 127, 128, 255] as [UInt8]).map { type in
            refuses(
                "type-\(type)", "refuse a message of the unknown type \(type)",
                message: [type, 1, 2, 3])
        } + [
            refuses(
                "ctap-without-status", "refuse an answer without a status byte", rule: "HT-MSG-19",
                message: [MessageType.ctap]),
            refuses(
                "json-answer", "refuse a JSON answer to a CTAP request", rule: "HT-MSG-24",
                message: [MessageType.json] + Array("{}".utf8)),
            refuses(
                "update-no-map", "refuse an update that is an array, not a map", rule: "HT-MSG-46",
                message: [MessageType.update, 0x81, 0x01]),
            refuses(
                "update-no-cbor", "refuse an update that is not CBOR", rule: "HT-MSG-46",
                message: [MessageType.update, 0xFF]),
            refuses(
                "update-empty", "refuse an empty update", rule: "HT-MSG-46",
                message: [MessageType.update]),
            refuses(
                "update-trailing", "refuse an update with a trailing byte", rule: "HT-MSG-46",
                message: [MessageType.update, 0xA0, 0x00]),
            messages.refuses(
                "answer-unasked", "refuse an answer that came before its request", rule: "HT-MSG-23"
            ) { context in
                // One that would do, but for its time: a new passkey, which no signature binds to a session.
                let earlier = try await context.ready()
                let request = try await context.request(earlier)
                try await earlier.send(MessageType.ctap, ClientTestContext.answer(to: request))
                try await context.finish(earlier)
                let answer = try await ClientTestContext.withoutAttestation(ClientTestContext.answer(to: request))
                let session = try await context.connected()
                let first = try await session.seal(ClientTestContext.firstMessage.encoded())
                let early = try await session.seal([MessageType.ctap] + answer)
                await session.socket.send(raw: WireFrame(payload: first).bytes() + WireFrame(payload: early).bytes())
                // Its request may be on its way.
                try? await session.ends()
                await session.socket.close()
                try await context.peer.failed()
            },
            messages.survives("second-answer", "survive a second answer", rule: "HT-MSG-23") {
                context in
                let (session, answer) = try await context.asked()
                try await session.sendTwice([MessageType.ctap] + answer)
                try await session.goesNoFurther()
                try await context.peer.ended()
            },
        ]

    // MARK: - Answers

    private static func fails(
        _ name: String, _ requirement: String, rule: String? = nil,
        change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> ScriptedCase<ClientTestContext> {
        answers.refuses(name, requirement, rule: rule) { context in
            let (session, answer) = try await context.asked()
            try await session.send(MessageType.ctap, change(answer))
            try await context.givesUp(session)
        }
    }

    private static let badAnswers =
        ([0x01, 0x14, 0x19, 0x27, 0x2E, 0x2F, 0x7F, 0xFF] as [UInt8]).map { status in
            fails(
                "status-\(String(status, radix: 16))", "fail on the status \(hexadecimal(status))",
                rule: "HT-CTAP-46"
            ) {
                _ in
                [status]
            }
        } + [
            fails("success-alone", "refuse the status 0 without parameters") { _ in [0] },
            fails("no-map", "refuse an answer whose parameters are not a map") { _ in [0, 0x80] },
            fails("truncated", "refuse a truncated answer", rule: "HT-CBOR-15") { $0.dropLast() },
            fails(
                "deep-nesting", "refuse an answer of 1,000 nested arrays; CTAP allows 4 levels",
                rule: "HT-CBOR-19"
            ) { _ in
                [0] + [UInt8](repeating: 0x81, count: 1_000) + [0]
            },
            fails(
                "huge-length",
                "refuse a byte string with a stated length near 2^63, without waiting or allocating",
                rule: "HT-CBOR-18"
            ) { _ in
                [0, 0xA1, 0x01, 0x5B, 0x7F] + [UInt8](repeating: 0xFF, count: 7)
            },
            fails("empty-map", "refuse an answer without its required parameters") { _ in [0, 0xA0] },
            fails("other-type", "refuse authenticator data that are text") { _ in
                [0] + ([1: "none", 2: "data", 3: [:]] as CBORMap).encoded()
            },
            fails("1-mib", "refuse an answer of 1 MiB that is not CBOR", rule: "HT-CBOR-14") { _ in
                [0] + [UInt8](repeating: 0xFF, count: (1 << 20) - 2_048)
            },
        ]

    // MARK: - The end

    private static let endings = [
        ends.behaves("shutdown", "send a shutdown after its last answer", rule: "HT-MSG-28") {
            context in
            let (session, answer) = try await context.asked()
            try await session.send(MessageType.ctap, answer)
            let last = try? await session.next("its shutdown")
            throw ObservedBehaviour(last == [MessageType.shutdown] ? "sends a shutdown" : "closes without a shutdown")
        },
        ends.behaves("close", "close its tunnel after its last answer", rule: "HT-MSG-29") { context in
            let (session, answer) = try await context.asked()
            try await session.send(MessageType.ctap, answer)
            try await session.ends()
            try await context.peer.succeeded()
        },
    ]

    /// The point of a session at which the authenticator disconnects.
    private enum Place: String, CaseIterable {
        case beforeFirstMessage = "before-first-message"
        case beforeRequest = "before-request"
        case beforeAnswer = "before-answer"
    }

    private static func reach(_ place: Place, _ context: ClientTestContext) async throws -> WebSocketEnd {
        let session = try await place == .beforeFirstMessage ? context.connected() : context.ready()
        if place == .beforeAnswer { _ = try await context.request(session) }
        return session.socket
    }
}
