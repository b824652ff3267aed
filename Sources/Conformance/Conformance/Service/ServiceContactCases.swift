internal import Cryptography
internal import HybridProtocol

/// Cases of a tunnel service's contact service: the contact requests that it refuses, and, where it is of this
/// project's kind, the registration of authenticators.
enum ServiceContactCases {
    private static let contact = CaseGroup<ServiceTestContext>(
        role: .tunnelService, name: "contact", rule: "HT-TUN-17", profile: .linked)
    private static let listen = CaseGroup<ServiceTestContext>(
        role: .tunnelService, name: "listen", rule: "TS-CON-4", profile: .linked)

    static let all = badRequests + badPaths + registrations + badRegistrations

    private static let unknownID = "AAAAAAAAAAAAAAAAAAAAAA"

    // MARK: - A client's request

    /// A contact request that is refused although its contact ID is registered.
    private static func refuses(
        _ name: String, _ requirement: String,
        rule: String? = nil,
        change: @escaping @Sendable (ServiceRequest) -> ServiceRequest
    ) -> ScriptedCase<ServiceTestContext> {
        contact.refuses(name, requirement, rule: rule) { try await isRefused($0, change) }
    }

    private static func isRefused(
        _ context: ServiceTestContext, _ change: (ServiceRequest) -> ServiceRequest
    ) async throws {
        // By a contact ID that is good, where one can be had: an unknown one would be refused whatever is wrong beside.
        let registered: ServiceTestContext.Registered?
        do { registered = try await context.registered() } catch is NotApplicable { registered = nil }
        let right =
            registered.map { context.contactRequest($0.contactIDs[0]) }
            ?? context.request(TunnelPath.contactPrefix + unknownID)
            .with(ServiceTestContext.payloadField, ServiceTestContext.clientPayload)
        try await context.isRefused(change(right))
        if let registered { try await context.isNotWoken(registered) }
        try await context.isAlive()
    }

    private static let badRequests = [
        refuses("post", "refuse a contact request with POST", rule: "HT-TUN-18") { $0.with(method: "POST") },
        refuses(
            "no-subprotocol", "refuse a contact request that does not offer fido.cable",
            rule: "HT-TUN-21"
        ) {
            $0.with("Sec-WebSocket-Protocol")
        },
        refuses(
            "other-subprotocol", "refuse a contact request that offers another subprotocol",
            rule: "HT-TUN-21"
        ) {
            $0.with("Sec-WebSocket-Protocol", "fido.other")
        },
        refuses("payload-twice", "refuse a contact request with two client payloads", rule: "HT-TUN-17") {
            $0.with(ServiceTestContext.payloadField, ServiceTestContext.clientPayload, ServiceTestContext.clientPayload)
        },
        refuses("payload-empty", "refuse an empty client payload", rule: "HT-TUN-17") {
            $0.with(ServiceTestContext.payloadField, "")
        },
        refuses("payload-of-4-kib", "refuse a client payload of 4 KiB", rule: "HT-TUN-17") {
            $0.with(ServiceTestContext.payloadField, String(repeating: "a3", count: 4_096))
        },
        refuses("payload-of-1-mib", "refuse a client payload of 1 MiB of digits", rule: "HT-TUN-17") {
            $0.with(ServiceTestContext.payloadField, String(repeating: "a3", count: 1 << 19))
        },
        refuses("payload-odd", "refuse a client payload with an odd number of digits", rule: "HT-TUN-17") {
            $0.with(ServiceTestContext.payloadField, String(ServiceTestContext.clientPayload.dropLast()))
        },
        refuses("payload-not-hex", "refuse a client payload that is not hexadecimal", rule: "HT-TUN-17") {
            $0.with(ServiceTestContext.payloadField, ServiceTestContext.clientPayload.dropLast() + "g")
        },
        refuses("origin-page", "refuse a contact request with the Origin of a web page", rule: "HT-TUN-12") {
            $0.with("Origin", "https://evil.example")
        },
    ]

