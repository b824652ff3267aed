/// A way in which the other side of a peer's session disconnects.
struct SessionLoss: Sendable {
    let name: String
    /// The behaviour that is demanded of the peer, as in ``ConformanceCase``.
    let requirement: String
    /// The ID of the rule that the requirement is about.
    let rule: String
    let apply: @Sendable (WebSocketEnd) async -> Void

    private enum Rule {
        static let loss = "HT-MSG-38"
        static let silence = "HT-MSG-39"
    }

    static func close(_ requirement: String, rule: String = Rule.loss) -> Self {
        Self(name: "close", requirement: requirement, rule: rule) { await $0.close() }
    }

    static let reset = Self(
        name: "reset", requirement: "end in bounded time when the connection is reset", rule: Rule.loss
    ) {
        await $0.connection.reset()
    }

    static func silence(_ requirement: String) -> Self {
        Self(name: "silence", requirement: requirement, rule: Rule.silence) { _ in }
    }

    static let noise = Self(
        name: "noise", requirement: "end in bounded time on bytes that are not a WebSocket frame",
        rule: "HT-TUN-66"
    ) {
        await $0.send(raw: [UInt8](repeating: 0xFF, count: 64))
    }

    /// The ways of a client, beside an authenticator.
    static let ofClient = all(of: "the client")
    /// The ways of an authenticator, beside a client.
    static let ofAuthenticator = all(of: "the authenticator")

    private static func all(of side: String) -> [Self] {
        [
            .close("end in bounded time when \(side) closes"), .reset,
            Self(
                name: "half-close", requirement: "end in bounded time when \(side) closes its sending direction",
                rule: Rule.loss
            ) {
                await $0.connection.closeOutput()
            },
            .silence("end in bounded time when \(side) sends nothing more"),
        ]
    }
}

extension CaseGroup {
    /// A case for each place of a session, and each way in which the other side can go away there.
    ///
    /// - Parameter script: reaches the place, applies the loss, and judges.
    func survives<Place: RawRepresentable<String> & CaseIterable & Sendable>(
        _ losses: [SessionLoss], at _: Place.Type,
        _ script: @escaping @Sendable (Place, SessionLoss, Context) async throws -> Void
    ) -> Cases {
        Place.allCases.flatMap { place in
            losses.map { loss in
                survives(
                    "\(place.rawValue)-\(loss.name)", "\(loss.requirement) (\(place.rawValue.words))", rule: loss.rule
                ) {
                    try await script(place, loss, $0)
                }
            }
        }
    }
}

extension CaseGroup where Context: TunnelTestContext {
    /// A case for each place of a session, and each way in which the other side can go away there: the peer ends by
    /// itself.
    ///
    /// - Parameter reach: brings the peer to the place.
    func survives<Place: RawRepresentable<String> & CaseIterable & Sendable>(
        _ losses: [SessionLoss], _ reach: @escaping @Sendable (Place, Context) async throws -> WebSocketEnd
    ) -> Cases {
        survives(losses, at: Place.self) { place, loss, context in
            let socket = try await reach(place, context)
            await loss.apply(socket)
            try await context.endsAfter(socket)
        }
    }
}
