internal import CBOR
internal import CTAP
internal import Cryptography

/// Cases of what an authenticator answers to CTAP commands, and of clients that go away.
enum AuthenticatorEndCases {
    private typealias MessageType = PlayedSession.MessageType

    private static let commands = Group<AuthenticatorStage>(
        role: .authenticator, name: "ctap", source: "CTAP 2.1 sections 6.1, 6.2 and 8")
    private static let ends = Group<AuthenticatorStage>(
        role: .authenticator, name: "end", source: "CTAP 2.2 section 11.5.1, the end of a session")

    static let all = goodCommands + badCommands + ends.survives(SessionLoss.ofClient + [.noise], reach)

    // MARK: - Commands

    private static let goodCommands = [
        commands.behaves("make-credential", "makeCredential makes a passkey with user presence and verification") {
            stage in
            let session = try await stage.ready()
            let answer = try await stage.ask(session, AuthenticatorStage.makeCredential())
            try demand(answer.status == 0, "it answers status \(hexadecimal(answer.status))")
            let response = try? MakeCredentialResponse(decoding: answer.payload.span)
            guard let data = response?.authenticatorData, data.count > 32 else {
                throw Deviation("its answer has no authenticator data")
            }
            try demand(data[32] & 0x45 == 0x45, "its flags are \(hexadecimal(data[32])): UP, UV and AT are not all set")
            let site = try SHA256.hash(Array("conformance.example".utf8).span)
            try demand(Array(data.prefix(32)) == site, "its authenticator data are another site's")
        },
        commands.behaves("get-assertion-unknown", "getAssertion for a site without passkeys is answered with a status")
        { stage in
            let session = try await stage.ready()
            let request = CTAPRequest.getAssertion(
                GetAssertionRequest(
                    rpID: "nobody.conformance.example",
                    clientDataHash: [UInt8](repeating: 1, count: 32), options: RequestOptions(userVerification: true)))
            let answer = try await stage.ask(session, request.encoded())
            try demand(answer.status != 0, "it makes an assertion for a site without passkeys")
        },
    ]

    /// Commands that make no sense: answered with an error, or the end of the session, but not with success.
    private static func rejects(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ command: @escaping @Sendable () throws -> [UInt8]
    ) -> PlayedCase<AuthenticatorStage> {
        commands.refuses(name, rule, certainty) { stage in
            let session = try await stage.ready()
            do {
                let answer = try await stage.ask(session, command())
                try demand(answer.status != 0, "it answers with success")
            } catch is WebSocketEnd.Closed {}
            await session.socket.close()
            try await stage.peer.ended()
        }
    }

    /// As ``rejects``, for a makeCredential of which one parameter is changed.
    private static func spoils(
        _ name: String, _ rule: String, _ change: @escaping @Sendable (inout CBORMap) -> Void
    ) -> PlayedCase<AuthenticatorStage> {
        rejects(name, rule) {
            let request = try AuthenticatorStage.makeCredential()
            guard var map = try CBORValue.decode(Array(request.dropFirst()).span).mapValue else { return request }
            change(&map)
            return [request[0]] + map.encoded()
        }
    }

    private static let badCommands = [
        rejects("unknown-command", "an unknown command is an error") { [0x55] },
        rejects("reset", "authenticatorReset is not for this transport", .secondHand) { [0x07] },
        rejects("no-parameters", "makeCredential has parameters") { [0x01] },
        rejects("parameters-no-map", "parameters are a map") { [0x01, 0x80] },
        rejects("parameters-truncated", "parameters are whole CBOR") {
            try AuthenticatorStage.makeCredential().dropLast()
        },
        rejects("parameters-trailing", "nothing follows the parameters", .secondHand) {
            try AuthenticatorStage.makeCredential() + [0]
        },
        rejects("parameters-deep", "nobody follows a thousand arrays") {
            [0x01] + [UInt8](repeating: 0x81, count: 1_000) + [0]
        },
        rejects("parameters-huge-length", "nobody waits for 2^63 bytes") {
            [0x01, 0xA1, 0x01, 0x5B, 0x7F] + [UInt8](repeating: 0xFF, count: 7)
        },
        spoils("no-client-data-hash", "makeCredential needs the client data's hash") { $0[1] = nil },
        spoils("client-data-hash-text", "the client data's hash is bytes") { $0[1] = "hash" },
        spoils("no-rp", "makeCredential names a site") { $0[2] = nil },
        spoils("rp-without-id", "a site has an ID") { $0[2] = ["name": "x"] },
        spoils("no-user", "makeCredential names a user") { $0[3] = nil },
        spoils("no-algorithms", "makeCredential names algorithms") { $0[4] = nil },
        spoils("unknown-algorithm", "an algorithm that nobody knows is not used") {
            $0[4] = [["alg": -65_000, "type": "public-key"]]
        },
        spoils("algorithms-no-list", "algorithms are a list") { $0[4] = "es256" },
        rejects("get-assertion-without-site", "getAssertion names a site") {
            [0x02] + ([2: .bytes([UInt8](repeating: 1, count: 32))] as CBORMap).encoded()
        },
    ]

    // MARK: - Clients that go away

    /// Where in a session a client is.
    private enum Place: String, CaseIterable {
        case afterAdvert = "after-advert"
        case afterHandshake = "after-handshake"
        case whenReady = "when-ready"
        case duringRequest = "during-request"
        case afterAnswer = "after-answer"
    }

    private static func reach(_ place: Place, _ stage: AuthenticatorStage) async throws -> WebSocketEnd {
        switch place {
        case .afterAdvert: return try await stage.meet().socket
        case .afterHandshake: return try await stage.connected().socket
        case .whenReady: return try await stage.ready().socket
        case .duringRequest:
            let session = try await stage.ready()
            try await session.send(MessageType.ctap, AuthenticatorStage.makeCredential())
            return session.socket
        case .afterAnswer:
            let session = try await stage.ready()
            _ = try await stage.ask(session, AuthenticatorStage.makeCredential())
            return session.socket
        }
    }
}
