internal import Encodings

// An authenticator's session for digital credentials, in the test context.
extension AuthenticatorTestContext {
    private typealias MessageType = TunnelSession.MessageType

    /// Brings the command so far that it waits for a request for a digital credential.
    ///
    /// - Throws: ``NotApplicable`` if it takes none.
    func readyForCredentials() async throws -> TunnelSession {
        let session = try await connected()
        let features = try await firstMessage(session)[3]?.arrayValue ?? []
        guard features.contains(.text(DigitalCredentialMessages.feature)) else {
            throw NotApplicable("it does not offer digital credentials")
        }
        return session
    }

    /// Asks for a digital credential, and waits for the answer.
    func ask(
        _ session: TunnelSession, json text: String = DigitalCredentialMessages.Request().text
    ) async throws -> DigitalCredentialMessages.Reply {
        try await session.send(MessageType.json, Array(text.utf8))
        return try await reply(session)
    }

    /// Waits for the answer to a request that was sent.
    func reply(_ session: TunnelSession) async throws -> DigitalCredentialMessages.Reply {
        try DigitalCredentialMessages.reply(try await session.next(MessageType.json, "its answer"))
    }

    /// Shuts a session down that was used, and waits until the command has ended, well or not: it may say that it gave
    /// nothing.
    func shutDown(_ session: TunnelSession) async throws {
        try await session.send(MessageType.shutdown)
        await session.socket.close()
        try await peer.ended()
    }
}
