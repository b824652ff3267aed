internal import Encodings
internal import HybridProtocol

/// Cases of the waking of authenticators by a service of this project's kind, and of tunnels that wait.
enum ServiceWakeCases {
    private static let wake = CaseGroup<ServiceTestContext>(
        role: .tunnelService, name: "wake", rule: "TS-CON-24", profile: .linked)
    private static let pending = CaseGroup<ServiceTestContext>(
        role: .tunnelService, name: "pending", rule: "HT-TUN-51")

    static let all = wakes + refusals + waits

    // MARK: - Waking

    private static func wakes(
        _ name: String, _ requirement: String, rule: String,
        _ script: @escaping @Sendable (ServiceTestContext) async throws -> Void
    ) -> ScriptedCase<ServiceTestContext> { wake.behaves(name, requirement, rule: rule, script: script) }

    private static let wakes = [
        wakes("told", "send a wake with the contact ID and the client's payload", rule: "TS-CON-24") {
            context in
            let registered = try await context.registered()
            let wake = try await context.calls(registered).wake
            try demand(wake.contactID == registered.contactIDs[0], "the wake has another contact ID")
            let payload = Hexadecimal.encode(wake.clientPayload)
            try demand(payload == ServiceTestContext.clientPayload, "the wake has another client payload")
        },
        wakes("payload-upper-case", "accept a client payload in upper case", rule: "HT-STA-23") { context in
            let registered = try await context.registered()
            let wake = try await context.calls(registered) {
                $0.with(ServiceTestContext.payloadField, ServiceTestContext.clientPayload.uppercased())
            }.wake
            let payload = Hexadecimal.encode(wake.clientPayload)
            try demand(payload == ServiceTestContext.clientPayload, "the wake has another client payload")
        },
        wakes("tunnel", "connect a client with the authenticator that was woken for it", rule: "HT-CON-31") {
            context in
            let (client, authenticator) = try await rendezvous(context)
            try await context.carries([1, 2, 3], from: client, to: authenticator)
            try await context.carries([4, 5], from: authenticator, to: client)
        },
        wakes(
            "signal", "send one zero byte to a client that asks for it when the authenticator has come",
            rule: "HT-TUN-78"
        ) {
            context in
            let (client, authenticator) = try await rendezvous(context) {
                $0.with(ServiceTestContext.signalField, "true")
            }
            try await context.arrives([0], at: client)
            try await context.carries([4, 5], from: authenticator, to: client)
        },
        wakes(
            "acknowledged", "answer a client with status 101 when its authenticator has acknowledged",
            rule: "TS-CON-30"
        ) {
            context in
            let registered = try await context.registered()
            let calling = try await context.calls(registered)
            await registered.listener.socket.send(
                AuthenticatorMessage.acknowledge(tunnelID: calling.wake.tunnelID).encoded())
            let head = try await context.answerHead(on: calling.connection)
            try demand(head.status == 101, "it answers with status \(head.status)")
            try demand(head["Sec-WebSocket-Protocol"] == ["fido.cable"], "it does not select fido.cable")
        },
        wakes("fresh-tunnel", "use a new tunnel ID for each contact request", rule: "TS-CON-25") { context in
            let registered = try await context.registered()
            let first = try await context.calls(registered), second = try await context.calls(registered)
            try demand(first.wake.tunnelID != second.wake.tunnelID, "it gives the same tunnel ID twice")
        },
        wakes("late-listener", "wake an authenticator that connects while a client waits", rule: "TS-CON-29") {
            context in
            let label = try ServiceTestContext.label()
            let first = try await context.registered(label)
            await first.listener.socket.close()
            try await Task.sleep(for: .seconds(1))
            let connection = try await context.connect()
            await connection.send(context.contactRequest(first.contactIDs[0]).bytes)
            try await Task.sleep(for: .milliseconds(300))
            let second = try await context.registered(label, first.listener.scalar)
            guard case .wake = try await context.serviceMessage(second.listener.socket) else {
                throw Deviation("it does not wake the authenticator")
            }
        },
    ]

