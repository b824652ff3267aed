internal import CBOR
internal import JSON
internal import TestVectors

/// Cases of a client that asks for a digital credential: what it sends, and which answers it takes (PROTOCOL.md 7.2).
enum ClientCredentialCases {
    private typealias MessageType = TunnelSession.MessageType
    private typealias Messages = DigitalCredentialMessages

    private static let group = CaseGroup<ClientTestContext>(
        role: .client, name: "digital-credential", rule: "HT-TODO-1")

    static let all =
        requests + good + offers + errors + badAnswers + badTexts + badMessages
        + group.survives(SessionLoss.ofAuthenticator, reach)

    // MARK: - The request

    private static func asks(
        _ name: String, _ requirement: String, _ check: @escaping @Sendable (JSONValue) throws -> Void = { _ in }
    ) -> ScriptedCase<ClientTestContext> {
        group.behaves(name, requirement, .secondHand) { context in
            let (_, request) = try await context.askedForCredential()
            guard let json = try? JSONValue(parsing: request.span) else { throw Deviation("its request is no JSON") }
            try check(json)
        }
    }

    private static let requests = [
        group.behaves("hint", "MUST put the hint dcp or dci into the QR code of a credential request") {
            context in
            let hint = try await context.start().map[InvitationKey.hint]?.textValue
            try demand(hint == "dcp" || hint == "dci", "its hint is \(hint ?? "missing")")
        },
        asks("request", "MUST send its request as JSON in a message of type 3"),
        asks("origin", "MUST name the site's origin in its request") {
            try demand($0["origin"]?.stringValue?.isEmpty == false, "its request names no origin")
        },
        asks("request-type", "MUST send a request of type credential.get or credential.create") {
            let type = $0["requestType"]?.stringValue
            try demand(type == "credential.get" || type == "credential.create", "its type is \(type ?? "missing")")
        },
        asks("protocols", "MUST give a protocol and data for each entry of its request") {
            let options = $0["request"]?["digital"]?["requests"]?.arrayValue ?? []
            try demand(
                !options.isEmpty && options.allSatisfy { $0["protocol"]?.stringValue != nil && $0["data"] != nil },
                "an entry of its request has no protocol or no data")
        },
    ]

    // MARK: - Good answers

    /// A credential, in another form than usual, that the client takes.
    private static func takes(
        _ name: String, _ requirement: String, _ certainty: ConformanceCase.Certainty = .secondHand,
        text: @escaping @Sendable () -> String
    ) -> ScriptedCase<ClientTestContext> {
        group.behaves(name, requirement, certainty) { context in
            let (session, _) = try await context.askedForCredential()
            try await session.send(MessageType.json, Array(text().utf8))
            try await context.finish(session)
        }
    }

    private static var right: String { Messages.answer(["data": Messages.credential]) }

