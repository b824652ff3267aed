internal import CTAP
internal import Encodings

/// Cases of an authenticator's session after the handshake: its first message, and which messages it takes.
enum AuthenticatorSessionCases {
    private typealias MessageType = TunnelSession.MessageType

    private static let first = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "first-message", rule: "HT-MSG-1")
    private static let messages = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "message", rule: "HT-MSG-17")

    static let all = firstMessages + goodMessages + badMessages

    // MARK: - The first message

    private static func says(
        _ name: String, _ requirement: String, rule: String? = nil,
        check: @escaping @Sendable (CBORMap, TunnelSession) async throws -> Void
    ) -> ScriptedCase<AuthenticatorTestContext> {
        first.behaves(name, requirement, rule: rule) { context in
            let session = try await context.connected()
            try await check(try await context.firstMessage(session), session)
        }
    }

    private static let firstMessages = [
        says("unasked", "send the first message without being asked") { _, _ in },
        first.behaves("canonical", "sort the keys of its first message: canonical CBOR", rule: "HT-CBOR-3") {
            context in
            if let fault = CanonicalForm.fault(try await context.connected().next("its first message")) {
                throw Deviation("its first message is not canonical CBOR: \(fault)")
            }
        },
        says(
            "get-info", "put getInfo's response under key 1 of the first message, without a status byte",
            rule: "HT-MSG-3"
        ) {
            map, _ in
            guard let bytes = map[1]?.bytesValue else { throw Deviation("its first message has no bytes under key 1") }
            do throws(CTAPError) { _ = try GetInfoResponse(decoding: bytes.span) } catch {
                throw Deviation("its getInfo cannot be read: \(error.reason)")
            }
        },
        says("versions", "name a version of FIDO2 in getInfo", rule: "HT-CTAP-18") { map, _ in
            let bytes = map[1]?.bytesValue ?? []
            let versions = (try? GetInfoResponse(decoding: bytes.span))?.versions ?? []
            try demand(versions.contains { $0.hasPrefix("FIDO_2_") }, "it names the versions \(versions)")
        },
        says("transports", "name the transport hybrid or cable in getInfo", rule: "HT-CTAP-20") {
            map, _ in
            let bytes = map[1]?.bytesValue ?? []
            let transports = (try? GetInfoResponse(decoding: bytes.span))?.transports ?? []
            try demand(
                transports.contains("hybrid") || transports.contains("cable"), "it names the transports \(transports)")
        },
        says("features", "list the feature ctap, if it lists any, when it sends getInfo", rule: "HT-MSG-4") {
            map, _ in
            guard let features = map[3] else { return }
            guard let list = features.arrayValue else { throw Deviation("key 3 of its first message is not a list") }
            try demand(list.contains("ctap"), "its features lack ctap although getInfo is there")
        },
        says(
            "no-linking", "not send linking data unless the QR code has key 4 true", rule: "HT-LNK-1"
        ) { map, _ in
            try demand(map[2] == nil, "its first message has linking data")
        },
        says("padded-length", "pad its frames to multiples of 32 bytes", rule: "HT-FRM-2") { _, session in
            let length = await session.frames[0].count - Direction.tagByteCount
            try demand(length % Direction.blockByteCount == 0, "its first frame holds \(length) bytes")
        },
        first.behaves("client-late", "accept a request 1.5 seconds after the first message", rule: "HT-MSG-40") {
            context in
            let session = try await context.ready()
            try await Task.sleep(for: UpgradeCases.delay)
            try await context.complete(session)
        },
        first.behaves("updates", "send an update after the first message", rule: "HT-LNK-15") {
            context in
            let session = try await context.ready()
            let update = try? await within(.seconds(1), "an update") { try await session.next() }
            throw ObservedBehaviour(
                update?.first == MessageType.update ? "sends an update" : "sends none within a second")
        },
    ]

    // MARK: - Messages

    private static let goodMessages = [
        messages.behaves(
            "shutdown-at-once", "end when the client shuts the session down without a request", rule: "HT-MSG-51"
        ) {
            context in
            let session = try await context.ready()
            try await session.send(MessageType.shutdown)
            try await session.ends()
            try await context.peer.ended()
        },
        messages.behaves(
            "close-after-answer", "end normally when the client closes after an answer, without a shutdown",
            rule: "HT-MSG-34"
        ) {
            context in
            let session = try await context.ready()
            _ = try await context.ask(session, AuthenticatorTestContext.makeCredential())
            try await context.finish(session)
        },
        messages.behaves(
            "update-ignored", "go on after an update from the client", rule: "HT-MSG-48"
        ) { context in
            let session = try await context.ready()
            try await session.send(MessageType.update, [0xA0])
            try await context.complete(session)
        },
        // One approval is one operation: a client that may go on asking finds out for which sites there are passkeys.
        messages.behaves(
            "second-request", "not serve a second operation after one that succeeded",
            rule: "HT-CTAP-48"
        ) {
            context in
            try await context.servesOneOperation(try await context.ready())
        },
        messages.behaves("get-info-request", "answer a getInfo request", rule: "HT-CTAP-17") { context in
            let session = try await context.ready()
            let answer = try await context.ask(session, [CTAPCommand.getInfo.rawValue])
            throw ObservedBehaviour("answers it with status \(hexadecimal(answer.status))")
        },
        messages.behaves(
            "shutdown-with-payload", "end on a shutdown that carries a payload", rule: "HT-MSG-33"
        ) {
            context in
            let session = try await context.ready()
            try await session.send(MessageType.shutdown, [1, 2, 3])
            try await session.goesNoFurther()
            let status = try await context.peer.ended()
            throw ObservedBehaviour("ends with exit status \(status)")
        },
    ]

    private static func refusesMessage(
        _ name: String, _ requirement: String, rule: String? = nil,
        message: [UInt8]
    ) -> ScriptedCase<AuthenticatorTestContext> {
        messages.refuses(name, requirement, rule: rule) { context in
            let session = try await context.ready()
            try await session.send(message)
            await session.mistakeIsSent()
            // A peer that ignores the mistake finds a right request after it.
            try await session.send([MessageType.ctap] + AuthenticatorTestContext.makeCredential())
            try await context.givesUp(session)
        }
    }

    private static let badMessages =
        [4, 5, 16, 127, 128, 255].map { type in
            refusesMessage(
                "type-\(type)", "refuse a message of the unknown type \(type)",
                message: [UInt8(type), 1, 2, 3])
        } + [
            refusesMessage(
                "ctap-without-command", "refuse a CTAP request without a command byte",
                rule: "HT-CTAP-3",
                message: [MessageType.ctap]),
            refusesMessage("type-alone-255", "refuse a message of the single byte 255", message: [255]),
            messages.refuses(
                "json-not-offered", "refuse a JSON message unless it offered the feature dc",
                rule: "HT-DC-5"
            ) {
                context in
                let session = try await context.connected()
                let features = try await context.firstMessage(session)[3]?.arrayValue ?? []
                guard !features.contains("dc") else { throw NotApplicable("it offers digital credentials") }
                try await session.send(MessageType.json, Array("{}".utf8))
                try await context.givesUp(session)
            },
            messages.survives(
                "two-requests", "survive a second request before the first answer",
                rule: "HT-MSG-21"
            ) {
                context in
                let session = try await context.ready()
                let request = [MessageType.ctap] + AuthenticatorTestContext.makeCredential()
                let both = try await session.seal(request), second = try await session.seal(request)
                await session.socket.send(raw: WireFrame(payload: both).bytes() + WireFrame(payload: second).bytes())
                try? await session.ends()
                await session.socket.close()
                try await context.peer.ended()
            },
            messages.survives(
                "revision-0-request", "survive a request without a type byte", rule: "HT-MSG-16"
            ) {
                context in
                let session = try await context.ready()
                try await session.send(AuthenticatorTestContext.makeCredential())
                try? await within(.seconds(1), "an answer") { _ = try await session.next() }
                await session.socket.close()
                try await context.peer.ended()
            },
            messages.survives(
                "1-mib-request", "survive a request of nearly 1 MiB", rule: "HT-TUN-75"
            ) { context in
                let session = try await context.ready()
                let request = [UInt8](repeating: 0x55, count: (1 << 20) - 2_048)
                try await session.send(MessageType.ctap, request)
                try? await within(.seconds(1), "an answer") { _ = try await session.next() }
                await session.socket.close()
                try await context.peer.ended()
            },
        ]
}
