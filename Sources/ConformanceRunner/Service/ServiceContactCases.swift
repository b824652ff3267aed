internal import ContactProtocol
internal import Cryptography
internal import HybridProtocol

/// Cases of the contact side of a tunnel service: what it refuses to clients, and, where it is of this project's kind, how
/// authenticators register.
enum ServiceContactCases {
    private static let contact = Group<ServiceStage>(
        role: .tunnelService, name: "contact", source: "CTAP 2.2 section 11.5.2, state-assisted transactions")
    private static let listen = Group<ServiceStage>(
        role: .tunnelService, name: "listen", source: "the contact side of this project's tunnel service")

    static let all = badRequests + badPaths + registrations + badRegistrations

    private static let unknownID = "AAAAAAAAAAAAAAAAAAAAAA"

    // MARK: - A client's request

    /// A request for a contact that nobody should answer, whoever is registered.
    private static func refuses(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .secondHand,
        _ change: @escaping @Sendable (ServiceRequest) -> ServiceRequest
    ) -> PlayedCase<ServiceStage> {
        contact.refuses(name, rule, certainty) { stage in
            // By a contact ID that is good, where one can be had: an unknown one would be refused whatever is wrong beside.
            let registered: ServiceStage.Registered?
            do { registered = try await stage.registered() } catch is NotApplicable { registered = nil }
            let right =
                registered.map { stage.contactRequest($0.contactIDs[0]) }
                ?? stage.request(ContactPath.contactPrefix + unknownID)
                .with(ServiceStage.payloadField, ServiceStage.clientPayload)
            try await stage.isRefused(change(right))
            if let registered { try await stage.isNotWoken(registered) }
            try await stage.isAlive()
        }
    }

    private static let badRequests = [
        refuses("post", "a contact is asked for with GET") { $0.with(method: "POST") },
        refuses("no-subprotocol", "a contact request offers fido.cable", .certain) {
            $0.with("Sec-WebSocket-Protocol")
        },
        refuses("other-subprotocol", "a contact request offers fido.cable, nothing else", .certain) {
            $0.with("Sec-WebSocket-Protocol", "fido.other")
        },
        refuses("payload-twice", "a contact request has one payload") {
            $0.with(ServiceStage.payloadField, ServiceStage.clientPayload, ServiceStage.clientPayload)
        },
        refuses("payload-empty", "a payload is not empty") { $0.with(ServiceStage.payloadField, "") },
        refuses("payload-odd", "a payload has two digits a byte") { $0.with(ServiceStage.payloadField, "a30") },
        refuses("payload-not-hex", "a payload is hexadecimal") { $0.with(ServiceStage.payloadField, "xyzw") },
        refuses("payload-of-4-kib", "a payload has a bound") {
            $0.with(ServiceStage.payloadField, String(repeating: "a3", count: 4_096))
        },
        refuses("payload-of-1-mib", "nobody reads a payload of a megabyte", .certain) {
            $0.with(ServiceStage.payloadField, String(repeating: "a3", count: 1 << 19))
        },
        refuses("origin-page", "a web page may not ask for a contact") { $0.with("Origin", "https://evil.example") },
    ]

    private static let badPaths =
        [
            ("id-padded", "base64url has no padding here", "AAAAAAAAAAAAAAAAAAAAAA=="),
            ("id-plus", "base64url has no +", "AAAA+AAA"), ("id-percent", "a contact ID has no %", "AAAA%2FAA"),
            ("id-of-1-digit", "one digit of base64url is no byte", "A"),
            ("id-slash", "a contact ID has no /", "AAAA/AAAA"),
            ("id-of-5000-bytes", "a contact ID has a bound", String(repeating: "A", count: 6_700)),
            ("id-of-1-mib", "nobody reads a contact ID of a megabyte", String(repeating: "A", count: 1 << 20)),
        ].map { name, rule, id in
            refuses(name, rule) { request in
                var request = request
                request.path = ContactPath.contactPrefix + id
                return request
            }
        } + [
            contact.refuses(
                "unknown-410", "a contact ID that was never given is answered with 410, so that it is forgotten",
                .disputed
            ) { stage in
                let request = stage.contactRequest(try randomBytes(count: 41))
                throw Observation("answers with status \(try await stage.status(of: request))")
            }
        ]

    // MARK: - Registrations

    private static func listens(
        _ name: String, _ rule: String, _ play: @escaping @Sendable (ServiceStage) async throws -> Void
    ) -> PlayedCase<ServiceStage> { listen.behaves(name, rule, .secondHand, play) }

