/// Cases of requests and disconnections that must not bring an authenticator down.
extension AuthenticatorCredentialCases {
    private static func survives(
        _ name: String, _ requirement: String, rule: String, second: UInt8,
        _ payload: @escaping @Sendable () throws -> [UInt8]
    ) -> ScriptedCase<AuthenticatorTestContext> {
        group.survives(name, requirement, rule: rule) { context in
            let session = try await context.readyForCredentials()
            let first = try await session.seal([MessageType.json] + Array(request().utf8))
            let next = try await session.seal([second] + payload())
            await session.socket.send(
                raw: WireFrame(payload: first).bytes() + WireFrame(payload: next).bytes())
            try? await within(.seconds(1), "the end of the session") { try await session.ends() }
            await session.socket.close()
            try await context.peer.ended()
        }
    }

    static let survivals = [
        survives(
            "two-at-once", "survive a second request before the first answer", rule: "HT-MSG-21",
            second: MessageType.json
        ) {
            Array(request().utf8)
        },
        survives(
            "ctap-at-once", "survive a CTAP request before the answer in JSON", rule: "HT-MSG-21",
            second: MessageType.ctap
        ) {
            AuthenticatorTestContext.makeCredential()
        },
        survives(
            "shutdown-before-answer", "survive a shutdown before its answer", rule: "HT-MSG-32",
            second: MessageType.shutdown
        ) {
            []
        },
        survives(
            "update-before-answer", "survive an update from the client before its answer", rule: "HT-MSG-48",
            second: MessageType.update
        ) {
            [0xA0]
        },
    ]

    /// The point of a session at which the client disconnects.
    enum Place: String, CaseIterable {
        case duringRequest = "during-request"
        case afterAnswer = "after-answer"
    }

    static func reach(_ place: Place, _ context: AuthenticatorTestContext) async throws -> WebSocketEnd {
        let session = try await context.readyForCredentials()
        try await session.send(MessageType.json, Array(request().utf8))
        if place == .afterAnswer { _ = try await context.reply(session) }
        return session.socket
    }
}
