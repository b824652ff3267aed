internal import CBOR
internal import CTAP

/// Cases of the messages that a client takes in a session, of what it does with answers, and of authenticators that go away.
enum ClientEndCases {
    private typealias MessageType = PlayedSession.MessageType

    private static let messages = Group<ClientStage>(
        role: .client, name: "message", source: "CTAP 2.2 section 11.5.1, message types")
    private static let answers = Group<ClientStage>(
        role: .client, name: "answer", source: "CTAP 2.1 sections 6 and 8")
    private static let ends = Group<ClientStage>(
        role: .client, name: "end", source: "CTAP 2.2 section 11.5.1, the end of a session")

    static let all =
        goodMessages + badMessages + badAnswers + endings
        + ends.survives(SessionLoss.ofAuthenticator + [.noise], reach)

    // MARK: - Messages

    private static let filler: [UInt8] = [0xA0]

    private static let goodMessages = [
        messages.behaves("update-before-request", "an update may come before the request") { stage in
            let session = try await stage.ready()
            try await session.send(MessageType.update, filler)
            try await stage.serve(session)
        },
        messages.behaves("update-before-answer", "an update may come between a request and its answer") { stage in
            let (session, answer) = try await stage.asked()
            try await session.send(MessageType.update, filler)
            try await session.send(MessageType.ctap, answer)
            try await stage.finish(session)
        },
        messages.behaves("update-after-answer", "an update may come after the answer") { stage in
            let (session, answer) = try await stage.asked()
            try await session.send(MessageType.ctap, answer)
            try? await session.send(MessageType.update, filler)
            try await stage.finish(session)
        },
        messages.behaves("many-updates", "a hundred updates do no harm") { stage in
            let (session, answer) = try await stage.asked()
            for _ in 0..<100 { try await session.send(MessageType.update, filler) }
            try await session.send(MessageType.ctap, answer)
            try await stage.finish(session)
        },
        messages.behaves("update-of-512-bytes", "an update of 512 bytes, as Chromium's phone sends it, does no harm") {
            stage in
            let session = try await stage.ready()
            let map: CBORMap = [0: .bytes([UInt8](repeating: 0, count: 500))]
            try await session.send(MessageType.update, map.encoded())
            try await stage.serve(session)
        },
        messages.behaves("linking-unasked", "linking data that nobody asked for do not end the session", .disputed) {
            stage in
            let session = try await stage.ready()
            let linking: CBORValue = [1: .bytes([1]), 2: .bytes([2]), 6: .bytes([3])]
            try await session.send(MessageType.update, ([1: linking] as CBORMap).encoded())
            try await stage.serve(session)
        },
        messages.behaves("answer-late", "an answer may take a second and a half") { stage in
            let (session, answer) = try await stage.asked()
            try await Task.sleep(for: UpgradeCases.delay)
            try await session.send(MessageType.ctap, answer)
            try await stage.finish(session)
        },
        messages.behaves("shutdown-from-authenticator", "a shutdown from the authenticator ends the session", .disputed)
        { stage in
            let (session, _) = try await stage.asked()
            try await session.send(MessageType.shutdown)
            try await session.goesNoFurther()
            throw Observation("ends with exit status \(try await stage.peer.ended())")
        },
        messages.behaves(
            "request-user-verification", "a request asks for user verification, by which phones protect passkeys",
            .secondHand
        ) { stage in
            let request = try await stage.request(stage.ready())
            let map = try? CBORValue.decode(Array(request.dropFirst()).span).mapValue
            let key = request[0] == CTAPCommand.makeCredential.rawValue ? 7 : 5
            try demand(map?[key]?.mapValue?["uv"]?.boolValue == true, "it does not ask for it")
        },
        messages.behaves("request-canonical", "a request is canonical CBOR", source: "CTAP 2.1 section 8") { stage in
            let request = try await stage.request(stage.ready())
            do throws(CBORError) { _ = try CBORValue.decode(Array(request.dropFirst()).span) } catch {
                throw Deviation("its request is not: \(error.reason)")
            }
        },
        messages.behaves(
            "no-get-info-request", "getInfo is not asked for again: it came with the first message", .secondHand
        ) { stage in
            let request = try await stage.request(stage.ready())
            try demand(request[0] != CTAPCommand.getInfo.rawValue, "it asks for getInfo")
        },
    ]

    private static func refuses(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain, _ message: [UInt8]
    ) -> PlayedCase<ClientStage> {
        messages.refuses(name, rule, certainty) { stage in
            let (session, answer) = try await stage.asked()
            try await session.send(message)
            // To whoever passes the mistake over, the right answer comes after it.
            try await session.send(MessageType.ctap, answer)
            try await stage.givesUp(session)
        }
    }

    private static let badMessages =
        ([4, 5, 16, 127, 128, 255] as [UInt8]).map { type in
            refuses("type-\(type)", "the type \(type) is unknown", .secondHand, [type, 1, 2, 3])
        } + [
            refuses("ctap-without-status", "an answer has a status byte", .certain, [MessageType.ctap]),
            refuses(
                "json-answer", "an answer has the type of its request", .certain, [MessageType.json] + Array("{}".utf8)),
            refuses("update-no-map", "an update is a map", .secondHand, [MessageType.update, 0x81, 0x01]),
            refuses("update-no-cbor", "an update is CBOR", .secondHand, [MessageType.update, 0xFF]),
            refuses("update-empty", "an update is not empty", .secondHand, [MessageType.update]),
            refuses(
                "update-trailing", "nothing follows an update's map", .secondHand, [MessageType.update, 0xA0, 0x00]),
            refuses(
                "update-linking-no-map", "linking data that are no map end the session", .disputed,
                [MessageType.update, 0xA1, 0x01, 0x02]),
            messages.refuses("answer-unasked", "an answer answers a request") { stage in
                // One that would do, but for its time: a new passkey, which no signature binds to a session.
                let earlier = try await stage.ready()
                let request = try await stage.request(earlier)
                try await earlier.send(MessageType.ctap, ClientStage.answer(to: request))
                try await stage.finish(earlier)
                let answer = try await ClientStage.withoutAttestation(ClientStage.answer(to: request))
                let session = try await stage.connected()
                let first = try await session.seal(ClientStage.firstMessage.encoded())
                let early = try await session.seal([MessageType.ctap] + answer)
                await session.socket.send(raw: WireFrame(payload: first).bytes() + WireFrame(payload: early).bytes())
                // Its request may be on its way.
                try? await session.ends()
                await session.socket.close()
                try await stage.peer.failed()
            },
            messages.survives("second-answer", "a second answer does no harm", .secondHand) { stage in
                let (session, answer) = try await stage.asked()
                try await session.send(MessageType.ctap, answer)
                try? await session.send(MessageType.ctap, answer)
                try await session.goesNoFurther()
                try await stage.peer.ended()
            },
        ]

    // MARK: - Answers

    private static func fails(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> PlayedCase<ClientStage> {
        answers.refuses(name, rule, certainty) { stage in
            let (session, answer) = try await stage.asked()
            try await session.send(MessageType.ctap, change(answer))
            try await stage.givesUp(session)
        }
    }

    private static let badAnswers =
        ([0x01, 0x14, 0x19, 0x27, 0x2E, 0x2F, 0x7F, 0xFF] as [UInt8]).map { status in
            fails("status-\(String(status, radix: 16))", "the status \(hexadecimal(status)) is no success") { _ in
                [status]
            }
        } + [
            fails("success-alone", "a success has parameters") { _ in [0] },
            fails("no-map", "an answer's parameters are a map") { _ in [0, 0x80] },
            fails("truncated", "an answer is whole CBOR") { $0.dropLast() },
            fails("deep-nesting", "nobody follows a thousand arrays") { _ in
                [0] + [UInt8](repeating: 0x81, count: 1_000) + [0]
            },
            fails("huge-length", "nobody waits for 2^63 bytes") { _ in
                [0, 0xA1, 0x01, 0x5B, 0x7F] + [UInt8](repeating: 0xFF, count: 7)
            },
            fails("empty-map", "an answer has its required parameters") { _ in [0, 0xA0] },
            fails("other-type", "authenticator data are bytes") { _ in
                [0] + ([1: "none", 2: "data", 3: [:]] as CBORMap).encoded()
            },
            fails("1-mib", "a megabyte that is no CBOR is no answer") { _ in
                [0] + [UInt8](repeating: 0xFF, count: (1 << 20) - 2_048)
            },
        ]

    // MARK: - The end

    private static let endings = [
        ends.behaves("shutdown", "a client sends a shutdown when it is done", .disputed) { stage in
            let (session, answer) = try await stage.asked()
            try await session.send(MessageType.ctap, answer)
            let last = try? await session.next("its shutdown")
            throw Observation(last == [MessageType.shutdown] ? "sends a shutdown" : "closes without a shutdown")
        },
        ends.behaves("close", "a client ends its tunnel when it is done") { stage in
            let (session, answer) = try await stage.asked()
            try await session.send(MessageType.ctap, answer)
            try await session.ends()
            try await stage.peer.succeeded()
        },
    ]

    /// Where in a session an authenticator is when it goes away.
    private enum Place: String, CaseIterable {
        case beforeFirstMessage = "before-first-message"
        case beforeRequest = "before-request"
        case beforeAnswer = "before-answer"
    }

    private static func reach(_ place: Place, _ stage: ClientStage) async throws -> WebSocketEnd {
        let session = try await place == .beforeFirstMessage ? stage.connected() : stage.ready()
        if place == .beforeAnswer { _ = try await stage.request(session) }
        return session.socket
    }
}
