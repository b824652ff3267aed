internal import Encodings

// A client's session for digital credentials, in the test context.
extension ClientTestContext {
    private typealias MessageType = TunnelSession.MessageType
    private typealias Messages = DigitalCredentialMessages

    /// The first message of an authenticator that offers digital credentials beside passkeys.
    static var firstMessageWithCredentials: CBORMap {
        var map = firstMessage
        map[3] = ["ctap", .text(Messages.feature)]
        return map
    }

    /// A session in which digital credentials are offered, with the client's request for one.
    ///
    /// - Parameter first: the first message.
    func askedForCredential(
        _ first: CBORMap = Self.firstMessageWithCredentials
    ) async throws -> (session: TunnelSession, request: [UInt8]) {
        let session = try await connected()
        try await session.send(first.encoded())
        return (session, try await session.next(MessageType.json, "its request"))
    }

    /// Gives a credential to a client that has asked, and waits until the command has ended well.
    func sendCredential(_ session: TunnelSession) async throws {
        try await session.send(MessageType.json, Array(Messages.answer(["data": Messages.credential]).utf8))
        try await finish(session)
    }
}
