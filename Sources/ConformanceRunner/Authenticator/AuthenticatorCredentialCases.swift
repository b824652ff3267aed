internal import CTAP
internal import JSON

/// Cases of an authenticator that offers digital credentials: what it does with JSON messages (PROTOCOL.md 7.2).
enum AuthenticatorCredentialCases {
    private typealias MessageType = PlayedSession.MessageType
    private typealias Messages = DigitalCredentialMessages

    private static let group = Group<AuthenticatorStage>(
        role: .authenticator, name: "digital-credential", source: "CTAP 2.3 section 11.5.1.2, JSON messages")

    static let all =
        good + several + bad + badMessages + survivals + group.survives(SessionLoss.ofClient, reach)

    // MARK: - Good requests

    /// A request that is answered, with a credential or an error.
    private static func answers(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .secondHand,
        asking text: @escaping @Sendable () -> String,
        _ check: @escaping @Sendable (Messages.Reply) throws -> Void = { _ in }
    ) -> PlayedCase<AuthenticatorStage> {
        group.behaves(name, rule, certainty) { stage in
            let session = try await stage.readyForCredentials()
            try check(try await stage.ask(session, json: text()))
            try await stage.dismiss(session)
        }
    }

    private static func request(_ change: (inout Messages.Request) -> Void = { _ in }) -> String {
        var request = Messages.Request()
        change(&request)
        return request.text
    }

    private static func isAskedFor(_ reply: Messages.Reply) throws {
        guard case .credential(let name) = reply else { return }
        try demand(name == Messages.knownProtocol, "it answers in the protocol \(name), for which nobody asked")
    }