    private static let registrations = [
        listens("hello", "an authenticator is greeted with a challenge, another one each time") { stage in
            let first = try await stage.listener(), second = try await stage.listener()
            try demand(first.challenge != second.challenge, "it gives a challenge twice")
        },
        listens("registers", "a registration is answered with a contact ID a label, and another challenge") { stage in
            let registered = try await stage.registers(stage.listener(), [ServiceStage.label(), ServiceStage.label()])
            try demand(Set(registered.contactIDs).count == 2, "it gives a contact ID twice")
            try demand(registered.nextChallenge != registered.listener.challenge, "it gives a challenge twice")
        },
        listens("same-id", "the same key and label have the same contact ID") { stage in
            let label = try ServiceStage.label()
            let first = try await stage.registered(label)
            let again = try await stage.registered(label, first.listener.scalar)
            try demand(first.contactIDs == again.contactIDs, "it gives another contact ID")
        },
        listens("other-key", "nobody is given another's contact ID for its label") { stage in
            let label = try ServiceStage.label()
            let first = try await stage.registered(label), other = try await stage.registered(label)
            try demand(first.contactIDs != other.contactIDs, "it gives the same contact ID to another key")
        },
        listens("again", "labels are replaced by another registration, with the next challenge") { stage in
            let first = try await stage.registered()
            let again = ServiceStage.Listener(
                socket: first.listener.socket, challenge: first.nextChallenge, host: first.listener.host,
                scalar: first.listener.scalar)
            let second = try await stage.registers(again, [ServiceStage.label()])
            let status = try await stage.status(of: stage.contactRequest(first.contactIDs[0]))
            try demand(status == 410, "the old contact ID is answered with \(status), not 410")
            let calling = try await stage.calls(second)
            try demand(calling.wake.contactID == second.contactIDs[0], "it wakes by another contact ID")
        },
        listens("not-listening", "who does not listen is given contact IDs, and the connection ends") { stage in
            let registered = try await stage.registers(stage.listener(), [ServiceStage.label()], listens: false)
            try await stage.ends(registered.listener.socket)
        },
        listens("replaced", "a newer connection of the same key takes over: the older one is closed") { stage in
            let label = try ServiceStage.label()
            let first = try await stage.registered(label)
            let second = try await stage.registered(label, first.listener.scalar)
            try await stage.ends(first.listener.socket)
            _ = try await stage.calls(second)
        },
    ]

    /// A registration that proves nothing.
    private static func unproved(
        _ name: String, _ rule: String,
        _ message: @escaping @Sendable (ServiceStage, ServiceStage.Listener) throws -> [UInt8]
    ) -> PlayedCase<ServiceStage> {
        listen.refuses(name, rule, .secondHand) { stage in
            let listener = try await stage.listener()
            try await stage.refusesRegistration(listener, message(stage, listener))
        }
    }

    private static let badRegistrations = [
        unproved("other-host", "a proof is for this service's name") { stage, listener in
            try AuthenticatorMessage.register(
                stage.registration(listener, [ServiceStage.label()], host: "evil.example")
            )
            .encoded()
        },
        unproved("other-challenge", "a proof is for the challenge that was given") { stage, listener in
            let challenge = try randomBytes(count: ContactRegistration.challengeByteCount)
            return try AuthenticatorMessage.register(
                stage.registration(listener, [ServiceStage.label()], challenge: challenge)
            ).encoded()
        },
        unproved("signature", "every bit of a proof counts") { stage, listener in
            var message = try AuthenticatorMessage.register(stage.registration(listener, [ServiceStage.label()]))
                .encoded()
            // The public key comes first, then the proof: its last byte stands before the list of labels.
            message[message.count - 14] ^= 1
            return message
        },
        unproved("empty", "a message is a map") { _, _ in [0x80] },
        unproved("nonsense", "a message is CBOR") { _, _ in [0xFF] },
        unproved("unknown-type", "a type that nobody knows ends the connection") { _, _ in [0xA1, 0x00, 0x18, 0x63] },
        unproved("acknowledge-first", "an authenticator registers before anything else") { _, _ in
            AuthenticatorMessage.acknowledge(tunnelID: [UInt8](repeating: 1, count: 16)).encoded()
        },
        unproved("64-kib", "a message has a bound") { _, _ in [UInt8](repeating: 0x40, count: 1 << 16) },
        listen.refuses("challenge-replayed", "a challenge is good for one registration", .secondHand) { stage in
            let registered = try await stage.registered()
            let again = try stage.registration(registered.listener, [ServiceStage.label()])
            try await stage.refusesRegistration(
                registered.listener, AuthenticatorMessage.register(again).encoded())
        },
        listen.refuses("other-key-later", "a connection serves one authenticator", .secondHand) { stage in
            let registered = try await stage.registered()
            let other = ServiceStage.Listener(
                socket: registered.listener.socket, challenge: registered.nextChallenge,
                host: registered.listener.host, scalar: try P256.PrivateKey.generate().scalar().copied())
            let registration = try stage.registration(other, [ServiceStage.label()])
            try await stage.refusesRegistration(other, AuthenticatorMessage.register(registration).encoded())
        },
        listen.refuses("text", "a text message ends the connection", .secondHand) { stage in
            let listener = try await stage.listener()
            await listener.socket.send(WireFrame(opcode: WireFrame.Opcode.text, payload: [0x61]))
            try await stage.ends(listener.socket)
        },
    ]
}
