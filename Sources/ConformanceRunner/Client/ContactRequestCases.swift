internal import CBOR
internal import CTAP
internal import HybridProtocol

/// Cases of the request by which a client asks for the authenticator of its link, and of how that is refused.
enum ContactRequestCases {
    private static let contact = Group<ClientStage>(
        role: .client, name: "contact", source: "CTAP 2.2 section 11.5.2, the contact request")

    static let all = requests + statuses

    // MARK: - The request

    private static func asks(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ check: @escaping @Sendable (LinkedClientStage.Call) throws -> Void
    ) -> PlayedCase<ClientStage> {
        contact.behaves(name, rule, certainty) { stage in try check(try await LinkedClientStage.with(stage).call()) }
    }

    private static func path(_ name: String, _ rule: String, _ contactID: [UInt8]) -> PlayedCase<ClientStage> {
        contact.behaves("path-\(name)", rule) { stage in
            // The path is checked on the way.
            _ = try await LinkedClientStage.with(stage, contactID: contactID).atRequest()
        }
    }

    private static let requests = [
        path("1-byte", "a contact ID of one byte stands in the path in base64url, without padding", [0xFF]),
        path("2-bytes", "a contact ID of two bytes stands in the path in base64url, without padding", [0, 1]),
        path("alphabet", "base64url has - and _ in the place of + and /", [0xFB, 0xEF, 0xBE, 0xFF, 0xFF, 0xFF]),
        path("200-bytes", "a contact ID may have 200 bytes, as push tokens have", [UInt8](repeating: 0x61, count: 200)),
        asks("subprotocol", "a contact request offers fido.cable") { call in
            let offered = call.request.head["Sec-WebSocket-Protocol"].joined(separator: ",").split(separator: ",")
            try demand(offered.contains { $0.filter { $0 != " " } == "fido.cable" }, "it does not offer fido.cable")
        },
        asks("canonical", "the client payload is canonical CBOR with the keys 1, 2 and 3 alone", .secondHand) { call in
            let digits = call.request.head[LinkedClientStage.payloadField].joined().lowercased()
            let canonical = call.payload.encoded().map(hexadecimalDigits).joined()
            try demand(digits == canonical, "its client payload is not canonical")
            try demand(call.payload.count == 3, "its client payload has \(call.payload.count) keys")
        },
        contact.behaves("link-id", "the client payload names the link") { stage in
            let stage = try await LinkedClientStage.with(stage)
            let linkID = try await stage.call().payload[1]?.bytesValue
            try demand(linkID == stage.link.linkID, "key 1 of its client payload is not its link's ID")
        },
        asks("nonce", "the client payload has a random nonce of 16 bytes") { call in
            try demand(Set(call.nonce).count > 2, "its nonce is of one or two different bytes")
        },
        contact.behaves("fresh-nonce", "two requests have two nonces") { stage in
            let stage = try await LinkedClientStage.with(stage)
            let first = try await stage.call()
            await first.request.connection.close()
            let second = try await stage.call()
            try demand(first.nonce != second.nonce, "it uses a nonce twice")
        },
        asks("hint", "the client payload says what it is going to ask for: ga or mc") { call in
            let hint = call.payload[3]?.textValue ?? "nothing"
            try demand(["ga", "mc"].contains(hint), "key 3 of its client payload is \(hint.prefix(20))")
        },
        contact.behaves("hint-true", "a client asks for what it has announced", .secondHand) { stage in
            let stage = try await LinkedClientStage.with(stage)
            let call = try await stage.call()
            let session = try await stage.answer(stage.greet(call))
            try await session.send(ClientStage.firstMessage.encoded())
            let command = try await stage.base.request(session)[0]
            let announced =
                call.payload[3]?.textValue == "mc" ? CTAPCommand.makeCredential : CTAPCommand.getAssertion
            try demand(command == announced.rawValue, "it announces another command than it sends")
        },
        asks("hex-case", "the client payload has lower-case digits", .disputed) { call in
            let digits = call.request.head[LinkedClientStage.payloadField].joined()
            throw Observation(digits == digits.lowercased() ? "lower case" : "upper case")
        },
        asks("signal", "a client asks to be told when the authenticator has come", .disputed) { call in
            let isAsked = !call.request.head[LinkedClientStage.signalField].isEmpty
            throw Observation(isAsked ? "asks for the signal" : "does not ask for it")
        },
        asks("secret-kept", "the link's secret and the nonce's keys are not told") { call in
            try demand(
                !call.payload.entries.contains { $0.value.bytesValue?.count == 32 },
                "32 bytes are in its client payload")
        },
    ]

    // MARK: - Refusals

    private static let statuses =
        [
            contact.behaves("status-410", "status 410 ends the link for good: the client forgets it") { stage in
                let stage = try await LinkedClientStage.with(stage)
                try await stage.base.refused(stage.atRequest(), .status(410))
                try await stage.base.asksNobody("it keeps a link that has ended")
            }
        ]
        + [400, 403, 404, 418, 429, 500, 503].map { status in
            contact.behaves("status-\(status)", "after status \(status) the link is kept") { stage in
                let stage = try await LinkedClientStage.with(stage)
                try await stage.base.refused(stage.atRequest(), .status(status))
                _ = try await stage.atRequest()
            }
        } + [
            contact.behaves("unanswered", "a link is kept if the service closes without an answer") { stage in
                let stage = try await LinkedClientStage.with(stage)
                try await stage.atRequest().connection.close()
                try await stage.peer.failed()
                _ = try await stage.atRequest()
            },
            contact.behaves("410-later", "410 as a close code, or a reason, does not end a link", .secondHand) {
                stage in
                let stage = try await LinkedClientStage.with(stage)
                let greeting = try await stage.greet(stage.call())
                await greeting.socket.leave(1000, reason: "410")
                try await stage.peer.failed()
                _ = try await stage.atRequest()
            },
            contact.behaves("after-failure", "a link is kept after a handshake that failed") { stage in
                let stage = try await LinkedClientStage.with(stage)
                let greeting = try await stage.greet(stage.call())
                await greeting.socket.send([UInt8](repeating: 0, count: handshakeMessageByteCount))
                try await stage.givesUp(greeting.socket)
                _ = try await stage.atRequest()
            },
        ]
}

extension ClientStage {
    /// Refuses a request, and waits until the command has ended, not as if all had gone well.
    fileprivate func refused(_ request: TunnelRequest, _ answer: UpgradeAnswer) async throws {
        try await request.answer(answer).connection.close()
        try await peer.failed()
    }
}
