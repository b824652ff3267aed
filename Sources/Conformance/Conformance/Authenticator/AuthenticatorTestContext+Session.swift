internal import CTAP
internal import Cryptography
internal import Encodings

extension AuthenticatorTestContext {
    /// Reads the first message (HT-MSG-2).
    func firstMessage(_ session: ScriptedSession<some MessageEnd>) async throws -> CBORMap {
        let message = try await session.next("its first message")
        do {
            guard let map = try CBORValue.decodeLenient(message.span).mapValue else {
                throw Deviation("its first message is not a map")
            }
            let features = map[3]?.arrayValue ?? []
            peer.record.note(edition: features.contains(.text(DigitalCredentialMessages.feature)) ? .ctap23 : .ctap22)
            peer.record.noteForm(
                of: message, "first message", case: "authenticator/first-message/canonical", rule: "HT-CBOR-3")
            return map
        } catch let error as CBORError {
            throw Deviation("its first message is not CBOR: \(error.reason)")
        }
    }

    /// A request that makes a passkey for a site that does not exist.
    ///
    /// - Parameters:
    ///   - name: the account's name, by whose length the request gets its own.
    ///   - userID: the account's ID: 1 to 64 bytes.
    static func makeCredential(
        name: String = "conformance", userID: [UInt8] = Array("conformance".utf8)
    ) -> [UInt8] {
        CTAPRequest.makeCredential(
            MakeCredentialRequest(
                clientDataHash: randomBytes(count: MakeCredentialRequest.clientDataHashByteCount),
                rp: PublicKeyCredentialRpEntity(id: "conformance.example", name: "Conformance"),
                user: PublicKeyCredentialUserEntity(
                    id: userID, name: name, displayName: "Conformance Runner"),
                parameters: [PublicKeyCredentialParameters(algorithm: .es256)],
                options: RequestOptions(residentKey: true, userVerification: true))
        ).encoded()
    }