    private static let good = [
        answers(
            "get", "a request for a credential is answered with JSON: a credential, or an error", asking: { request() }),
        answers("protocol", "a credential is of a protocol that was asked for", asking: { request() }, isAskedFor),
        answers(
            "two-protocols", "of several protocols an authenticator answers one",
            asking: {
                request { $0.requests = [Messages.option("future-protocol"), Messages.option(Messages.knownProtocol)] }
            },
            isAskedFor),
        answers(
            "unknown-protocol", "a protocol that nobody knows gets an error",
            asking: { request { $0.requests = [Messages.option("future-protocol")] } }
        ) { reply in
            guard case .error = reply else { throw Deviation("it gives a credential of a protocol that nobody knows") }
        },
        answers(
            "create", "a request to take a credential is answered",
            asking: { request { $0.requestType = "credential.create" } }
        ),
        answers(
            "unknown-members", "members that nobody knows are ignored",
            asking: { request { $0.others = [JSONValue.Member("future", ["a": [1, true, .null]])] } }, isAskedFor),
        answers(
            "spaces", "spaces between the parts of JSON mean nothing", .certain,
            asking: { " \r\n\t" + request().replacing(",", with: " ,\n\t").replacing(":{", with: " : {") + "\n " },
            isAskedFor),
        answers(
            "escapes", "a character of JSON may be written as an escape", .certain,
            asking: { request().replacing("credential.get", with: #"credential\u002eget"#) }, isAskedFor),
        answers(
            "64-kib", "a request of 64 KiB is answered",
            asking: {
                request { $0.others = [JSONValue.Member("future", .string(String(repeating: "x", count: 1 << 16)))] }
            },
            isAskedFor),
        group.behaves("end", "after an answer a client may shut the session down") { stage in
            let session = try await stage.readyForCredentials()
            _ = try await stage.ask(session)
            try await session.send(MessageType.shutdown)
            try await session.ends()
            try await stage.peer.ended()
        },
        group.behaves("close-after-answer", "a client may close without a shutdown", .secondHand) { stage in
            let session = try await stage.readyForCredentials()
            _ = try await stage.ask(session)
            await session.socket.close()
            try await stage.peer.ended()
        },
        group.behaves("late", "a request may come a second and a half after the first message", .secondHand) { stage in
            let session = try await stage.readyForCredentials()
            try await Task.sleep(for: UpgradeCases.delay)
            _ = try await stage.ask(session)
            try await stage.dismiss(session)
        },
        group.behaves("shutdown-at-once", "a client may shut down instead of asking") { stage in
            let session = try await stage.readyForCredentials()
            try await session.send(MessageType.shutdown)
            try await session.ends()
            try await stage.peer.ended()
        },
        group.behaves("fragments", "a request may come in fragments", source: "RFC 6455 section 5.4") { stage in
            let session = try await stage.readyForCredentials()
            let frame = try await session.seal([MessageType.json] + Array(request().utf8))
            await session.socket.send(raw: WireFrame.fragments(frame, byteCount: 7).flatMap { $0.bytes() })
            _ = try await stage.reply(session)
            try await stage.dismiss(session)
        },
    ]

    /// What comes after a first answer: an authenticator may answer it, or be done.
    private static let several = [
        group.behaves("second-request", "a second request after the first answer is answered", .disputed) { stage in
            let session = try await stage.readyForCredentials()
            _ = try await stage.ask(session)
            _ = try await stage.ask(session)
            try await stage.dismiss(session)
        },
        group.behaves("then-ctap", "a CTAP request after an answer in JSON is answered", .disputed) { stage in
            let session = try await stage.readyForCredentials()
            _ = try await stage.ask(session)
            _ = try await stage.ask(session, AuthenticatorStage.makeCredential())
            try await stage.dismiss(session)
        },
        group.behaves("after-ctap", "a request in JSON after a CTAP answer is answered", .disputed) { stage in
            let session = try await stage.readyForCredentials()
            _ = try await stage.ask(session, AuthenticatorStage.makeCredential())
            _ = try await stage.ask(session)
            try await stage.dismiss(session)
        },
        group.behaves("ctap-instead", "where digital credentials are offered, CTAP works as well") { stage in
            let session = try await stage.readyForCredentials()
            let answer = try await stage.ask(session, AuthenticatorStage.makeCredential())
            try demand(answer.status == CTAPStatus.ok.rawValue, "it answers status \(hexadecimal(answer.status))")
            try await stage.dismiss(session)
        },
    ]

    // MARK: - Bad requests

    /// A request that makes no sense: answered with an error, or the end of the session, but not with a credential.
    private static func rejects(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .secondHand,
        _ bytes: @escaping @Sendable () -> [UInt8]
    ) -> PlayedCase<AuthenticatorStage> {
        group.refuses(name, rule, certainty) { stage in
            let session = try await stage.readyForCredentials()
            try await session.send(MessageType.json, bytes())
            do {
                if case .credential = try await stage.reply(session) { throw Deviation("it gives a credential") }
            } catch is WebSocketEnd.Closed {}
            await session.socket.close()
            try await stage.peer.ended()
        }
    }

    private static func lacks(
        _ name: String, _ rule: String, _ change: @escaping @Sendable (inout Messages.Request) -> Void
    ) -> PlayedCase<AuthenticatorStage> {
        rejects(name, rule) { Array(request(change).utf8) }
    }

    private static let bad = [
        lacks("no-origin", "a request has an origin") { $0.origin = nil },
        lacks("origin-number", "an origin is text") { $0.origin = 7 },
        lacks("no-type", "a request has a type") { $0.requestType = nil },
        lacks("type-number", "the type of a request is text") { $0.requestType = 7 },
        lacks("unknown-type", "a type that nobody knows is not granted") { $0.requestType = "credential.future" },
        lacks("no-requests", "a request says what is asked for") { $0.requests = nil },
        lacks("empty-requests", "a request asks for something") { $0.requests = [] },
        lacks("requests-object", "what is asked for is a list") {
            $0.requests = Messages.option(Messages.knownProtocol)
        },
        lacks("requests-numbers", "each thing asked for is an object") { $0.requests = [1, 2] },
        lacks("no-protocol", "each thing asked for names its protocol") { $0.requests = [["data": [:]]] },
        lacks("protocol-number", "the name of a protocol is text") { $0.requests = [["protocol": 1, "data": [:]]] },
        lacks("no-data", "each thing asked for has data") {
            $0.requests = [["protocol": .string(Messages.knownProtocol)]]
        },
        rejects("array", "a request is an object") { Array("[]".utf8) },
        rejects("text", "a text alone is no request") { Array(#""credential.get""#.utf8) },
        rejects("empty-object", "an empty object is no request") { Array("{}".utf8) },
    ]

    private static let badMessages = [
        rejects("no-json", "a JSON message holds JSON", .certain) { Array("credential.get".utf8) },
        rejects("cbor", "CBOR is no JSON", .certain) { [0xA1, 0x01, 0x02] },
        rejects("truncated", "JSON is whole", .certain) { Array(request().utf8.dropLast()) },
        rejects("trailing", "nothing follows the JSON", .certain) { Array((request() + "{}").utf8) },
        rejects("invalid-utf-8", "JSON is UTF-8", .certain) {
            Array(request { $0.origin = "https://conformance.example/?" }.utf8).map {
                $0 == UInt8(ascii: "?") ? 0xFF : $0
            }
        },
        rejects("utf-16", "JSON is not UTF-16", .certain) { request().utf8.flatMap { [$0, 0] } },
        rejects("control-character", "JSON has no bare control characters in texts", .certain) {
            Array(request { $0.origin = "https://conformance.example/?" }.utf8).map { $0 == UInt8(ascii: "?") ? 0 : $0 }
        },
        rejects("deep", "nobody follows a hundred thousand arrays") {
            [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        },
        rejects("empty", "a JSON message is not empty") { [] },
        rejects("nearly-1-mib", "a megabyte of spaces is no request") {
            [UInt8](repeating: UInt8(ascii: " "), count: (1 << 20) - 2_048)
        },
    ]

    // MARK: - What must not bring it down

    private static func survives(
        _ name: String, _ rule: String, _ second: UInt8, _ payload: @escaping @Sendable () throws -> [UInt8]
    ) -> PlayedCase<AuthenticatorStage> {
        group.survives(name, rule, .secondHand) { stage in
            let session = try await stage.readyForCredentials()
            let first = try await session.seal([MessageType.json] + Array(request().utf8))
            let next = try await session.seal([second] + payload())
            await session.socket.send(
                raw: WireFrame(payload: first).bytes() + WireFrame(payload: next).bytes())
            try? await within(.seconds(1), "the end of the session") { try await session.ends() }
            await session.socket.close()
            try await stage.peer.ended()
        }
    }

    private static let survivals = [
        survives("two-at-once", "a second request before the first answer does no harm", MessageType.json) {
            Array(request().utf8)
        },
        survives("ctap-at-once", "a CTAP request before the answer in JSON does no harm", MessageType.ctap) {
            try AuthenticatorStage.makeCredential()
        },
        survives("shutdown-before-answer", "a shutdown before the answer does no harm", MessageType.shutdown) { [] },
        survives("update-before-answer", "an update from a client before the answer does no harm", MessageType.update) {
            [0xA0]
        },
    ]

    /// Where in a session a client is when it goes away.
    private enum Place: String, CaseIterable {
        case duringRequest = "during-request"
        case afterAnswer = "after-answer"
    }

    private static func reach(_ place: Place, _ stage: AuthenticatorStage) async throws -> WebSocketEnd {
        let session = try await stage.readyForCredentials()
        try await session.send(MessageType.json, Array(request().utf8))
        if place == .afterAnswer { _ = try await stage.reply(session) }
        return session.socket
    }
}
