internal import ContactProtocol
internal import HybridProtocol

/// Cases of the waking of authenticators by a service of this project's kind, and of tunnels that wait.
enum ServiceWakeCases {
    private static let wake = Group<ServiceStage>(
        role: .tunnelService, name: "wake", source: "the contact side of this project's tunnel service")
    private static let pending = Group<ServiceStage>(
        role: .tunnelService, name: "pending", source: "CTAP 2.2 section 11.5.1, the tunnel service")

    static let all = wakes + refusals + waits

    // MARK: - Waking

    private static func wakes(
        _ name: String, _ rule: String, _ play: @escaping @Sendable (ServiceStage) async throws -> Void
    ) -> PlayedCase<ServiceStage> { wake.behaves(name, rule, .secondHand, play) }

    private static let wakes = [
        wakes("told", "a wake names the contact ID, and has the client's payload, a tunnel ID and a routing ID") {
            stage in
            let registered = try await stage.registered()
            let wake = try await stage.calls(registered).wake
            try demand(wake.contactID == registered.contactIDs[0], "it names another contact ID")
            let payload = wake.clientPayload.map(hexadecimalDigits).joined()
            try demand(payload == ServiceStage.clientPayload, "it has another payload")
        },
        wakes("payload-upper-case", "a payload is read in upper case too") { stage in
            let registered = try await stage.registered()
            let wake = try await stage.calls(registered) {
                $0.with(ServiceStage.payloadField, ServiceStage.clientPayload.uppercased())
            }.wake
            let payload = wake.clientPayload.map(hexadecimalDigits).joined()
            try demand(payload == ServiceStage.clientPayload, "it has another payload")
        },
        wakes("tunnel", "a client and the authenticator that it has woken are connected") { stage in
            let (client, authenticator) = try await meet(stage)
            try await stage.carries([1, 2, 3], from: client, to: authenticator)
            try await stage.carries([4, 5], from: authenticator, to: client)
        },
        wakes("signal", "a client that asks for it is told by one zero byte that the authenticator has come") { stage in
            let (client, authenticator) = try await meet(stage) { $0.with(ServiceStage.signalField, "true") }
            try await stage.arrives([0], at: client)
            try await stage.carries([4, 5], from: authenticator, to: client)
        },
        wakes("acknowledged", "a client is answered when its authenticator has acknowledged") { stage in
            let registered = try await stage.registered()
            let calling = try await stage.calls(registered)
            await registered.listener.socket.send(
                AuthenticatorMessage.acknowledge(tunnelID: calling.wake.tunnelID).encoded())
            let head = try await stage.answerHead(on: calling.connection)
            try demand(head.status == 101, "it answers with status \(head.status)")
            try demand(head["Sec-WebSocket-Protocol"] == ["fido.cable"], "it does not select fido.cable")
        },
        wakes("fresh-tunnel", "two clients have two tunnels") { stage in
            let registered = try await stage.registered()
            let first = try await stage.calls(registered), second = try await stage.calls(registered)
            try demand(first.wake.tunnelID != second.wake.tunnelID, "it gives a tunnel ID twice")
        },
        wakes("late-listener", "a client that waits is announced to an authenticator that comes meanwhile") { stage in
            let label = try ServiceStage.label()
            let first = try await stage.registered(label)
            await first.listener.socket.close()
            try await Task.sleep(for: .seconds(1))
            let connection = try await stage.connect()
            await connection.send(stage.contactRequest(first.contactIDs[0]).bytes)
            try await Task.sleep(for: .milliseconds(300))
            let second = try await stage.registered(label, first.listener.scalar)
            guard case .wake = try await stage.serviceMessage(second.listener.socket) else {
                throw Deviation("it does not wake the authenticator")
            }
        },
    ]

    /// A client and an authenticator that has joined it.
    private static func meet(
        _ stage: ServiceStage, _ change: (ServiceRequest) -> ServiceRequest = { $0 }
    ) async throws -> (client: WebSocketEnd, authenticator: WebSocketEnd) {
        let registered = try await stage.registered()
        let calling = try await stage.calls(registered, change)
        let authenticator = try await stage.joins(calling.wake)
        let head = try await stage.answerHead(on: calling.connection)
        guard head.status == 101 else { throw Deviation("it answers the client with status \(head.status)") }
        return (WebSocketEnd(connection: calling.connection, side: .client), authenticator)
    }