    /// A client and an authenticator that has joined it.
    private static func rendezvous(
        _ context: ServiceTestContext, _ change: (ServiceRequest) -> ServiceRequest = { $0 }
    ) async throws -> (client: WebSocketEnd, authenticator: WebSocketEnd) {
        let registered = try await context.registered()
        let calling = try await context.calls(registered, change)
        let authenticator = try await context.joins(calling.wake)
        let head = try await context.answerHead(on: calling.connection)
        guard head.status == 101 else { throw Deviation("it answers the client with status \(head.status)") }
        return (WebSocketEnd(connection: calling.connection, side: .client), authenticator)
    }

    private static let refusals = [
        wake.refuses(
            "declined", "refuse a client whose authenticator declines, with another status than 410",
            rule: "HT-CON-35"
        ) {
            context in
            let registered = try await context.registered()
            let calling = try await context.calls(registered)
            await registered.listener.socket.send(
                AuthenticatorMessage.decline(tunnelID: calling.wake.tunnelID).encoded())
            let head = try await context.answerHead(on: calling.connection)
            try demand(head.status != 101 && head.status != 410, "it answers with status \(head.status)")
        },
        wake.refuses(
            "declined-later", "close the client's tunnel when its authenticator declines later",
            rule: "TS-CON-38"
        ) {
            context in
            let registered = try await context.registered()
            let calling = try await context.calls(registered)
            let socket = registered.listener.socket
            await socket.send(AuthenticatorMessage.acknowledge(tunnelID: calling.wake.tunnelID).encoded())
            _ = try await context.answerHead(on: calling.connection)
            await socket.send(AuthenticatorMessage.decline(tunnelID: calling.wake.tunnelID).encoded())
            try await context.ends(WebSocketEnd(connection: calling.connection, side: .client))
        },
        wake.refuses(
            "revoked", "answer 410 for a label that is no longer registered", rule: "TS-CON-34"
        ) {
            context in
            let first = try await context.registered()
            _ = try await context.registered(nil, first.listener.scalar)
            let status = try await context.status(of: context.contactRequest(first.contactIDs[0]))
            try demand(status == 410, "it answers with status \(status)")
        },
        wake.refuses("changed-id", "refuse a contact ID with a changed bit", rule: "TS-CON-40") {
            context in
            let registered = try await context.registered()
            var contactID = registered.contactIDs[0]
            contactID[contactID.count - 1] ^= 1
            let status = try await context.status(of: context.contactRequest(contactID))
            try demand(status != 101, "it answers with status 101")
        },
        wake.refuses(
            "unreachable", "answer 5xx in bounded time when the authenticator is not connected", rule: "TS-CON-36"
        ) { context in
            let registered = try await context.registered()
            await registered.listener.socket.close()
            try await Task.sleep(for: .milliseconds(300))
            let status = try await context.status(of: context.contactRequest(registered.contactIDs[0]))
            try demand(status >= 500, "it answers with status \(status)")
        },
        wake.refuses(
            "silent", "answer 5xx in bounded time when the authenticator does not acknowledge",
            rule: "TS-CON-36"
        ) {
            context in
            let registered = try await context.registered()
            let calling = try await context.calls(registered)
            let head = try await context.answerHead(on: calling.connection)
            try demand(head.status >= 500, "it answers with status \(head.status)")
        },
    ]

    // MARK: - Waiting

    private static let waits = [
        pending.survives(
            "client-gone", "survive a client that disconnects while its authenticator is awaited",
            rule: "TS-CON-39"
        ) { context in
            let registered = try await context.registered()
            let calling = try await context.calls(registered)
            await calling.connection.reset()
            await registered.listener.socket.send(
                AuthenticatorMessage.acknowledge(tunnelID: calling.wake.tunnelID).encoded())
            _ = try await context.calls(registered)
        },
        pending.refuses(
            "nobody-joins", "end a tunnel without a client when its time is over", rule: "HT-TUN-51"
        ) {
            context in
            guard let time = context.pendingTime else {
                throw NotApplicable("it takes long", needs: .pendingTime)
            }
            let authenticator = try await context.authenticator()
            try await context.ends(authenticator.socket, within: time + context.timeout)
            try await context.isRefused(
                context.request("/cable/connect/\(authenticator.routingID)/\(authenticator.tunnelID)"))
        },
        pending.refuses(
            "authenticator-gone", "end the client's tunnel when its authenticator disconnects", rule: "HT-TUN-52"
        ) {
            context in
            let tunnel = try await context.tunnel()
            await tunnel.authenticator.connection.reset()
            try await context.ends(tunnel.client)
        },
    ]
}