    private static let good = [
        takes("credential", "MUST accept a credential") { right },
        takes("unknown-members", "MUST ignore unknown members") {
            (["future": 1, "response": ["future": [], "digital": ["data": Messages.credential, "future": .null]]]
                as JSONValue)
                .text
        },
        takes("spaces", "MUST accept white space between JSON tokens", .certain) {
            " \r\n\t" + right.replacing(",", with: " ,\n\t").replacing(":{", with: " : {") + "\n "
        },
        takes("escapes", "MUST accept escaped characters in JSON strings", .certain) {
            right.replacing("response", with: #"respon\u0073e"#)
        },
        takes("256-kib", "MUST accept a credential of 256 KiB") {
            Messages.answer([
                "data": [
                    "protocol": .string(Messages.knownProtocol),
                    "data": .string(String(repeating: "x", count: 1 << 18)),
                ]
            ])
        },
        takes("other-protocol", "MAY accept a credential of a protocol that it did not request", .disputed) {
            Messages.answer(["data": ["protocol": "future-protocol", "data": [:]]])
        },
        group.behaves("update-before-answer", "MUST accept an update between its request and the answer") { context in
            let (session, _) = try await context.askedForCredential()
            try await session.send(MessageType.update, [0xA0])
            try await context.sendCredential(session)
        },
        group.behaves("answer-late", "MUST accept an answer that takes 1.5 seconds") { context in
            let (session, _) = try await context.askedForCredential()
            try await Task.sleep(for: UpgradeCases.delay)
            try await context.sendCredential(session)
        },
        group.behaves("fragments", "MUST accept an answer in several WebSocket frames", rule: "HT-TODO-1") { context in
            let (session, _) = try await context.askedForCredential()
            let frame = try await session.seal([MessageType.json] + Array(right.utf8))
            await session.socket.send(raw: WireFrame.fragments(frame, byteCount: 7).flatMap { $0.bytes() })
            try await context.finish(session)
        },
    ]

    // MARK: - What is offered

    /// A first message after which nothing may be asked for.
    private static func sendsNoRequest(
        _ name: String, _ requirement: String, _ first: @escaping @Sendable () -> CBORMap
    ) -> ScriptedCase<ClientTestContext> {
        group.refuses(name, requirement, .secondHand) { context in
            let session = try await context.connected()
            try await session.send(first().encoded())
            try await context.givesUp(session)
        }
    }

    private static func with(_ key: CBORValue, _ value: CBORValue?) -> CBORMap {
        var map = ClientTestContext.firstMessage
        map[key] = value
        return map
    }

    private static let offers = [
        group.behaves("offered-alone", "MUST accept the feature dc without ctap", .secondHand) { context in
            try await context.sendCredential(
                try await context.askedForCredential([3: [.text(Messages.feature)]]).session)
        },
        group.behaves("offered-among-others", "MUST ignore unknown features", .secondHand) { context in
            let first = with(3, ["future", .text(Messages.feature), "ctap"])
            try await context.sendCredential(try await context.askedForCredential(first).session)
        },
        sendsNoRequest("not-offered", "MUST NOT request a credential without the feature dc") { with(3, ["ctap"]) },
        sendsNoRequest("no-features", "MUST NOT request a credential from an authenticator that lists no features") {
            with(3, nil)
        },
        sendsNoRequest("unknown-features", "MUST NOT take DC, or dc with a space, for the feature dc") {
            with(3, ["ctap", "DC", "dc "])
        },
        sendsNoRequest("get-info-without-ctap", "MUST refuse getInfo with features that lack ctap") {
            with(3, [.text(Messages.feature)])
        },
    ]

    // MARK: - Bad answers

    /// An answer after which the command ends with a failure.
    private static func fails(
        _ name: String, _ requirement: String, _ certainty: ConformanceCase.Certainty = .secondHand,
        bytes: @escaping @Sendable () -> [UInt8]
    ) -> ScriptedCase<ClientTestContext> {
        group.refuses(name, requirement, certainty) { context in
            let (session, _) = try await context.askedForCredential()
            try await session.send(MessageType.json, bytes())
            try await context.givesUp(session)
        }
    }

    private static func fails(
        _ name: String, _ requirement: String, json: @escaping @Sendable () -> JSONValue
    ) -> ScriptedCase<ClientTestContext> {
        fails(name, requirement) { Array(json().text.utf8) }
    }

    private static let errors = ["USER_CANCELED", "DEVICE_ABORTED", "NO_CREDENTIAL", "FUTURE", ""].map { error in
        fails(
            "error-\(error.isEmpty ? "empty" : error.lowercased().replacing("_", with: "-"))",
            "MUST fail on \(error.isEmpty ? "an error without a name" : "the error \(error)")"
        ) {
            Array(Messages.answer(["error": .string(error)]).utf8)
        }
    }

    private static func lacks(
        _ name: String, _ requirement: String, _ digital: @escaping @Sendable () -> JSONValue
    ) -> ScriptedCase<ClientTestContext> {
        fails(name, requirement) { Array(Messages.answer(digital()).utf8) }
    }

    private static let badAnswers = [
        fails("array", "MUST refuse an answer that is an array", json: { [] }),
        fails("empty-object", "MUST refuse an answer without a response", json: { [:] }),
        fails("response-text", "MUST refuse a response that is a string", json: { ["response": "yes"] }),
        fails("no-digital", "MUST refuse a response without the member digital", json: { ["response": [:]] }),
        lacks("digital-text", "MUST refuse a member digital that is a string") { "yes" },
        lacks("no-data", "MUST refuse an answer with neither an error nor data") { [:] },
        lacks("data-text", "MUST refuse a credential that is a string") { ["data": "yes"] },
        lacks("no-protocol", "MUST refuse a credential without a protocol") { ["data": ["data": [:]]] },
        lacks("protocol-number", "MUST refuse a credential whose protocol is a number") {
            ["data": ["protocol": 1, "data": [:]]]
        },
        lacks("no-credential", "MUST refuse a credential without data") {
            ["data": ["protocol": .string(Messages.knownProtocol)]]
        },
        lacks("error-number", "MUST refuse an error that is a number") { ["error": 7] },
        lacks("error-and-data", "MUST refuse an answer with both an error and data") {
            ["error": "USER_CANCELED", "data": Messages.credential]
        },
    ]

    private static let badTexts = [
        fails("no-json", "MUST refuse a JSON message that is not JSON", .certain) { Array("yes".utf8) },
        fails("cbor", "MUST refuse CBOR in a JSON message", .certain) { [0xA1, 0x01, 0x02] },
        fails("truncated", "MUST refuse truncated JSON", .certain) { Array(right.utf8.dropLast()) },
        fails("trailing", "MUST refuse JSON with trailing bytes", .certain) { Array((right + "{}").utf8) },
        fails("invalid-utf-8", "MUST refuse JSON that is not UTF-8", .certain) {
            Array(right.utf8).map { $0 == UInt8(ascii: "-") ? 0xFF : $0 }
        },
        fails("control-character", "MUST refuse a string with an unescaped control character", .certain) {
            Array(right.utf8).map { $0 == UInt8(ascii: "-") ? 0 : $0 }
        },
        fails("deep", "MUST refuse 100,000 nested arrays") {
            [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        },
        fails("empty", "MUST refuse an empty JSON message") { [] },
        fails("nearly-1-mib", "MUST refuse nearly 1 MiB of spaces") {
            [UInt8](repeating: UInt8(ascii: " "), count: (1 << 20) - 2_048)
        },
    ]

    // MARK: - Other messages

    private static let badMessages = [
        group.refuses("ctap-answer", "MUST refuse a CTAP answer to a JSON request") { context in
            let (session, _) = try await context.askedForCredential()
            try await session.send(MessageType.ctap, [0, 0xA0])
            // A peer that ignores the mistake finds the right answer after it.
            try? await session.send(MessageType.json, Array(right.utf8))
            try await context.givesUp(session)
        },
        group.refuses("unknown-type", "MUST refuse an answer in a message of unknown type", .secondHand) { context in
            let (session, _) = try await context.askedForCredential()
            try await session.send(4, Array(right.utf8))
            try? await session.send(MessageType.json, Array(right.utf8))
            try await context.givesUp(session)
        },
        group.behaves("shutdown", "SHOULD end the session on a shutdown of the authenticator", .disputed) { context in
            let (session, _) = try await context.askedForCredential()
            try await session.send(MessageType.shutdown)
            try await session.goesNoFurther()
            throw Observation("ends with exit status \(try await context.peer.ended())")
        },
        group.survives("second-answer", "MUST survive a second answer", .secondHand) { context in
            let (session, _) = try await context.askedForCredential()
            try await session.send(MessageType.json, Array(right.utf8))
            try? await session.send(MessageType.json, Array(right.utf8))
            try await session.goesNoFurther()
            try await context.peer.ended()
        },
        group.survives("answer-before-request", "MUST survive an answer before its request", .secondHand) { context in
            let session = try await context.connected()
            let first = try await session.seal(ClientTestContext.firstMessageWithCredentials.encoded())
            let answer = try await session.seal([MessageType.json] + Array(right.utf8))
            await session.socket.send(raw: WireFrame(payload: first).bytes() + WireFrame(payload: answer).bytes())
            // If its request is on its way already, this answer cannot be told from one to it.
            try? await session.ends()
            await session.socket.close()
            try await context.peer.ended()
        },
    ]

    /// The point of a session at which the authenticator disconnects.
    private enum Place: String, CaseIterable {
        case beforeFirstMessage = "before-first-message"
        case beforeAnswer = "before-answer"
    }

    private static func reach(_ place: Place, _ context: ClientTestContext) async throws -> WebSocketEnd {
        switch place {
        case .beforeFirstMessage: try await context.connected().socket
        case .beforeAnswer: try await context.askedForCredential().session.socket
        }
    }
}
