/// Cases of the requests that open, join and wake: those that a tunnel service answers, and those that it refuses.
enum ServiceRequestCases {
    private static let open = CaseGroup<ServiceTestContext>(
        role: .tunnelService, name: "new",
        rule: "HT-TUN-19")
    private static let join = CaseGroup<ServiceTestContext>(
        role: .tunnelService, name: "connect",
        rule: "HT-TUN-44")
    private static let contact = CaseGroup<ServiceTestContext>(
        role: .tunnelService, name: "contact", rule: "HT-TUN-17", profile: .linked)

    static let all = opened + joined + notJoined + ServiceHTTPCases.all + contacts

    // MARK: - Opening

    private static func answers(
        _ name: String, _ requirement: String, rule: String? = nil,
        check: @escaping @Sendable (AnswerHead) throws -> Void
    ) -> ScriptedCase<ServiceTestContext> {
        open.behaves(name, requirement, rule: rule) { context in
            let (head, _) = try await context.answer(to: context.request("/cable/new/\(ServiceTestContext.tunnelID())"))
            try demand(head.status == 101, "it answers with status \(head.status)")
            try check(head)
        }
    }

    private static let opened = [
        answers("accepted", "answer an authenticator's request for a tunnel with status 101", rule: "HT-TUN-19") {
            _ in
        },
        answers("upgrade", "send Upgrade: websocket and Connection: Upgrade", rule: "HT-TUN-19") { head in
            try demand(head["Upgrade"].map { $0.lowercased() } == ["websocket"], "its answer has no Upgrade: websocket")
            try demand(
                head["Connection"].joined(separator: ",").lowercased().contains("upgrade"),
                "its answer has no Connection: Upgrade")
        },
        answers("accept", "send the Sec-WebSocket-Accept that matches the request", rule: "HT-TUN-19") { head in
            try demand(
                head["Sec-WebSocket-Accept"] == [ServiceTestContext.digest],
                "its Sec-WebSocket-Accept does not match the request")
        },
        answers("subprotocol", "select the subprotocol fido.cable", rule: "HT-TUN-20") { head in
            try demand(head["Sec-WebSocket-Protocol"] == ["fido.cable"], "it selects \(head["Sec-WebSocket-Protocol"])")
        },
        answers("routing-id", "send one routing ID of six hexadecimal digits", rule: "HT-TUN-39") { head in
            let values = head["X-caBLE-Routing-ID"]
            try demand(
                values.count == 1 && values.allSatisfy { $0.count == 6 && $0.allSatisfy(\.isHexDigit) },
                "its routing IDs are \(values)")
        },
        open.behaves("upper-case", "accept a tunnel ID in upper case", rule: "HT-TUN-8") { context in
            let authenticator = try await context.authenticator(ServiceTestContext.tunnelID().uppercased())
            _ = try await context.client(
                of: .init(
                    tunnelID: authenticator.tunnelID.lowercased(), routingID: authenticator.routingID,
                    socket: authenticator.socket))
        },
        open.behaves(
            "extension-offered", "accept a request that offers an extension, selected or not", rule: "HT-TUN-26"
        ) { context in
            let request = context.request("/cable/new/\(ServiceTestContext.tunnelID())")
                .with("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits")
            let head = try await context.answer(to: request).head
            try demand(head.status == 101, "it answers with status \(head.status)")
            throw ObservedBehaviour(
                head["Sec-WebSocket-Extensions"].isEmpty ? "selects no extension" : "selects permessage-deflate")
        },
        open.behaves(
            "subprotocol-among-others", "accept fido.cable among several subprotocols",
            rule: "HT-TUN-20"
        ) {
            context in
            _ = try await context.authenticator { $0.with("Sec-WebSocket-Protocol", "chat, fido.cable") }
        },
        open.refuses(
            "id-in-use", "not give a tunnel ID in use to a second authenticator", rule: "HT-TUN-42"
        ) {
            context in
            let first = try await context.authenticator()
            let (head, _) = try await context.answer(to: context.request("/cable/new/\(first.tunnelID)"))
            try demand(head.status != 101, "it gives a second authenticator the same tunnel ID")
            let client = try await context.client(of: first)
            try await context.carries([7], from: client, to: first.socket)
        },
        open.behaves(
            "id-free-again", "free a tunnel ID within 2 seconds after its authenticator has gone",
            rule: "HT-TUN-43"
        ) {
            context in
            let first = try await context.authenticator()
            await first.socket.close()
            for _ in 0..<20 {
                try await Task.sleep(for: .milliseconds(100))
                let (head, connection) = try await context.answer(to: context.request("/cable/new/\(first.tunnelID)"))
                if head.status == 101 { return }
                await connection.close()
            }
            throw Deviation("the tunnel ID is still in use two seconds later")
        },
    ]

