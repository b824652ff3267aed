/// How the other side of a peer's session goes away.
struct SessionLoss: Sendable {
    let name: String
    /// What the peer has to put up with.
    let rule: String
    let happen: @Sendable (WebSocketEnd) async -> Void

    static func close(_ rule: String) -> Self { Self(name: "close", rule: rule) { await $0.close() } }

    static let reset = Self(name: "reset", rule: "a connection may be reset") { await $0.connection.reset() }

    static func silence(_ rule: String) -> Self { Self(name: "silence", rule: rule) { _ in } }

    static let noise = Self(name: "noise", rule: "bytes that are no WebSocket frame end the session") {
        await $0.send(raw: [UInt8](repeating: 0xFF, count: 64))
    }

    /// The ways of a client, beside an authenticator.
    static let ofClient = all(of: "a client", beside: "an authenticator")
    /// The ways of an authenticator, beside a client.
    static let ofAuthenticator = all(of: "an authenticator", beside: "a client")

    private static func all(of side: String, beside peer: String) -> [Self] {
        [
            .close("\(side) may close"), .reset,
            Self(name: "half-close", rule: "\(side) may close its direction alone") {
                await $0.connection.closeOutput()
            },
            .silence("\(side) that says nothing more does not hold \(peer) for ever"),
        ]
    }
}

extension Group {
    /// A case for each place of a session, and each way in which the other side can go away there.
    ///
    /// - Parameter play: goes to the place, lets it happen, and judges.
    func survives<Place: RawRepresentable<String> & CaseIterable & Sendable>(
        _ losses: [SessionLoss], at _: Place.Type,
        _ play: @escaping @Sendable (Place, SessionLoss, Stage) async throws -> Void
    ) -> Cases {
        Place.allCases.flatMap { place in
            losses.map { loss in
                survives("\(place.rawValue)-\(loss.name)", "\(loss.rule), \(place.rawValue.replacing("-", with: " "))")
                {
                    try await play(place, loss, $0)
                }
            }
        }
    }
}

extension Group where Stage: TunnelStage {
    /// A case for each place of a session, and each way in which the other side can go away there: the peer ends by itself.
    ///
    /// - Parameter reach: brings the peer to the place.
    func survives<Place: RawRepresentable<String> & CaseIterable & Sendable>(
        _ losses: [SessionLoss], _ reach: @escaping @Sendable (Place, Stage) async throws -> WebSocketEnd
    ) -> Cases {
        survives(losses, at: Place.self) { place, loss, stage in
            let socket = try await reach(place, stage)
            await loss.happen(socket)
            try await stage.endsAfter(socket)
        }
    }
}