    private static let badPaths =
        [
            ("id-padded", "refuse a contact ID with base64 padding", "AAAAAAAAAAAAAAAAAAAAAA=="),
            ("id-plus", "refuse a contact ID with a plus sign, which base64url does not have", "AAAA+AAA"),
            ("id-percent", "refuse a contact ID with a percent sign", "AAAA%2FAA"),
            ("id-of-1-digit", "refuse a contact ID of one base64url digit, which is not a byte", "A"),
            ("id-slash", "refuse a contact ID with a slash", "AAAA/AAAA"),
            ("id-of-5000-bytes", "refuse a contact ID of 5,000 bytes", String(repeating: "A", count: 6_700)),
            ("id-of-1-mib", "refuse a contact ID of 1 MiB of digits", String(repeating: "A", count: 1 << 20)),
        ].map { name, requirement, id in
            let rule = name.hasPrefix("id-of-") && id.count > 1 ? "HT-TUN-15" : "HT-TUN-14"
            return refuses(name, requirement, rule: rule) { request in
                var request = request
                request.path = TunnelPath.contactPrefix + id
                return request
            }
        } + [
            contact.refuses(
                "unknown-410", "answer 410 for a contact ID that was never given", rule: "HT-CON-33"
            ) { context in
                let request = context.contactRequest(randomBytes(count: 41))
                throw ObservedBehaviour("answers with status \(try await context.status(of: request))")
            }
        ]

    // MARK: - Registrations

    private static func listens(
        _ name: String, _ requirement: String, rule: String,
        _ script: @escaping @Sendable (ServiceTestContext) async throws -> Void
    ) -> ScriptedCase<ServiceTestContext> { listen.behaves(name, requirement, rule: rule, script: script) }

    private static let registrations = [
        listens("hello", "send a hello with a new challenge on each connection", rule: "TS-CON-8") { context in
            let first = try await context.listener(), second = try await context.listener()
            try demand(first.challenge != second.challenge, "it gives the same challenge twice")
        },
        listens(
            "registers", "answer a registration with a contact ID for each label and a new challenge",
            rule: "TS-CON-11"
        ) {
            context in
            let registered = try await context.registers(
                context.listener(), [ServiceTestContext.label(), ServiceTestContext.label()])
            try demand(Set(registered.contactIDs).count == 2, "it gives the same contact ID twice")
            try demand(registered.nextChallenge != registered.listener.challenge, "it gives the same challenge twice")
        },
        listens("same-id", "give the same contact ID for the same key and label", rule: "TS-CON-12") { context in
            let label = try ServiceTestContext.label()
            let first = try await context.registered(label)
            let again = try await context.registered(label, first.listener.scalar)
            try demand(first.contactIDs == again.contactIDs, "it gives another contact ID")
        },
        listens("other-key", "not give two keys the same contact ID for one label", rule: "TS-CON-12") {
            context in
            let label = try ServiceTestContext.label()
            let first = try await context.registered(label), other = try await context.registered(label)
            try demand(first.contactIDs != other.contactIDs, "it gives the same contact ID to another key")
        },
        listens("again", "replace the labels with those of a later registration", rule: "TS-CON-13") { context in
            let first = try await context.registered()
            let again = ServiceTestContext.Listener(
                socket: first.listener.socket, challenge: first.nextChallenge, host: first.listener.host,
                scalar: first.listener.scalar)
            let second = try await context.registers(again, [ServiceTestContext.label()])
            let status = try await context.status(of: context.contactRequest(first.contactIDs[0]))
            try demand(status == 410, "it answers a request for the old contact ID with status \(status), not 410")
            let calling = try await context.calls(second)
            try demand(calling.wake.contactID == second.contactIDs[0], "the wake has another contact ID")
        },
        listens(
            "not-listening", "close the connection of an authenticator that does not listen", rule: "TS-CON-16"
        ) { context in
            let registered = try await context.registers(
                context.listener(), [ServiceTestContext.label()], listens: false)
            try await context.ends(registered.listener.socket)
        },
        listens("replaced", "close the older of two connections with the same key", rule: "TS-CON-15") {
            context in
            let label = try ServiceTestContext.label()
            let first = try await context.registered(label)
            let second = try await context.registered(label, first.listener.scalar)
            try await context.ends(first.listener.socket)
            _ = try await context.calls(second)
        },
    ]

