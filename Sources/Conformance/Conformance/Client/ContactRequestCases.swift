internal import CTAP
internal import Encodings
internal import HybridProtocol

/// Cases of the request by which a client asks for the authenticator of its link, and of how that is refused.
enum ContactRequestCases {
    private static let contact = CaseGroup<ClientTestContext>(
        role: .client, name: "contact", rule: "HT-TUN-13", profile: .linked)

    static let all = requests + statuses

    // MARK: - The request

    private static func asks(
        _ name: String, _ requirement: String, rule: String? = nil,
        check: @escaping @Sendable (LinkedClientTestContext.Call) throws -> Void
    ) -> ScriptedCase<ClientTestContext> {
        contact.behaves(name, requirement, rule: rule) { context in
            try check(try await LinkedClientTestContext.with(context).call())
        }
    }

    private static func path(_ name: String, _ requirement: String, _ contactID: [UInt8]) -> ScriptedCase<
        ClientTestContext
    > {
        contact.behaves("path-\(name)", requirement) { context in
            // `sendsContactRequest` checks the path.
            _ = try await LinkedClientTestContext.with(context, contactID: contactID).atRequest()
        }
    }

    private static let requests = [
        path("1-byte", "write a contact ID of 1 byte in base64url, without padding", [0xFF]),
        path("2-bytes", "write a contact ID of 2 bytes in base64url, without padding", [0, 1]),
        path(
            "alphabet", "write a contact ID with base64url's - and _ in place of + and /",
            [0xFB, 0xEF, 0xBE, 0xFF, 0xFF, 0xFF]),
        path("200-bytes", "accept a contact ID of 200 bytes", [UInt8](repeating: 0x61, count: 200)),
        asks("subprotocol", "offer the subprotocol fido.cable in a contact request", rule: "HT-TUN-3") { call in
            let offered = call.request.head["Sec-WebSocket-Protocol"].joined(separator: ",").split(separator: ",")
            try demand(offered.contains { $0.filter { $0 != " " } == "fido.cable" }, "it does not offer fido.cable")
        },
        asks(
            "canonical", "send a client payload in canonical CBOR, with the keys 1, 2 and 3 alone",
            rule: "HT-STA-5"
        ) {
            call in
            let digits = call.request.head[LinkedClientTestContext.payloadField].joined().lowercased()
            let canonical = Hexadecimal.encode(call.payload.encoded())
            try demand(digits == canonical, "its client payload is not canonical")
            try demand(call.payload.count == 3, "its client payload has \(call.payload.count) keys")
        },
        contact.behaves("link-id", "name the link ID in the client payload", rule: "HT-STA-2") { context in
            let context = try await LinkedClientTestContext.with(context)
            let linkID = try await context.call().payload[1]?.bytesValue
            try demand(linkID == context.link.linkID, "key 1 of its client payload is not its link's ID")
        },
        asks("nonce", "send a random nonce of 16 bytes in the client payload", rule: "HT-STA-3") { call in
            try demand(Set(call.nonce).count > 2, "its nonce has two different bytes at most")
        },
        contact.behaves("fresh-nonce", "use a new nonce for each contact request", rule: "HT-STA-3") { context in
            let context = try await LinkedClientTestContext.with(context)
            let first = try await context.call()
            await first.request.connection.close()
            let second = try await context.call()
            try demand(first.nonce != second.nonce, "it uses a nonce twice")
        },
        asks("hint", "send the hint ga or mc in the client payload", rule: "HT-STA-4") { call in
            let hint = call.payload[3]?.textValue ?? "nothing"
            try demand(["ga", "mc"].contains(hint), "key 3 of its client payload is \(hint.prefix(20))")
        },
        contact.behaves("hint-true", "send the command that its hint announced", rule: "HT-STA-7") {
            context in
            let context = try await LinkedClientTestContext.with(context)
            let call = try await context.call()
            let session = try await context.answer(context.receiveHandshake(call))
            try await session.send(ClientTestContext.firstMessage.encoded())
            let command = try await context.base.request(session)[0]
            let announced =
                call.payload[3]?.textValue == "mc" ? CTAPCommand.makeCredential : CTAPCommand.getAssertion
            try demand(command == announced.rawValue, "it announces another command than it sends")
        },
        asks("hex-case", "write the client payload in lower-case digits", rule: "HT-TUN-7") { call in
            let digits = call.request.head[LinkedClientTestContext.payloadField].joined()
            throw ObservedBehaviour(digits == digits.lowercased() ? "lower case" : "upper case")
        },
        asks("signal", "ask for the service's signal", rule: "HT-TUN-77") { call in
            let isAsked = !call.request.head[LinkedClientTestContext.signalField].isEmpty
            throw ObservedBehaviour(isAsked ? "asks for the signal" : "does not ask for it")
        },
        asks(
            "secret-kept", "not send 32-byte values, such as the link's secret, in the client payload",
            rule: "HT-STA-6"
        ) { call in
            try demand(
                !call.payload.entries.contains { $0.value.bytesValue?.count == 32 },
                "its client payload has a value of 32 bytes")
        },
    ]

    // MARK: - Refusals

    private static let statuses =
        [
            contact.behaves("status-410", "forget a link on status 410", rule: "HT-STA-8") { context in
                let context = try await LinkedClientTestContext.with(context)
                try await context.base.refused(context.atRequest(), .status(410))
                try await context.base.sendsNoContactRequest("it keeps a link that has ended")
            }
        ]
        + [400, 403, 404, 418, 429, 500, 503].map { status in
            contact.behaves("status-\(status)", "keep a link on status \(status)", rule: "HT-STA-9") { context in
                let context = try await LinkedClientTestContext.with(context)
                try await context.base.refused(context.atRequest(), .status(status))
                _ = try await context.atRequest()
            }
        } + [
            contact.behaves(
                "unanswered", "keep a link when the service closes without a response", rule: "HT-STA-9"
            ) { context in
                let context = try await LinkedClientTestContext.with(context)
                try await context.atRequest().connection.close()
                try await context.peer.failed()
                _ = try await context.atRequest()
            },
            contact.behaves(
                "410-later", "keep a link when a Close frame has the reason 410", rule: "HT-STA-10"
            ) {
                context in
                let context = try await LinkedClientTestContext.with(context)
                let initiated = try await context.receiveHandshake(context.call())
                await initiated.socket.closeAndWait(1000, reason: "410")
                try await context.peer.failed()
                _ = try await context.atRequest()
            },
            contact.behaves("after-failure", "keep a link after a handshake that failed", rule: "HT-STA-10") {
                context in
                let context = try await LinkedClientTestContext.with(context)
                let initiated = try await context.receiveHandshake(context.call())
                await initiated.socket.send([UInt8](repeating: 0, count: handshakeMessageByteCount))
                try await context.givesUp(initiated.socket)
                _ = try await context.atRequest()
            },
        ]
}

extension ClientTestContext {
    /// Refuses a request, and waits until the command has ended with a failure.
    fileprivate func refused(_ request: PendingRequest, _ answer: UpgradeResponse) async throws {
        try await request.answer(answer).connection.close()
        try await peer.failed()
    }
}
