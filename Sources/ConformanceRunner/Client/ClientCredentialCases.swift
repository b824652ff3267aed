internal import CBOR
internal import JSON

/// Cases of a client that asks for a digital credential: what it sends, and which answers it takes (PROTOCOL.md 7.2).
enum ClientCredentialCases {
    private typealias MessageType = PlayedSession.MessageType
    private typealias Messages = DigitalCredentialMessages

    private static let group = Group<ClientStage>(
        role: .client, name: "digital-credential", source: "CTAP 2.3 section 11.5.1.2, JSON messages")

    static let all =
        requests + good + offers + errors + badAnswers + badTexts + badMessages
        + group.survives(SessionLoss.ofAuthenticator, reach)

    // MARK: - The request

    private static func asks(
        _ name: String, _ rule: String, _ check: @escaping @Sendable (JSONValue) throws -> Void = { _ in }
    ) -> PlayedCase<ClientStage> {
        group.behaves(name, rule, .secondHand) { stage in
            let (_, request) = try await stage.askedForCredential()
            guard let json = try? JSONValue(parsing: request.span) else { throw Deviation("its request is no JSON") }
            try check(json)
        }
    }

    private static let requests = [
        group.behaves("hint", "the code of a client that asks for a digital credential has the hint dcp or dci") {
            stage in
            let hint = try await stage.start().map[TestCode.Key.hint]?.textValue
            try demand(hint == "dcp" || hint == "dci", "its hint is \(hint ?? "missing")")
        },
        asks("request", "a request is JSON in a message of type 3"),
        asks("origin", "a request names the origin of the site") {
            try demand($0["origin"]?.stringValue?.isEmpty == false, "its request names none")
        },
        asks("request-type", "a request is to show a credential or to take one") {
            let type = $0["requestType"]?.stringValue
            try demand(type == "credential.get" || type == "credential.create", "its type is \(type ?? "missing")")
        },
        asks("protocols", "each thing asked for has a protocol and data") {
            let options = $0["request"]?["digital"]?["requests"]?.arrayValue ?? []
            try demand(
                !options.isEmpty && options.allSatisfy { $0["protocol"]?.stringValue != nil && $0["data"] != nil },
                "its request has something without")
        },
    ]

    // MARK: - Good answers

    /// A credential, in another form than usual, that the client takes.
    private static func takes(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .secondHand,
        _ text: @escaping @Sendable () -> String
    ) -> PlayedCase<ClientStage> {
        group.behaves(name, rule, certainty) { stage in
            let (session, _) = try await stage.askedForCredential()
            try await session.send(MessageType.json, Array(text().utf8))
            try await stage.finish(session)
        }
    }

    private static var right: String { Messages.answer(["data": Messages.credential]) }