    /// A registration that proves nothing.
    private static func unproved(
        _ name: String, _ requirement: String, rule: String,
        _ message: @escaping @Sendable (ServiceTestContext, ServiceTestContext.Listener) throws -> [UInt8]
    ) -> ScriptedCase<ServiceTestContext> {
        listen.refuses(name, requirement, rule: rule) { context in
            let listener = try await context.listener()
            try await context.refusesRegistration(listener, message(context, listener))
        }
    }

    private static let badRegistrations = [
        unproved("other-host", "refuse a registration signed for another host", rule: "TS-CON-19") {
            context, listener in
            try AuthenticatorMessage.register(
                context.registration(listener, [ServiceTestContext.label()], host: "evil.example")
            )
            .encoded()
        },
        unproved("other-challenge", "refuse a registration signed for another challenge", rule: "TS-CON-20") {
            context, listener in
            let challenge = randomBytes(count: ContactRegistration.challengeByteCount)
            return try AuthenticatorMessage.register(
                context.registration(listener, [ServiceTestContext.label()], challenge: challenge)
            ).encoded()
        },
        unproved("signature", "refuse a registration whose signature has a changed bit", rule: "TS-CON-19") {
            context, listener in
            var message = try AuthenticatorMessage.register(
                context.registration(listener, [ServiceTestContext.label()])
            )
            .encoded()
            // The public key comes first, then the proof: its last byte stands before the list of labels.
            message[message.count - 14] ^= 1
            return message
        },
        unproved("empty", "refuse a message that is an array, not a map", rule: "TS-CON-4") { _, _ in [0x80] },
        unproved("nonsense", "refuse a message that is not CBOR", rule: "TS-CON-4") { _, _ in [0xFF] },
        unproved("unknown-type", "close the connection on a message of unknown type", rule: "TS-CON-4") { _, _ in
            [0xA1, 0x00, 0x18, 0x63]
        },
        unproved("acknowledge-first", "refuse an acknowledgement before a registration", rule: "TS-CON-10") {
            _, _ in
            AuthenticatorMessage.acknowledge(tunnelID: [UInt8](repeating: 1, count: 16)).encoded()
        },
        unproved("64-kib", "refuse a message of 64 KiB", rule: "TS-CON-5") { _, _ in
            [UInt8](repeating: 0x40, count: 1 << 16)
        },
        listen.refuses(
            "challenge-replayed", "refuse a second registration with the same challenge",
            rule: "TS-CON-20"
        ) {
            context in
            let registered = try await context.registered()
            let again = try context.registration(registered.listener, [ServiceTestContext.label()])
            try await context.refusesRegistration(
                registered.listener, AuthenticatorMessage.register(again).encoded())
        },
        listen.refuses(
            "other-key-later", "refuse a registration with another key on the same connection",
            rule: "TS-CON-14"
        ) { context in
            let registered = try await context.registered()
            let other = ServiceTestContext.Listener(
                socket: registered.listener.socket, challenge: registered.nextChallenge,
                host: registered.listener.host, scalar: try P256.PrivateKey.generate().scalar().copied())
            let registration = try context.registration(other, [ServiceTestContext.label()])
            try await context.refusesRegistration(other, AuthenticatorMessage.register(registration).encoded())
        },
        listen.refuses("text", "close the connection on a text message", rule: "TS-CON-6") {
            context in
            let listener = try await context.listener()
            await listener.socket.send(WireFrame(opcode: WireFrame.Opcode.text, payload: [0x61]))
            try await context.ends(listener.socket)
        },
    ]
}
