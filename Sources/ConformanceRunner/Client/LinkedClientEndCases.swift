internal import CBOR

/// Cases of a client's linked session that ends early or badly, and of the QR code beside it.
enum LinkedClientEndCases {
    private static var linked: Group<ClientStage> { LinkedClientCases.linked }

    static let all = badSessions + beside + linked.survives(losses, at: Place.self, ends)

    // MARK: - What ends a session

    private static let badSessions = [
        linked.refuses("signal-wrong", "the service's signal is one zero byte", .secondHand) { stage in
            let stage = try await LinkedClientStage.with(stage)
            let call = try await stage.call()
            let plaintext = try LinkedClientStage.plaintext()
            let socket = try await stage.signalled(call)
            await socket.send([1])
            try await stage.base.air.send([stage.advert(plaintext, for: call)]) {
                try await stage.base.endsAfter(socket)
            }
        },
        linked.refuses("signal-unasked", "a signal that was not agreed on is no handshake message", .secondHand) {
            stage in
            let stage = try await LinkedClientStage.with(stage)
            let greeting = try await stage.greet(stage.call())
            await greeting.socket.send([0])
            try await stage.givesUp(greeting.socket)
        },
        linked.refuses("no-ctap", "a linked session without CTAP is of no use", .secondHand) { stage in
            let stage = try await LinkedClientStage.with(stage)
            let session = try await stage.connected()
            try await session.send(([3: ["dc"]] as CBORMap).encoded())
            try await stage.givesUp(session)
        },
    ]

    // MARK: - A QR code beside

    /// A client that shows a code too: its link comes to nothing, and the code is good.
    private static func fallsBack(
        _ name: String, _ rule: String, _ refuse: @escaping @Sendable (TunnelRequest) async throws -> Void
    ) -> PlayedCase<ClientStage> {
        linked.behaves("code-\(name)", rule) { stage in
            let linkedStage = try await LinkedClientStage.with(stage)
            let code = try await stage.offer()
            let request: TunnelRequest
            do {
                request = try await within(ClientStage.vigil, "its contact request") { try await stage.request() }
            } catch is Deviation {
                throw NotApplicable("the command that makes links asks nobody beside its QR code")
            }
            let path = LinkedClientStage.path(of: linkedStage.link)
            try demand(request.head.path == path, "it asks for \(request.head.path.prefix(80))")
            try await refuse(request)
            try await stage.complete(stage.answer(stage.greet(stage.meet(code))))
        }
    }

    private static let beside = [
        fallsBack("503", "a QR code works when the authenticator of a link cannot be reached") {
            try await $0.answer(.status(503)).connection.close()
        },
        fallsBack("410", "a QR code works when a link has ended") {
            try await $0.answer(.status(410)).connection.close()
        },
        fallsBack("silence", "a QR code works while a contact request waits for its answer") { _ in },
        fallsBack("waiting", "a QR code works while the authenticator of a link is waited for") {
            _ = try await $0.answer(UpgradeAnswer(routingID: nil))
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
        .close("the other side may close"), .reset,
        .silence("who says nothing more does not hold a client for ever"),
    ]

    private static func ends(_ place: Place, _ loss: SessionLoss, _ stage: ClientStage) async throws {
        let stage = try await LinkedClientStage.with(stage)
        let socket = try await reach(place, stage)
        await loss.happen(socket)
        try await stage.base.endsAfter(socket)
    }

    private static func reach(_ place: Place, _ stage: LinkedClientStage) async throws -> WebSocketEnd {
        switch place {
        case .beforeUpgrade: return WebSocketEnd(connection: try await stage.atRequest().connection, side: .server)
        case .beforeAdvert: return try await stage.call().request.answer(stage.acceptance)
        case .beforeHandshake: return try await stage.greet(stage.call()).socket
        case .beforeFirstMessage: return try await stage.connected().socket
        case .beforeAnswer:
            let session = try await stage.connected()
            try await session.send(ClientStage.firstMessage.encoded())
            _ = try await stage.base.request(session)
            return session.socket
        }
    }
}
