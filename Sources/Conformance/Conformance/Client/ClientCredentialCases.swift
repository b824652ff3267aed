internal import Encodings

/// Cases of a client that asks for a digital credential: the messages that it sends, and the answers that it takes (the
/// article DigitalCredentials of HybridProtocol).
enum ClientCredentialCases {
    private typealias MessageType = TunnelSession.MessageType
    private typealias Messages = DigitalCredentialMessages

    private static let group = CaseGroup<ClientTestContext>(
        role: .client, name: "digital-credential", rule: "HT-DC-9", profile: .digitalCredentials)

    static let all =
        requests + good + offers + errors + badAnswers + badTexts + badMessages
        + group.survives(SessionLoss.ofAuthenticator, reach)

    // MARK: - The request

    private static func asks(
        _ name: String, _ requirement: String, rule: String,
        _ check: @escaping @Sendable (JSONValue) throws -> Void = { _ in }
    ) -> ScriptedCase<ClientTestContext> {
        group.behaves(name, requirement, rule: rule) { context in
            let (_, request) = try await context.askedForCredential()
            guard let json = try? JSONValue(parsing: request.span) else { throw Deviation("its request is not JSON") }
            try check(json)
        }
    }

    private static let requests = [
        group.behaves("hint", "put the hint dcp or dci into the QR code of a credential request", rule: "HT-DC-1") {
            context in
            let hint = try await context.start().map[InvitationKey.hint]?.textValue
            try demand(hint == "dcp" || hint == "dci", "its hint is \(hint ?? "missing")")
        },
        asks("request", "send its request as JSON in a message of type 3", rule: "HT-DC-9"),
        asks("origin", "name the site's origin in its request", rule: "HT-DC-17") {
            try demand($0["origin"]?.stringValue?.isEmpty == false, "its request names no origin")
        },
        asks("request-type", "send a request of type credential.get or credential.create", rule: "HT-DC-18") {
            let type = $0["requestType"]?.stringValue
            try demand(
                type == "credential.get" || type == "credential.create",
                "the type of its request is \(type ?? "missing")")
        },
        asks("protocols", "give a protocol and data for each entry of its request", rule: "HT-DC-19") {
            let options = $0["request"]?["digital"]?["requests"]?.arrayValue ?? []
            try demand(
                !options.isEmpty && options.allSatisfy { $0["protocol"]?.stringValue != nil && $0["data"] != nil },
                "an entry of its request has no protocol or no data")
        },
    ]

    // MARK: - Good answers

    /// A credential, in another form than usual, that the client takes.
    private static func takes(
        _ name: String, _ requirement: String,
        rule: String, text: @escaping @Sendable () -> String
    ) -> ScriptedCase<ClientTestContext> {
        group.behaves(name, requirement, rule: rule) { context in
            let (session, _) = try await context.askedForCredential()
            try await session.send(MessageType.json, Array(text().utf8))
            try await context.finish(session)
        }
    }

    private static var right: String { Messages.answer(["data": Messages.credential]) }

    private static let good = [
        takes("credential", "accept a credential", rule: "HT-DC-28") { right },
        takes("unknown-members", "ignore unknown members", rule: "HT-DC-16") {
            (["future": 1, "response": ["future": [], "digital": ["data": Messages.credential, "future": .null]]]
                as JSONValue)
                .text
        },
        takes("spaces", "accept white space between JSON tokens", rule: "HT-DC-10") {
            " \r\n\t" + right.replacing(",", with: " ,\n\t").replacing(":{", with: " : {") + "\n "
        },
        takes("escapes", "accept escaped characters in JSON strings", rule: "HT-DC-10") {
            right.replacing("response", with: #"respon\u0073e"#)
        },
        takes("256-kib", "accept a credential of 256 KiB", rule: "HT-DC-34") {
            Messages.answer([
                "data": [
                    "protocol": .string(Messages.knownProtocol),
                    "data": .string(String(repeating: "x", count: 1 << 18)),
                ]
            ])
        },
        takes(
            "other-protocol", "accept a credential of a protocol that it did not request",
            rule: "HT-DC-39"
        ) {
            Messages.answer(["data": ["protocol": "future-protocol", "data": [:]]])
        },
        group.behaves(
            "update-before-answer", "accept an update between its request and the answer", rule: "HT-MSG-27"
        ) { context in
            let (session, _) = try await context.askedForCredential()
            try await session.send(MessageType.update, [0xA0])
            try await context.sendCredential(session)
        },
        group.behaves("answer-late", "accept an answer that takes 1.5 seconds", rule: "HT-MSG-40") { context in
            let (session, _) = try await context.askedForCredential()
            try await Task.sleep(for: UpgradeCases.delay)
            try await context.sendCredential(session)
        },
        group.behaves("fragments", "accept an answer in several WebSocket frames", rule: "HT-TUN-61") { context in
            let (session, _) = try await context.askedForCredential()
            let frame = try await session.seal([MessageType.json] + Array(right.utf8))
            await session.socket.send(raw: WireFrame.fragments(frame, byteCount: 7).flatMap { $0.bytes() })
            try await context.finish(session)
        },
    ]

    // MARK: - The authenticator's offer

    /// A first message after which nothing may be asked for.
    private static func sendsNoRequest(
        _ name: String, _ requirement: String, rule: String, _ first: @escaping @Sendable () -> CBORMap
    ) -> ScriptedCase<ClientTestContext> {
        group.refuses(name, requirement, rule: rule) { context in
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
        group.behaves("offered-alone", "accept the feature dc without ctap", rule: "HT-DC-6") {
            context in
            try await context.sendCredential(
                try await context.askedForCredential([3: [.text(Messages.feature)]]).session)
        },
        group.behaves("offered-among-others", "ignore unknown features", rule: "HT-MSG-9") {
            context in
            let first = with(3, ["future", .text(Messages.feature), "ctap"])
            try await context.sendCredential(try await context.askedForCredential(first).session)
        },
        sendsNoRequest("not-offered", "not request a credential without the feature dc", rule: "HT-DC-3") {
            with(3, ["ctap"])
        },
        sendsNoRequest(
            "no-features", "not request a credential from an authenticator that lists no features", rule: "HT-DC-3"
        ) {
            with(3, nil)
        },
        sendsNoRequest("unknown-features", "not take DC, or dc with a space, for the feature dc", rule: "HT-DC-4") {
            with(3, ["ctap", "DC", "dc "])
        },
        sendsNoRequest("get-info-without-ctap", "refuse getInfo with features that lack ctap", rule: "HT-MSG-8") {
            with(3, [.text(Messages.feature)])
        },
    ]

    // MARK: - Bad answers

    /// An answer after which the command ends with a failure.
    private static func fails(
        _ name: String, _ requirement: String,
        rule: String, bytes: @escaping @Sendable () -> [UInt8]
    ) -> ScriptedCase<ClientTestContext> {
        group.refuses(name, requirement, rule: rule) { context in
            let (session, _) = try await context.askedForCredential()
            try await session.send(MessageType.json, bytes())
            try await context.givesUp(session)
        }
    }

    private static func fails(
        _ name: String, _ requirement: String, rule: String, json: @escaping @Sendable () -> JSONValue
    ) -> ScriptedCase<ClientTestContext> {
        fails(name, requirement, rule: rule) { Array(json().text.utf8) }
    }

    private static let errors = ["USER_CANCELED", "DEVICE_ABORTED", "NO_CREDENTIAL", "FUTURE", ""].map { error in
        fails(
            "error-\(error.isEmpty ? "empty" : error.lowercased().replacing("_", with: "-"))",
            "fail on \(error.isEmpty ? "an error without a name" : "the error \(error)")", rule: "HT-DC-35"
        ) {
            Array(Messages.answer(["error": .string(error)]).utf8)
        }
    }

    private static func lacks(
        _ name: String, _ requirement: String, rule: String, _ digital: @escaping @Sendable () -> JSONValue
    ) -> ScriptedCase<ClientTestContext> {
        fails(name, requirement, rule: rule) { Array(Messages.answer(digital()).utf8) }
    }

    private static let badAnswers = [
        fails("array", "refuse an answer that is an array", rule: "HT-DC-36", json: { [] }),
        fails("empty-object", "refuse an answer without a response", rule: "HT-DC-36", json: { [:] }),
        fails(
            "response-text", "refuse a response that is a string", rule: "HT-DC-36",
            json: { ["response": "yes"] }),
        fails(
            "no-digital", "refuse a response without the member digital", rule: "HT-DC-36",
            json: { ["response": [:]] }),
        lacks("digital-text", "refuse a member digital that is a string", rule: "HT-DC-36") { "yes" },
        lacks("no-data", "refuse an answer with neither an error nor data", rule: "HT-DC-36") { [:] },
        lacks("data-text", "refuse a credential that is a string", rule: "HT-DC-37") { ["data": "yes"] },
        lacks("no-protocol", "refuse a credential without a protocol", rule: "HT-DC-37") {
            ["data": ["data": [:]]]
        },
        lacks("protocol-number", "refuse a credential whose protocol is a number", rule: "HT-DC-37") {
            ["data": ["protocol": 1, "data": [:]]]
        },
        lacks("no-credential", "refuse a credential without data", rule: "HT-DC-37") {
            ["data": ["protocol": .string(Messages.knownProtocol)]]
        },
        lacks("error-number", "refuse an error that is a number", rule: "HT-DC-38") { ["error": 7] },
        lacks("error-and-data", "refuse an answer with both an error and data", rule: "HT-DC-35") {
            ["error": "USER_CANCELED", "data": Messages.credential]
        },
    ]

    private static let badTexts = [
        fails("no-json", "refuse a JSON message that is not JSON", rule: "HT-DC-11") {
            Array("yes".utf8)
        },
        fails("cbor", "refuse CBOR in a JSON message", rule: "HT-DC-11") { [0xA1, 0x01, 0x02] },
        fails("truncated", "refuse truncated JSON", rule: "HT-DC-11") { Array(right.utf8.dropLast()) },
        fails("trailing", "refuse JSON with trailing bytes", rule: "HT-DC-11") {
            Array((right + "{}").utf8)
        },
        fails("invalid-utf-8", "refuse JSON that is not UTF-8", rule: "HT-DC-12") {
            Array(right.utf8).map { $0 == UInt8(ascii: "-") ? 0xFF : $0 }
        },
        fails(
            "control-character", "refuse a string with an unescaped control character", rule: "HT-DC-11"
        ) {
            Array(right.utf8).map { $0 == UInt8(ascii: "-") ? 0 : $0 }
        },
        fails("deep", "refuse 100,000 nested arrays", rule: "HT-DC-14") {
            [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        },
        fails("empty", "refuse an empty JSON message", rule: "HT-DC-13") { [] },
        fails("nearly-1-mib", "refuse nearly 1 MiB of spaces", rule: "HT-DC-11") {
            [UInt8](repeating: UInt8(ascii: " "), count: (1 << 20) - 2_048)
        },
    ]

    // MARK: - Other messages

    private static let badMessages = [
        group.refuses("ctap-answer", "refuse a CTAP answer to a JSON request", rule: "HT-MSG-25") { context in
            let (session, _) = try await context.askedForCredential()
            try await session.send(MessageType.ctap, [0, 0xA0])
            await session.mistakeIsSent()
            // A peer that ignores the mistake finds the right answer after it.
            try? await session.send(MessageType.json, Array(right.utf8))
            try await context.givesUp(session)
        },
        group.refuses(
            "unknown-type", "refuse an answer in a message of unknown type", rule: "HT-MSG-17"
        ) { context in
            let (session, _) = try await context.askedForCredential()
            try await session.send(4, Array(right.utf8))
            await session.mistakeIsSent()
            try? await session.send(MessageType.json, Array(right.utf8))
            try await context.givesUp(session)
        },
        group.behaves(
            "shutdown", "end the session on a shutdown of the authenticator", rule: "HT-MSG-36"
        ) { context in
            let (session, _) = try await context.askedForCredential()
            try await session.send(MessageType.shutdown)
            try await session.goesNoFurther()
            throw ObservedBehaviour("ends with exit status \(try await context.peer.ended())")
        },
        group.survives("second-answer", "survive a second answer", rule: "HT-MSG-23") { context in
            let (session, _) = try await context.askedForCredential()
            try await session.sendTwice([MessageType.json] + Array(right.utf8))
            try await session.goesNoFurther()
            try await context.peer.ended()
        },
        group.survives(
            "answer-before-request", "survive an answer before its request", rule: "HT-MSG-23"
        ) { context in
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
