internal import CTAP
internal import Encodings

/// Cases of an authenticator that offers digital credentials: its handling of JSON messages (the article
/// DigitalCredentials of HybridProtocol).
enum AuthenticatorCredentialCases {
    typealias MessageType = TunnelSession.MessageType
    typealias Messages = DigitalCredentialMessages

    static let group = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "digital-credential", rule: "HT-DC-27", profile: .digitalCredentials)

    static let all =
        good + several + bad + badMessages + survivals + group.survives(SessionLoss.ofClient, reach)

    // MARK: - Good requests

    /// A request that is answered, with a credential or an error.
    private static func answers(
        _ name: String, _ requirement: String,
        rule: String, asking text: @escaping @Sendable () -> String,
        check: @escaping @Sendable (Messages.Reply) throws -> Void = { _ in }
    ) -> ScriptedCase<AuthenticatorTestContext> {
        group.behaves(name, requirement, rule: rule) { context in
            let session = try await context.readyForCredentials()
            try check(try await context.ask(session, json: text()))
            try await context.shutDown(session)
        }
    }

    static func request(_ change: (inout Messages.Request) -> Void = { _ in }) -> String {
        var request = Messages.Request()
        change(&request)
        return request.text
    }

    private static func isAskedFor(_ reply: Messages.Reply) throws {
        guard case .credential(let name) = reply else { return }
        try demand(name == Messages.knownProtocol, "it answers in the protocol \(name), which was not requested")
    }

    private static let good = [
        answers(
            "get", "answer a request for a credential in JSON: with a credential or an error", rule: "HT-DC-27",
            asking: { request() }),
        answers(
            "protocol", "answer with a credential of a requested protocol", rule: "HT-DC-30",
            asking: { request() },
            check: isAskedFor),
        answers(
            "two-protocols", "answer one of several requested protocols", rule: "HT-DC-31",
            asking: {
                request { $0.requests = [Messages.option("future-protocol"), Messages.option(Messages.knownProtocol)] }
            },
            check: isAskedFor),
        answers(
            "unknown-protocol", "answer a request for an unknown protocol with an error", rule: "HT-DC-32",
            asking: { request { $0.requests = [Messages.option("future-protocol")] } }
        ) { reply in
            guard case .error = reply else { throw Deviation("it gives a credential of an unknown protocol") }
        },
        answers(
            "create", "answer a request of type credential.create", rule: "HT-DC-33",
            asking: { request { $0.requestType = "credential.create" } }
        ),
        answers(
            "unknown-members", "ignore unknown members", rule: "HT-DC-16",
            asking: { request { $0.others = [JSONValue.Member("future", ["a": [1, true, .null]])] } }, check: isAskedFor
        ),
        answers(
            "spaces", "accept white space between JSON tokens", rule: "HT-DC-10",
            asking: { " \r\n\t" + request().replacing(",", with: " ,\n\t").replacing(":{", with: " : {") + "\n " },
            check: isAskedFor),
        answers(
            "escapes", "accept escaped characters in JSON strings", rule: "HT-DC-10",
            asking: { request().replacing("credential.get", with: #"credential\u002eget"#) }, check: isAskedFor),
        answers(
            "64-kib", "answer a request of 64 KiB", rule: "HT-DC-20",
            asking: {
                request { $0.others = [JSONValue.Member("future", .string(String(repeating: "x", count: 1 << 16)))] }
            },
            check: isAskedFor),
        group.behaves("end", "end when the client shuts the session down after an answer", rule: "HT-MSG-51") {
            context in
            let session = try await context.readyForCredentials()
            _ = try await context.ask(session)
            try await session.send(MessageType.shutdown)
            try await session.ends()
            try await context.peer.ended()
        },
        group.behaves(
            "close-after-answer", "end when the client closes after an answer, without a shutdown",
            rule: "HT-MSG-34"
        ) { context in
            let session = try await context.readyForCredentials()
            _ = try await context.ask(session)
            await session.socket.close()
            try await context.peer.ended()
        },
        group.behaves(
            "late", "accept a request 1.5 seconds after the first message", rule: "HT-MSG-40"
        ) {
            context in
            let session = try await context.readyForCredentials()
            try await Task.sleep(for: UpgradeCases.delay)
            _ = try await context.ask(session)
            try await context.shutDown(session)
        },
        group.behaves(
            "shutdown-at-once", "end when the client shuts the session down without a request", rule: "HT-MSG-51"
        ) {
            context in
            let session = try await context.readyForCredentials()
            try await session.send(MessageType.shutdown)
            try await session.ends()
            try await context.peer.ended()
        },
        group.behaves("fragments", "accept a request in several WebSocket frames", rule: "HT-TUN-61") { context in
            let session = try await context.readyForCredentials()
            let frame = try await session.seal([MessageType.json] + Array(request().utf8))
            await session.socket.send(raw: WireFrame.fragments(frame, byteCount: 7).flatMap { $0.bytes() })
            _ = try await context.reply(session)
            try await context.shutDown(session)
        },
    ]

    /// Requests after a first answer: an authenticator may answer them, or end.
    private static let several = [
        group.behaves(
            "second-request", "answer a second request after the first answer", rule: "HT-DC-40"
        ) { context in
            let session = try await context.readyForCredentials()
            _ = try await context.ask(session)
            try await context.observesEnd(of: session) { _ = try await context.ask(session) }
        },
        group.behaves("then-ctap", "answer a CTAP request after an answer in JSON", rule: "HT-DC-40") {
            context in
            let session = try await context.readyForCredentials()
            _ = try await context.ask(session)
            try await context.observesEnd(of: session) {
                _ = try await context.ask(session, AuthenticatorTestContext.makeCredential())
            }
        },
        group.behaves("after-ctap", "answer a JSON request after an answer to CTAP", rule: "HT-DC-40") {
            context in
            let session = try await context.readyForCredentials()
            _ = try await context.ask(session, AuthenticatorTestContext.makeCredential())
            try await context.observesEnd(of: session) { _ = try await context.ask(session) }
        },
        group.behaves("ctap-instead", "answer CTAP requests where it offers digital credentials", rule: "HT-DC-7") {
            context in
            let session = try await context.readyForCredentials()
            let answer = try await context.ask(session, AuthenticatorTestContext.makeCredential())
            try demand(answer.status == CTAPStatus.ok.rawValue, "it answers with status \(hexadecimal(answer.status))")
            try await context.shutDown(session)
        },
    ]

    // MARK: - Bad requests

    /// A malformed request: answered with an error, or the end of the session, but not with a credential.
    private static func rejects(
        _ name: String, _ requirement: String,
        rule: String, bytes: @escaping @Sendable () -> [UInt8]
    ) -> ScriptedCase<AuthenticatorTestContext> {
        group.refuses(name, requirement, rule: rule) { context in
            let session = try await context.readyForCredentials()
            try await session.send(MessageType.json, bytes())
            try await context.refuses(in: session, with: "an error") {
                if case .credential = try await context.reply(session) { throw Deviation("it gives a credential") }
            }
        }
    }

    private static func lacks(
        _ name: String, _ requirement: String, rule: String,
        _ change: @escaping @Sendable (inout Messages.Request) -> Void
    ) -> ScriptedCase<AuthenticatorTestContext> {
        rejects(name, requirement, rule: rule) { Array(request(change).utf8) }
    }

    private static let bad = [
        lacks("no-origin", "not give a credential for a request without an origin", rule: "HT-DC-21") {
            $0.origin = nil
        },
        lacks("origin-number", "not give a credential for a request whose origin is a number", rule: "HT-DC-21") {
            $0.origin = 7
        },
        lacks("no-type", "not give a credential for a request without a type", rule: "HT-DC-22") {
            $0.requestType = nil
        },
        lacks("type-number", "not give a credential for a request whose type is a number", rule: "HT-DC-22") {
            $0.requestType = 7
        },
        lacks("unknown-type", "not give a credential for a request of an unknown type", rule: "HT-DC-22") {
            $0.requestType = "credential.future"
        },
        lacks("no-requests", "not give a credential for a request without the member requests", rule: "HT-DC-23") {
            $0.requests = nil
        },
        lacks("empty-requests", "not give a credential for an empty list of requests", rule: "HT-DC-23") {
            $0.requests = []
        },
        lacks(
            "requests-object", "not give a credential if the member requests is an object, not a list",
            rule: "HT-DC-23"
        ) {
            $0.requests = Messages.option(Messages.knownProtocol)
        },
        lacks(
            "requests-numbers", "not give a credential if the member requests is a list of numbers",
            rule: "HT-DC-24"
        ) {
            $0.requests = [1, 2]
        },
        lacks("no-protocol", "not give a credential for an entry without a protocol", rule: "HT-DC-24") {
            $0.requests = [["data": [:]]]
        },
        lacks(
            "protocol-number", "not give a credential for an entry whose protocol is a number", rule: "HT-DC-24"
        ) {
            $0.requests = [["protocol": 1, "data": [:]]]
        },
        lacks("no-data", "not give a credential for an entry without data", rule: "HT-DC-24") {
            $0.requests = [["protocol": .string(Messages.knownProtocol)]]
        },
        rejects("array", "not give a credential for a request that is an array", rule: "HT-DC-21") {
            Array("[]".utf8)
        },
        rejects("text", "not give a credential for a request that is a string", rule: "HT-DC-21") {
            Array(#""credential.get""#.utf8)
        },
        rejects("empty-object", "not give a credential for an empty object", rule: "HT-DC-21") {
            Array("{}".utf8)
        },
    ]

    private static let badMessages = [
        rejects("no-json", "not give a credential for a JSON message that is not JSON", rule: "HT-DC-11") {
            Array("credential.get".utf8)
        },
        rejects("cbor", "not give a credential for CBOR in a JSON message", rule: "HT-DC-11") {
            [0xA1, 0x01, 0x02]
        },
        rejects("truncated", "not give a credential for truncated JSON", rule: "HT-DC-11") {
            Array(request().utf8.dropLast())
        },
        rejects("trailing", "not give a credential for JSON with trailing bytes", rule: "HT-DC-11") {
            Array((request() + "{}").utf8)
        },
        rejects("invalid-utf-8", "not give a credential for JSON that is not UTF-8", rule: "HT-DC-12") {
            Array(request { $0.origin = "https://conformance.example/?" }.utf8).map {
                $0 == UInt8(ascii: "?") ? 0xFF : $0
            }
        },
        rejects("utf-16", "not give a credential for JSON in UTF-16", rule: "HT-DC-12") {
            request().utf8.flatMap { [$0, 0] }
        },
        rejects(
            "control-character", "not give a credential for a string with an unescaped control character",
            rule: "HT-DC-11"
        ) {
            Array(request { $0.origin = "https://conformance.example/?" }.utf8).map { $0 == UInt8(ascii: "?") ? 0 : $0 }
        },
        rejects("deep", "refuse 100,000 nested arrays", rule: "HT-DC-14") {
            [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        },
        rejects("empty", "not give a credential for an empty JSON message", rule: "HT-DC-13") { [] },
        rejects("nearly-1-mib", "not give a credential for nearly 1 MiB of spaces", rule: "HT-DC-11") {
            [UInt8](repeating: UInt8(ascii: " "), count: (1 << 20) - 2_048)
        },
    ]
}

extension AuthenticatorTestContext {
    /// Tells whether a further request is answered, and demands that the command ends.
    fileprivate func observesEnd(
        of session: TunnelSession, after request: () async throws -> Void
    ) async throws {
        var isAnswered = true
        do { try await request() } catch is WebSocketEnd.Closed { isAnswered = false }
        try? await session.send(TunnelSession.MessageType.shutdown)
        await session.socket.close()
        try await peer.ended()
        throw ObservedBehaviour(isAnswered ? "answers it" : "ends the session")
    }
}
