internal import CBOR
internal import JSON

// A client's session for digital credentials, on the stage.
extension ClientStage {
    private typealias MessageType = PlayedSession.MessageType
    private typealias Messages = DigitalCredentialMessages

    /// The first message of an authenticator that offers digital credentials beside passkeys.
    static var offersCredentials: CBORMap {
        var map = firstMessage
        map[3] = ["ctap", .text(Messages.feature)]
        return map
    }

    /// A session in which digital credentials are offered, with the client's request.
    ///
    /// - Parameter first: the first message.
    func askedForCredential(
        _ first: CBORMap = Self.offersCredentials
    ) async throws -> (session: PlayedSession, request: [UInt8]) {
        let session = try await connected()
        try await session.send(first.encoded())
        return (session, try await session.next(MessageType.json, "its request"))
    }

    /// Gives a credential to a client that has asked, and waits until the command has ended well.
    func give(_ session: PlayedSession) async throws {
        try await session.send(MessageType.json, Array(Messages.answer(["data": Messages.credential]).utf8))
        try await finish(session)
    }
}