    private static let good = [
        takes("credential", "a credential is taken") { right },
        takes("unknown-members", "members that nobody knows are ignored") {
            (["future": 1, "response": ["future": [], "digital": ["data": Messages.credential, "future": .null]]]
                as JSONValue)
                .text
        },
        takes("spaces", "spaces between the parts of JSON mean nothing", .certain) {
            " \r\n\t" + right.replacing(",", with: " ,\n\t").replacing(":{", with: " : {") + "\n "
        },
        takes("escapes", "a character of JSON may be written as an escape", .certain) {
            right.replacing("response", with: #"respon\u0073e"#)
        },
        takes("256-kib", "a credential of 256 KiB is taken") {
            Messages.answer([
                "data": [
                    "protocol": .string(Messages.knownProtocol),
                    "data": .string(String(repeating: "x", count: 1 << 18)),
                ]
            ])
        },
        takes("other-protocol", "a credential of a protocol that was not asked for is taken", .disputed) {
            Messages.answer(["data": ["protocol": "future-protocol", "data": [:]]])
        },
        group.behaves("update-before-answer", "an update may come between a request and its answer") { stage in
            let (session, _) = try await stage.askedForCredential()
            try await session.send(MessageType.update, [0xA0])
            try await stage.give(session)
        },
        group.behaves("answer-late", "an answer may take a second and a half") { stage in
            let (session, _) = try await stage.askedForCredential()
            try await Task.sleep(for: UpgradeCases.delay)
            try await stage.give(session)
        },
        group.behaves("fragments", "an answer may come in fragments", source: "RFC 6455 section 5.4") { stage in
            let (session, _) = try await stage.askedForCredential()
            let frame = try await session.seal([MessageType.json] + Array(right.utf8))
            await session.socket.send(raw: WireFrame.fragments(frame, byteCount: 7).flatMap { $0.bytes() })
            try await stage.finish(session)
        },
    ]

    // MARK: - What is offered

    /// A first message after which nothing may be asked for.
    private static func keepsQuiet(
        _ name: String, _ rule: String, _ first: @escaping @Sendable () -> CBORMap
    ) -> PlayedCase<ClientStage> {
        group.refuses(name, rule, .secondHand) { stage in
            let session = try await stage.connected()
            try await session.send(first().encoded())
            try await stage.givesUp(session)
        }
    }

    private static func with(_ key: CBORValue, _ value: CBORValue?) -> CBORMap {
        var map = ClientStage.firstMessage
        map[key] = value
        return map
    }

    private static let offers = [
        group.behaves("offered-alone", "an authenticator may offer digital credentials alone", .secondHand) { stage in
            try await stage.give(try await stage.askedForCredential([3: [.text(Messages.feature)]]).session)
        },
        group.behaves("offered-among-others", "features that nobody knows are ignored", .secondHand) { stage in
            let first = with(3, ["future", .text(Messages.feature), "ctap"])
            try await stage.give(try await stage.askedForCredential(first).session)
        },
        keepsQuiet("not-offered", "without the feature dc nothing is asked for") { with(3, ["ctap"]) },
        keepsQuiet("no-features", "a first message without features means ctap alone") { with(3, nil) },
        keepsQuiet("unknown-features", "another feature is not dc") { with(3, ["ctap", "DC", "dc "]) },
        keepsQuiet("get-info-without-ctap", "getInfo is there if, and only if, the feature ctap is") {
            with(3, [.text(Messages.feature)])
        },
    ]

    // MARK: - Bad answers

    /// An answer after which the command does not end as if all had gone well.
    private static func fails(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .secondHand,
        _ bytes: @escaping @Sendable () -> [UInt8]
    ) -> PlayedCase<ClientStage> {
        group.refuses(name, rule, certainty) { stage in
            let (session, _) = try await stage.askedForCredential()
            try await session.send(MessageType.json, bytes())
            try await stage.givesUp(session)
        }
    }

    private static func fails(
        _ name: String, _ rule: String, json: @escaping @Sendable () -> JSONValue
    ) -> PlayedCase<ClientStage> {
        fails(name, rule) { Array(json().text.utf8) }
    }

    private static let errors = ["USER_CANCELED", "DEVICE_ABORTED", "NO_CREDENTIAL", "FUTURE", ""].map { error in
        fails(
            "error-\(error.isEmpty ? "empty" : error.lowercased().replacing("_", with: "-"))",
            "the error \(error.isEmpty ? "without a name" : error) is no credential"
        ) {
            Array(Messages.answer(["error": .string(error)]).utf8)
        }
    }

    private static func lacks(
        _ name: String, _ rule: String, _ digital: @escaping @Sendable () -> JSONValue
    ) -> PlayedCase<ClientStage> {
        fails(name, rule) { Array(Messages.answer(digital()).utf8) }
    }

    private static let badAnswers = [
        fails("array", "an answer is an object", json: { [] }),
        fails("empty-object", "an answer has a response", json: { [:] }),
        fails("response-text", "a response is an object", json: { ["response": "yes"] }),
        fails("no-digital", "a response says what it is of", json: { ["response": [:]] }),
        lacks("digital-text", "what is under digital is an object") { "yes" },
        lacks("no-data", "an answer has an error or data") { [:] },
        lacks("data-text", "a credential is an object") { ["data": "yes"] },
        lacks("no-protocol", "a credential names its protocol") { ["data": ["data": [:]]] },
        lacks("protocol-number", "the name of a protocol is text") { ["data": ["protocol": 1, "data": [:]]] },
        lacks("no-credential", "a credential has data") { ["data": ["protocol": .string(Messages.knownProtocol)]] },
        lacks("error-number", "an error is text") { ["error": 7] },
        lacks("error-and-data", "an answer with an error is no credential") {
            ["error": "USER_CANCELED", "data": Messages.credential]
        },
    ]

    private static let badTexts = [
        fails("no-json", "a JSON message holds JSON", .certain) { Array("yes".utf8) },
        fails("cbor", "CBOR is no JSON", .certain) { [0xA1, 0x01, 0x02] },
        fails("truncated", "JSON is whole", .certain) { Array(right.utf8.dropLast()) },
        fails("trailing", "nothing follows the JSON", .certain) { Array((right + "{}").utf8) },
        fails("invalid-utf-8", "JSON is UTF-8", .certain) {
            Array(right.utf8).map { $0 == UInt8(ascii: "-") ? 0xFF : $0 }
        },
        fails("control-character", "JSON has no bare control characters in texts", .certain) {
            Array(right.utf8).map { $0 == UInt8(ascii: "-") ? 0 : $0 }
        },
        fails("deep", "nobody follows a hundred thousand arrays") {
            [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        },
        fails("empty", "a JSON message is not empty") { [] },
        fails("nearly-1-mib", "a megabyte of spaces is no answer") {
            [UInt8](repeating: UInt8(ascii: " "), count: (1 << 20) - 2_048)
        },
    ]

    // MARK: - Other messages

    private static let badMessages = [
        group.refuses("ctap-answer", "an answer has the type of its request") { stage in
            let (session, _) = try await stage.askedForCredential()
            try await session.send(MessageType.ctap, [0, 0xA0])
            // To whoever passes the mistake over, the right answer comes after it.
            try? await session.send(MessageType.json, Array(right.utf8))
            try await stage.givesUp(session)
        },
        group.refuses("unknown-type", "an unknown type is no answer", .secondHand) { stage in
            let (session, _) = try await stage.askedForCredential()
            try await session.send(4, Array(right.utf8))
            try? await session.send(MessageType.json, Array(right.utf8))
            try await stage.givesUp(session)
        },
        group.behaves("shutdown", "a shutdown from the authenticator ends the session", .disputed) { stage in
            let (session, _) = try await stage.askedForCredential()
            try await session.send(MessageType.shutdown)
            try await session.goesNoFurther()
            throw Observation("ends with exit status \(try await stage.peer.ended())")
        },
        group.survives("second-answer", "a second answer does no harm", .secondHand) { stage in
            let (session, _) = try await stage.askedForCredential()
            try await session.send(MessageType.json, Array(right.utf8))
            try? await session.send(MessageType.json, Array(right.utf8))
            try await session.goesNoFurther()
            try await stage.peer.ended()
        },
        group.survives("answer-before-request", "an answer before its request does no harm", .secondHand) { stage in
            let session = try await stage.connected()
            let first = try await session.seal(ClientStage.offersCredentials.encoded())
            let answer = try await session.seal([MessageType.json] + Array(right.utf8))
            await session.socket.send(raw: WireFrame(payload: first).bytes() + WireFrame(payload: answer).bytes())
            // Its request may be on its way, and then nothing tells this answer from one to it.
            try? await session.ends()
            await session.socket.close()
            try await stage.peer.ended()
        },
    ]

    /// Where in a session an authenticator is when it goes away.
    private enum Place: String, CaseIterable {
        case beforeFirstMessage = "before-first-message"
        case beforeAnswer = "before-answer"
    }

    private static func reach(_ place: Place, _ stage: ClientStage) async throws -> WebSocketEnd {
        switch place {
        case .beforeFirstMessage: try await stage.connected().socket
        case .beforeAnswer: try await stage.askedForCredential().session.socket
        }
    }
}