    private static let refusals = [
        wake.refuses(
            "declined", "a client whose authenticator declines gets no tunnel, and keeps its link", .secondHand
        ) {
            stage in
            let registered = try await stage.registered()
            let calling = try await stage.calls(registered)
            await registered.listener.socket.send(
                AuthenticatorMessage.decline(tunnelID: calling.wake.tunnelID).encoded())
            let head = try await stage.answerHead(on: calling.connection)
            try demand(head.status != 101 && head.status != 410, "it answers with status \(head.status)")
        },
        wake.refuses("declined-later", "a decline after the acknowledgement closes the client's tunnel", .secondHand) {
            stage in
            let registered = try await stage.registered()
            let calling = try await stage.calls(registered)
            let socket = registered.listener.socket
            await socket.send(AuthenticatorMessage.acknowledge(tunnelID: calling.wake.tunnelID).encoded())
            _ = try await stage.answerHead(on: calling.connection)
            await socket.send(AuthenticatorMessage.decline(tunnelID: calling.wake.tunnelID).encoded())
            try await stage.ends(WebSocketEnd(connection: calling.connection, side: .client))
        },
        wake.refuses("revoked", "a label that is not registered any more is answered with 410", .secondHand) { stage in
            let first = try await stage.registered()
            _ = try await stage.registered(nil, first.listener.scalar)
            let status = try await stage.status(of: stage.contactRequest(first.contactIDs[0]))
            try demand(status == 410, "it answers with status \(status)")
        },
        wake.refuses("changed-id", "every bit of a contact ID counts", .secondHand) { stage in
            let registered = try await stage.registered()
            var contactID = registered.contactIDs[0]
            contactID[contactID.count - 1] ^= 1
            let status = try await stage.status(of: stage.contactRequest(contactID))
            try demand(status != 101, "it accepts it")
        },
        wake.refuses(
            "unreachable", "an authenticator that is not connected is no reason for 410, and not waited for for ever",
            .secondHand
        ) { stage in
            let registered = try await stage.registered()
            await registered.listener.socket.close()
            try await Task.sleep(for: .milliseconds(300))
            let status = try await stage.status(of: stage.contactRequest(registered.contactIDs[0]))
            try demand(status >= 500, "it answers with status \(status)")
        },
        wake.refuses("silent", "an authenticator that does not acknowledge is not waited for for ever", .secondHand) {
            stage in
            let registered = try await stage.registered()
            let calling = try await stage.calls(registered)
            let head = try await stage.answerHead(on: calling.connection)
            try demand(head.status >= 500, "it answers with status \(head.status)")
        },
    ]

    // MARK: - Waiting

    private static let waits = [
        pending.survives(
            "client-gone", "a client that goes away while its authenticator is waited for does no harm", .secondHand
        ) { stage in
            let registered = try await stage.registered()
            let calling = try await stage.calls(registered)
            await calling.connection.reset()
            await registered.listener.socket.send(
                AuthenticatorMessage.acknowledge(tunnelID: calling.wake.tunnelID).encoded())
            _ = try await stage.calls(registered)
        },
        pending.refuses("nobody-joins", "a tunnel that nobody joins is ended when its time is over", .secondHand) {
            stage in
            guard let time = stage.pendingTime else {
                throw NotApplicable("it takes long: say with --pending-time how long the service lets a tunnel wait")
            }
            let authenticator = try await stage.authenticator()
            try await stage.ends(authenticator.socket, within: time + stage.patience)
            try await stage.isRefused(
                stage.request("/cable/connect/\(authenticator.routingID)/\(authenticator.tunnelID)"))
        },
        pending.refuses("authenticator-gone", "a client whose authenticator went away is told, and not left waiting") {
            stage in
            let tunnel = try await stage.tunnel()
            await tunnel.authenticator.connection.reset()
            try await stage.ends(tunnel.client)
        },
    ]
}
