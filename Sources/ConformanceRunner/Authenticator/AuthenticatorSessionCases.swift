internal import CBOR
internal import CTAP

/// Cases of an authenticator's session after the handshake: its first message, and which messages it takes.
enum AuthenticatorSessionCases {
    private typealias MessageType = PlayedSession.MessageType

    private static let first = Group<AuthenticatorStage>(
        role: .authenticator, name: "first-message", source: "CTAP 2.2 section 11.5.1, after the handshake")
    private static let messages = Group<AuthenticatorStage>(
        role: .authenticator, name: "message", source: "CTAP 2.2 section 11.5.1, message types")

    static let all = firstMessages + goodMessages + badMessages

    // MARK: - The first message

    private static func says(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ check: @escaping @Sendable (CBORMap, PlayedSession) async throws -> Void
    ) -> PlayedCase<AuthenticatorStage> {
        first.behaves(name, rule, certainty) { stage in
            let session = try await stage.connected()
            try await check(try await stage.firstMessage(session), session)
        }
    }

    private static let firstMessages = [
        says("unasked", "the first message comes without being asked for") { _, _ in },
        says("get-info", "the first message holds getInfo's answer under key 1, without a status byte") { map, _ in
            guard let bytes = map[1]?.bytesValue else { throw Deviation("its first message has no bytes under key 1") }
            do throws(CTAPError) { _ = try GetInfoResponse(decoding: bytes.span) } catch {
                throw Deviation("its getInfo cannot be read: \(error.reason)")
            }
        },
        says("versions", "getInfo names a version of FIDO2") { map, _ in
            let bytes = map[1]?.bytesValue ?? []
            let versions = (try? GetInfoResponse(decoding: bytes.span))?.versions ?? []
            try demand(versions.contains { $0.hasPrefix("FIDO_2_") }, "it names the versions \(versions)")
        },
        says("transports", "getInfo names the transport hybrid or cable", .secondHand) { map, _ in
            let bytes = map[1]?.bytesValue ?? []
            let transports = (try? GetInfoResponse(decoding: bytes.span))?.transports ?? []
            try demand(
                transports.contains("hybrid") || transports.contains("cable"), "it names the transports \(transports)")
        },
        says("features", "a session with getInfo has the feature ctap") { map, _ in
            guard let features = map[3] else { return }
            guard let list = features.arrayValue else { throw Deviation("key 3 of its first message is no list") }
            try demand(list.contains("ctap"), "its features lack ctap although getInfo is there")
        },
        says("no-linking", "no linking data is sent unless the code has key 4 true", .secondHand) { map, _ in
            try demand(map[2] == nil, "its first message has linking data")
        },
        says("padded-length", "frames are padded to multiples of 32 bytes") { _, session in
            let length = await session.frames[0].count - Direction.tagByteCount
            try demand(length % Direction.blockByteCount == 0, "its first frame holds \(length) bytes")
        },
        first.behaves("client-late", "a request may come a second and a half after the first message") { stage in
            let session = try await stage.ready()
            try await Task.sleep(for: UpgradeCases.delay)
            try await stage.complete(session)
        },
        first.behaves("updates", "whether an update follows the first message", .disputed) { stage in
            let session = try await stage.ready()
            let update = try? await within(.seconds(1), "an update") { try await session.next() }
            throw Observation(update?.first == MessageType.update ? "sends an update" : "sends none within a second")
        },
    ]

    // MARK: - Messages

    private static let goodMessages = [
        messages.behaves("shutdown-at-once", "a client may shut down without a request") { stage in
            let session = try await stage.ready()
            try await session.send(MessageType.shutdown)
            try await session.ends()
            try await stage.peer.ended()
        },
        messages.behaves("close-after-answer", "a client may close without a shutdown, as libwebauthn does") { stage in
            let session = try await stage.ready()
            _ = try await stage.ask(session, AuthenticatorStage.makeCredential())
            try await stage.finish(session)
        },
        messages.behaves("second-request", "a second request after the first answer is answered", .disputed) { stage in
            let session = try await stage.ready()
            _ = try await stage.ask(session, AuthenticatorStage.makeCredential())
            try await stage.complete(session)
        },
        messages.behaves("get-info-request", "a bare getInfo is answered", .disputed) { stage in
            let session = try await stage.ready()
            let answer = try await stage.ask(session, [CTAPCommand.getInfo.rawValue])
            throw Observation("answers it with status \(hexadecimal(answer.status))")
        },
        messages.behaves("shutdown-with-payload", "a shutdown carries nothing", .disputed) { stage in
            let session = try await stage.ready()
            try await session.send(MessageType.shutdown, [1, 2, 3])
            try await session.goesNoFurther()
            let status = try await stage.peer.ended()
            throw Observation("ends with exit status \(status)")
        },
    ]

    private static func refusesMessage(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain, _ message: [UInt8]
    ) -> PlayedCase<AuthenticatorStage> {
        messages.refuses(name, rule, certainty) { stage in
            let session = try await stage.ready()
            try await session.send(message)
            // To whoever passes the mistake over, a right request comes after it.
            try await session.send([MessageType.ctap] + AuthenticatorStage.makeCredential())
            try await stage.givesUp(session)
        }
    }

    private static let badMessages =
        [4, 5, 16, 127, 128, 255].map { type in
            refusesMessage("type-\(type)", "the type \(type) is unknown", .secondHand, [UInt8(type), 1, 2, 3])
        } + [
            refusesMessage("ctap-without-command", "a CTAP request has a command byte", .certain, [MessageType.ctap]),
            refusesMessage(
                "update-from-client", "an update comes from the authenticator alone", .secondHand,
                [
                    MessageType.update, 0xA0,
                ]),
            refusesMessage("type-alone-255", "a single byte that is no type is no message", .certain, [255]),
            messages.refuses("json-not-offered", "JSON is not taken where the feature dc is not offered", .secondHand) {
                stage in
                let session = try await stage.connected()
                let features = try await stage.firstMessage(session)[3]?.arrayValue ?? []
                guard !features.contains("dc") else { throw NotApplicable("it offers digital credentials") }
                try await session.send(MessageType.json, Array("{}".utf8))
                try await stage.givesUp(session)
            },
            messages.survives("two-requests", "a second request before the first answer does no harm", .secondHand) {
                stage in
                let session = try await stage.ready()
                let request = try [MessageType.ctap] + AuthenticatorStage.makeCredential()
                let both = try await session.seal(request), second = try await session.seal(request)
                await session.socket.send(raw: WireFrame(payload: both).bytes() + WireFrame(payload: second).bytes())
                try? await session.ends()
                await session.socket.close()
                try await stage.peer.ended()
            },
            messages.survives("revision-0-request", "a request without a type byte does no harm", .secondHand) {
                stage in
                let session = try await stage.ready()
                try await session.send(AuthenticatorStage.makeCredential())
                try? await within(.seconds(1), "an answer") { _ = try await session.next() }
                await session.socket.close()
                try await stage.peer.ended()
            },
            messages.survives("1-mib-request", "a request of nearly 1 MiB does no harm", .secondHand) { stage in
                let session = try await stage.ready()
                let request = [UInt8](repeating: 0x55, count: (1 << 20) - 2_048)
                try await session.send(MessageType.ctap, request)
                try? await within(.seconds(1), "an answer") { _ = try await session.next() }
                await session.socket.close()
                try await stage.peer.ended()
            },
        ]
}