    // MARK: - Joining

    private static let joined = [
        join.behaves(
            "accepted", "answer a client's request with status 101 and the subprotocol fido.cable",
            rule: "HT-TUN-19"
        ) {
            context in
            let authenticator = try await context.authenticator()
            let (head, _) = try await context.answer(
                to: context.request("/cable/connect/\(authenticator.routingID)/\(authenticator.tunnelID)"))
            try demand(head.status == 101, "it answers with status \(head.status)")
            try demand(head["Sec-WebSocket-Protocol"] == ["fido.cable"], "it does not select fido.cable")
        },
        join.behaves("upper-case", "accept a routing ID and a tunnel ID in upper case", rule: "HT-TUN-8") {
            context in
            let authenticator = try await context.authenticator()
            _ = try await context.client(of: authenticator) { request in
                var request = request
                request.path =
                    "/cable/connect/\(authenticator.routingID.uppercased())/\(authenticator.tunnelID.uppercased())"
                return request
            }
        },
    ]

    private static let notJoined = [
        join.refuses("unknown-tunnel", "refuse to join a tunnel that does not exist", rule: "HT-TUN-44") {
            context in
            try await context.isRefused(context.request("/cable/connect/000000/\(ServiceTestContext.tunnelID())"))
        },
        join.refuses(
            "other-routing-id", "refuse to join a tunnel under another routing ID",
            rule: "HT-TUN-45"
        ) {
            context in
            let authenticator = try await context.authenticator()
            let other = authenticator.routingID == "ffffff" ? "fffffe" : "ffffff"
            try await context.isRefused(context.request("/cable/connect/\(other)/\(authenticator.tunnelID)"))
        },
        join.refuses("second-client", "refuse a second client of a tunnel", rule: "HT-TUN-46") {
            context in
            let authenticator = try await context.authenticator()
            _ = try await context.client(of: authenticator)
            try await context.isRefused(
                context.request("/cable/connect/\(authenticator.routingID)/\(authenticator.tunnelID)"))
        },
        join.refuses(
            "after-authenticator", "refuse to join a tunnel whose authenticator has gone", rule: "HT-TUN-44"
        ) { context in
            let authenticator = try await context.authenticator()
            await authenticator.socket.close()
            try await Task.sleep(for: .seconds(2))
            try await context.isRefused(
                context.request("/cable/connect/\(authenticator.routingID)/\(authenticator.tunnelID)"))
        },
    ]

    // MARK: - Contact

    private static let contacts = [
        contact.refuses("unknown", "refuse a contact ID that was never registered", rule: "HT-CON-32") { context in
            let request = context.request("/cable/contact/AAAAAAAAAAAAAAAAAAAAAA").with(
                "X-caBLE-Client-Payload", "a301480102030405060708025000112233445566778899aabbccddeeff0362" + "6761")
            let (head, _) = try await context.answer(to: request)
            try demand(head.status != 101, "it answers with status 101")
            throw ObservedBehaviour("answers with status \(head.status)")
        },
        contact.refuses(
            "no-payload", "refuse a contact request without a client payload", rule: "HT-TUN-17"
        ) {
            context in
            try await context.isRefused(context.request("/cable/contact/AAAAAAAAAAAAAAAAAAAAAA"))
        },
        contact.refuses("no-id", "refuse a contact request without a contact ID", rule: "HT-TUN-27") {
            context in
            try await context.isRefused(context.request("/cable/contact/"))
        },
    ]
}

extension ServiceTestContext {
    /// Demands that a request is refused, with a status of 4xx or 5xx or by the end of the connection.
    func isRefused(_ request: ServiceRequest) async throws {
        let connection = try await connect()
        await connection.send(request.bytes)
        do {
            let head = try await answerHead(on: connection)
            // Anything but 101 fails the opening handshake (RFC 6455 section 4.1).
            guard head.status != 101 else { throw Deviation("it answers with status \(head.status)") }
        } catch is WireConnection.Ended {}
    }
}