    /// A request for an assertion for a site without passkeys.
    static func getAssertion() -> [UInt8] {
        CTAPRequest.getAssertion(
            GetAssertionRequest(
                rpID: "nobody.conformance.example", clientDataHash: [UInt8](repeating: 1, count: 32),
                options: RequestOptions(userVerification: true))
        ).encoded()
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Returns: the status byte and the bytes behind it.
    func ask(_ session: ScriptedSession<some MessageEnd>, _ request: [UInt8]) async throws -> (
        status: UInt8, payload: [UInt8]
    ) {
        try await session.send(TunnelSession.MessageType.ctap, request)
        return try await answer(session)
    }

    /// Goes through a session up to a new passkey.
    ///
    /// - Returns: its authenticator data, with the flags at index 32.
    func authenticatorData() async throws -> [UInt8] {
        let session = try await ready()
        let answer = try await ask(session, Self.makeCredential())
        try demand(answer.status == CTAPStatus.ok.rawValue, "it answers with status \(hexadecimal(answer.status))")
        let response = try? MakeCredentialResponse(decoding: CanonicalForm.of(answer.payload).span)
        guard let data = response?.authenticatorData, data.count > 32 else {
            throw Deviation("its answer has no authenticator data")
        }
        return data
    }

    /// Waits for the answer to a request that was sent.
    func answer(_ session: ScriptedSession<some MessageEnd>) async throws -> (status: UInt8, payload: [UInt8]) {
        let answer = try await session.next(TunnelSession.MessageType.ctap, "its answer")
        guard let status = answer.first else { throw Deviation("its answer has no status byte") }
        return (status, Array(answer.dropFirst()))
    }

    /// Goes through the rest of a session that is ready: makes a passkey, shuts down, and waits until the command has
    /// ended well.
    func complete(_ session: ScriptedSession<some MessageEnd>, request: [UInt8]? = nil) async throws {
        try await session.send(TunnelSession.MessageType.ctap, request ?? Self.makeCredential())
        try await completeAnswer(session)
    }

    /// Waits for the answer to a request for a passkey that was sent, and goes through the rest.
    func completeAnswer(_ session: ScriptedSession<some MessageEnd>) async throws {
        let answer = try await answer(session)
        guard answer.status == CTAPStatus.ok.rawValue else {
            throw Deviation("it refuses makeCredential with status \(hexadecimal(answer.status))")
        }
        peer.record.noteForm(
            of: answer.payload, "answer", case: "authenticator/ctap/answer-canonical", rule: "HT-CTAP-4")
        do { _ = try MakeCredentialResponse(decoding: CanonicalForm.of(answer.payload).span) } catch {
            throw Deviation("its answer to makeCredential cannot be read: \(error.reason)")
        }
        try await session.send(TunnelSession.MessageType.shutdown)
        await session.socket.close()
        let status = try await peer.ended()
        guard status == 0 else {
            throw UnexplainedEnd("its session went well, and it ended with exit status \(status) all the same")
        }
    }

    /// Demands that a session in which a passkey was made serves no other request for one, and that the command ends.
    func servesOneOperation(_ session: ScriptedSession<some MessageEnd>) async throws {
        let first = try await ask(session, Self.makeCredential())
        guard first.status == CTAPStatus.ok.rawValue else {
            throw Deviation("it refuses makeCredential with status \(hexadecimal(first.status))")
        }
        do {
            let second = try await ask(session, Self.makeCredential())
            try demand(second.status != CTAPStatus.ok.rawValue, "it makes a second passkey")
        } catch is WebSocketEnd.Closed {}
        await session.socket.close()
        try await peer.ended()
    }

    /// Waits until the command has ended well after the session.
    func finish(_ session: ScriptedSession<some MessageEnd>) async throws {
        // An authenticator may wait for us to close, or close itself.
        await session.socket.close()
        try await peer.succeeded()
    }

    /// Demands that the command goes no further in a session, and ends.
    ///
    /// - Throws: ``OtherWay`` if it answers with an error before.
    func givesUp(_ session: ScriptedSession<some MessageEnd>) async throws {
        let status = try await session.goesNoFurther()
        try await peer.ended()
        try Self.noteError(status)
    }

    /// Notes the error with which a request was answered before the session ended.
    ///
    /// - Throws: ``OtherWay``.
    static func noteError(_ status: UInt8?) throws {
        guard let status else { return }
        throw OtherWay("it answers with status \(hexadecimal(status)), and ends the session")
    }

    func givesUp(_ socket: WebSocketEnd) async throws {
        try await staysSilent(socket)
        try await peer.ended()
    }

    func checkHasNoTunnel() throws {
        guard try !hasHeard(code) else { throw Deviation("it advertises a tunnel that it does not have") }
    }

    /// Demands that a request that was sent is refused, and that the command ends.
    ///
    /// - Parameters:
    ///   - error: the answer that is due, as in `without answering with an error status`.
    ///   - answer: reads and judges the answer.
    /// - Throws: ``OtherWay`` if the session ends without one.
    func refuses(
        in session: ScriptedSession<some MessageEnd>, with error: String, answer: () async throws -> Void
    ) async throws {
        var hasAnswered = true
        do { try await answer() } catch is WebSocketEnd.Closed { hasAnswered = false }
        await session.socket.close()
        try await peer.ended()
        if !hasAnswered { throw OtherWay("it ends the session without answering with \(error)") }
    }

    /// Demands that a code is refused before anything is opened or sent.
    func refuses(url: String) async throws {
        try await peer.start(url: url)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = try await service.accept()
                throw Deviation("it opens a tunnel for this QR code")
            }
            group.addTask { try await peer.failed() }
            defer { group.cancelAll() }
            try await group.next()
        }
        guard try !(isRadioExclusive && hasHeard(code)) else { throw Deviation("it advertises for this QR code") }
    }

    /// Demands that a code is taken, and that its session goes well.
    func takes(_ code: TestCode) async throws { try await complete(ready(code)) }
}

/// A byte as `0x` and two hexadecimal digits.
func hexadecimal(_ byte: UInt8) -> String { "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }
