internal import Encodings
internal import HybridProtocol

/// Cases of a client's linked session that ends early or badly, and of the QR code beside it.
enum LinkedClientEndCases {
    private static var linked: CaseGroup<ClientTestContext> { LinkedClientCases.linked }

    static let all = badSessions + beside + linked.survives(losses, at: Place.self, ends)

    // MARK: - Mistakes that end a session

    private static let badSessions = [
        linked.refuses(
            "signal-wrong", "end in bounded time on a signal other than one zero byte",
            rule: "HT-TUN-80"
        ) {
            context in
            let context = try await LinkedClientTestContext.with(context)
            let call = try await context.call()
            let plaintext = LinkedClientTestContext.plaintext()
            let socket = try await context.signalled(call)
            await socket.send([1])
            try await context.base.transmitter.send([context.advert(plaintext, for: call)]) {
                try await context.base.endsAfter(socket)
            }
        },
        linked.refuses("signal-unasked", "refuse a signal that was not negotiated", rule: "HT-TUN-81") {
            context in
            let context = try await LinkedClientTestContext.with(context)
            let initiated = try await context.receiveHandshake(context.call())
            await initiated.socket.send([0])
            try await context.givesUp(initiated.socket)
        },
        linked.refuses(
            "no-ctap", "refuse a linked session without the feature ctap", rule: "HT-STA-36"
        ) { context in
            let context = try await LinkedClientTestContext.with(context)
            let session = try await context.connected()
            try await session.send(([3: ["dc"]] as CBORMap).encoded())
            try await context.givesUp(session)
        },
    ]

    // MARK: - A QR code beside

    /// A client that shows a code too: its link comes to nothing, and the code is good.
    private static func fallsBack(
        _ name: String, _ requirement: String, _ refuse: @escaping @Sendable (PendingRequest) async throws -> Void
    ) -> ScriptedCase<ClientTestContext> {
        linked.behaves("code-\(name)", requirement, rule: "HT-STA-11") { context in
            let linkedContext = try await LinkedClientTestContext.with(context)
            let code = try await context.offer()
            let request: PendingRequest
            do {
                request = try await within(ClientTestContext.absenceTimeout, "its contact request") {
                    try await context.request()
                }
            } catch is Deviation {
                throw NotApplicable("the command that makes links sends no contact request beside its QR code")
            }
            let path = LinkedClientTestContext.path(of: linkedContext.link)
            try demand(request.head.path == path, "it asks for \(request.head.path.prefix(80))")
            try await refuse(request)
            try await context.complete(context.answer(context.receiveHandshake(context.rendezvous(code))))
        }
    }

    private static let beside = [
        fallsBack("503", "accept its QR code's session when the linked authenticator is not reachable (503)") {
            try await $0.answer(.status(503)).connection.close()
        },
        fallsBack("410", "accept its QR code's session when the link has ended (410)") {
            try await $0.answer(.status(410)).connection.close()
        },
        fallsBack("silence", "accept its QR code's session while the contact request is unanswered") { _ in },
        fallsBack("waiting", "accept its QR code's session while it waits for the linked authenticator") {
            _ = try await $0.answer(UpgradeResponse(routingID: nil))
        },
    ]

    // MARK: - Authenticators and services that go away

    private enum Place: String, CaseIterable {
        case beforeUpgrade = "before-upgrade"
        case beforeAdvert = "before-advert"
        case beforeHandshake = "before-handshake"
        case beforeFirstMessage = "before-first-message"
        case beforeAnswer = "before-answer"
    }

    private static let losses: [SessionLoss] = [
        .close("end in bounded time when the other side closes"), .reset,
        .silence("end in bounded time when the other side sends nothing more"),
    ]

    private static func ends(_ place: Place, _ loss: SessionLoss, _ context: ClientTestContext) async throws {
        let context = try await LinkedClientTestContext.with(context)
        let socket = try await reach(place, context)
        await loss.apply(socket)
        try await context.base.endsAfter(socket)
    }

    private static func reach(_ place: Place, _ context: LinkedClientTestContext) async throws -> WebSocketEnd {
        switch place {
        case .beforeUpgrade: return WebSocketEnd(connection: try await context.atRequest().connection, side: .server)
        case .beforeAdvert: return try await context.call().request.answer(context.acceptance)
        case .beforeHandshake: return try await context.receiveHandshake(context.call()).socket
        case .beforeFirstMessage: return try await context.connected().socket
        case .beforeAnswer:
            let session = try await context.connected()
            try await session.send(ClientTestContext.firstMessage.encoded())
            _ = try await context.base.request(session)
            return session.socket
        }
    }
}
