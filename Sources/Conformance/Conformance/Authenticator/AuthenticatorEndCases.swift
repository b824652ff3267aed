internal import CTAP
internal import Cryptography
internal import Encodings

/// Cases of an authenticator's answers to CTAP commands, and of clients that go away.
enum AuthenticatorEndCases {
    private typealias MessageType = TunnelSession.MessageType

    private static let commands = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "ctap", rule: "HT-CTAP-41")
    private static let ends = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "end", rule: "HT-MSG-38")

    static let all = goodCommands + badCommands + ends.survives(SessionLoss.ofClient + [.noise], reach)

    // MARK: - Commands

    private static let goodCommands = [
        commands.behaves(
            "make-credential", "begin its authenticator data with the hash of the RP ID",
            rule: "HT-CTAP-45"
        ) {
            context in
            let data = try await context.authenticatorData()
            let site = SHA256.hash(Array("conformance.example".utf8).span)
            try demand(Array(data.prefix(32)) == site, "its authenticator data are those of another RP")
        },
        commands.behaves(
            "user-verification", "verify the user on makeCredential, and set the flag UV",
            rule: "HT-CTAP-11"
        ) { context in
            let flags = try await context.authenticatorData()[32]
            try demand(flags & 0x04 != 0, "its flags are \(hexadecimal(flags)): UV is not set")
        },
        commands.behaves(
            "answer-canonical", "answer makeCredential in canonical CBOR", rule: "HT-CTAP-4"
        ) { context in
            let session = try await context.ready()
            let answer = try await context.ask(session, AuthenticatorTestContext.makeCredential())
            if let fault = CanonicalForm.fault(answer.payload) {
                throw Deviation("its answer is not canonical CBOR: \(fault)")
            }
        },
        commands.behaves(
            "get-assertion-unknown", "answer getAssertion for an RP without passkeys with an error status",
            rule: "HT-CTAP-44"
        ) { context in
            let session = try await context.ready()
            let answer = try await context.ask(session, AuthenticatorTestContext.getAssertion())
            try demand(answer.status != 0, "it makes an assertion for an RP without passkeys")
        },
        commands.behaves(
            "always-uv", "verify the user without option uv if its getInfo says alwaysUv",
            rule: "HT-CTAP-53"
        ) { context in
            let session = try await context.connected()
            let info = try await context.firstMessage(session)[1]?.bytesValue ?? []
            let isAlways = try GetInfoResponse(decoding: info.span).options["alwaysUv"] == true
            let answer = try await context.ask(session, changed { $0[7] = ["rk": true] })
            let flags = try? MakeCredentialResponse(decoding: answer.payload.span).authenticatorData.dropFirst(32).first
            await session.socket.close()
            try await context.peer.ended()
            guard isAlways else { throw ObservedBehaviour("does not say alwaysUv") }
            guard let flags, answer.status == 0 else {
                throw Deviation("it refuses makeCredential with status \(hexadecimal(answer.status))")
            }
            try demand(flags & 0x04 != 0, "its flags are \(hexadecimal(flags)): UV is not set")
        },
        commands.behaves(
            "unknown-parameter", "ignore a parameter that it does not know", rule: "HT-CTAP-64"
        ) { context in
            try await context.complete(try await context.ready(), request: changed { $0[0x40] = ["later": [1, true]] })
        },
        commands.behaves(
            "unknown-float", "ignore a floating-point number in an unknown parameter",
            rule: "HT-CBOR-22"
        ) { context in
            try await context.complete(try await context.ready(), request: changed { $0[0x40] = .float(1.5) })
        },
    ]

    /// A makeCredential of which parameters are changed.
    private static func changed(_ change: (inout CBORMap) -> Void) throws -> [UInt8] {
        let request = AuthenticatorTestContext.makeCredential()
        guard var map = try CBORValue.decode(Array(request.dropFirst()).span).mapValue else { return request }
        change(&map)
        return [request[0]] + map.encoded()
    }

    /// Malformed commands: answered with an error, or the end of the session, but not with success.
    private static func rejects(
        _ name: String, _ requirement: String, rule: String? = nil,
        command: @escaping @Sendable () throws -> [UInt8]
    ) -> ScriptedCase<AuthenticatorTestContext> {
        commands.refuses(name, requirement, rule: rule) { context in
            let session = try await context.ready()
            try await context.refuses(in: session, with: "an error status") {
                let answer = try await context.ask(session, command())
                try demand(answer.status != 0, "it answers with success")
            }
        }
    }

    /// As ``rejects``, for a makeCredential of which one parameter is changed.
    private static func changesParameters(
        _ name: String, _ requirement: String, rule: String? = nil,
        _ change: @escaping @Sendable (inout CBORMap) -> Void
    ) -> ScriptedCase<AuthenticatorTestContext> {
        rejects(name, requirement, rule: rule) { try changed(change) }
    }

    private static let badCommands = [
        rejects("unknown-command", "refuse an unknown command", rule: "HT-CTAP-38") { [0x55] },
        rejects("reset", "refuse authenticatorReset over this transport", rule: "HT-CTAP-39") {
            [0x07]
        },
        rejects("no-parameters", "refuse makeCredential without parameters", rule: "HT-CTAP-40") { [0x01] },
        rejects("parameters-no-map", "refuse parameters that are not a map", rule: "HT-CTAP-40") { [0x01, 0x80] },
        rejects("parameters-truncated", "refuse truncated parameters", rule: "HT-CBOR-15") {
            AuthenticatorTestContext.makeCredential().dropLast()
        },
        rejects("parameters-trailing", "refuse a byte after the parameters", rule: "HT-CBOR-16") {
            AuthenticatorTestContext.makeCredential() + [0]
        },
        rejects(
            "parameters-deep", "refuse parameters of 1,000 nested arrays; CTAP allows 4 levels",
            rule: "HT-CBOR-19"
        ) {
            [0x01] + [UInt8](repeating: 0x81, count: 1_000) + [0]
        },
        rejects(
            "parameters-huge-length",
            "refuse a byte string with a stated length near 2^63, without waiting or allocating",
            rule: "HT-CBOR-18"
        ) {
            [0x01, 0xA1, 0x01, 0x5B, 0x7F] + [UInt8](repeating: 0xFF, count: 7)
        },
        changesParameters("no-client-data-hash", "refuse makeCredential without clientDataHash") { $0[1] = nil },
        changesParameters("client-data-hash-text", "refuse a clientDataHash that is text", rule: "HT-CTAP-42") {
            $0[1] = "hash"
        },
        changesParameters(
            "up-false", "refuse makeCredential with the option up false", rule: "HT-CTAP-65"
        ) { $0[7] = ["rk": true, "up": false] },
        changesParameters("no-rp", "refuse makeCredential without an RP") { $0[2] = nil },
        changesParameters("rp-without-id", "refuse an RP without an ID") { $0[2] = ["name": "x"] },
        changesParameters("no-user", "refuse makeCredential without a user") { $0[3] = nil },
        changesParameters("no-algorithms", "refuse makeCredential without pubKeyCredParams") { $0[4] = nil },
        changesParameters(
            "unknown-algorithm", "refuse makeCredential with an unknown algorithm alone", rule: "HT-CTAP-43"
        ) {
            $0[4] = [["alg": -65_000, "type": "public-key"]]
        },
        changesParameters(
            "algorithm-beyond-64-bits", "refuse makeCredential with an algorithm beyond 64 bits alone",
            rule: "HT-CTAP-43"
        ) {
            $0[4] = [["alg": .unsigned(.max), "type": "public-key"]]
        },
        changesParameters("algorithms-no-list", "refuse pubKeyCredParams that are not a list", rule: "HT-CTAP-42") {
            $0[4] = "es256"
        },
        rejects("get-assertion-without-site", "refuse getAssertion without an RP ID") {
            [0x02] + ([2: .bytes([UInt8](repeating: 1, count: 32))] as CBORMap).encoded()
        },
    ]

    // MARK: - Clients that go away

    /// The point of a session at which the client disconnects.
    private enum Place: String, CaseIterable {
        case afterAdvert = "after-advert"
        case afterHandshake = "after-handshake"
        case whenReady = "when-ready"
        case duringRequest = "during-request"
        case afterAnswer = "after-answer"
    }

    private static func reach(_ place: Place, _ context: AuthenticatorTestContext) async throws -> WebSocketEnd {
        switch place {
        case .afterAdvert: return try await context.rendezvous().socket
        case .afterHandshake: return try await context.connected().socket
        case .whenReady: return try await context.ready().socket
        case .duringRequest:
            let session = try await context.ready()
            try await session.send(MessageType.ctap, AuthenticatorTestContext.makeCredential())
            return session.socket
        case .afterAnswer:
            let session = try await context.ready()
            _ = try await context.ask(session, AuthenticatorTestContext.makeCredential())
            return session.socket
        }
    }
}
