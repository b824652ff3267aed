internal import Cryptography
internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// Cases of an authenticator and the service that wakes it: how it registers, comes back, and answers.
enum ListeningContactCases {
    private static let contact = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "contact", rule: "TS-CON-21", profile: .linked)

    static let all = [
        contact.listening(
            "registers", "register the labels of its links, and listen", rule: "TS-CON-9"
        ) {
            context in
            try demand(context.registration.listens, "it does not listen")
            try demand(
                try context.registration.labels == [context.link.linkID],
                "it registers \(context.registration.labels.count) labels")
        },
        contact.listening(
            "acknowledges", "acknowledge a wake before it sends anything else", rule: "TS-CON-26"
        ) {
            context in
            let call = try await context.call()
            let answer = try await context.peer.awaits("its answer") { try await context.contactService.answers.next() }
            try demand(
                answer == .acknowledge(tunnelID: call.wake.tunnelID),
                "its first answer is not an acknowledgement of the wake")
        },
        contact.listening(
            "announced-again", "not join the tunnel of a repeated wake a second time", rule: "TS-CON-28"
        ) { context in
            let call = try await context.call()
            let socket = try await context.joins(call).answer(context.acceptance)
            try await context.contactService.wake(context.link.contactID, call.wake)
            let message = try? await within(.seconds(1), "another request") {
                try await context.contactService.requests.next()
            }
            try demand(message == nil, "it joins a tunnel twice")
            await socket.close()
        },
        contact.listening(
            "reconnects", "connect and register again when the connection is lost",
            rule: "TS-CON-21"
        ) {
            try await $0.reconnects()
        },
        reconnects("503", "connect again although the service answers 503 at first", .status(503)),
        reconnects("429", "connect again although the service answers 429 at first", .status(429)),
        reconnects(
            "timed-out", "connect again after its connection was closed for a late registration",
            .closes(CloseCode.registrationTimeout.rawValue)),
        contact.listening(
            "replaced", "not connect again after another connection has replaced its own",
            rule: "TS-CON-22"
        ) { context in
            await context.contactService.closeListener(CloseCode.replaced.rawValue)
            let again = try? await within(.seconds(3), "its registration") {
                try await context.contactService.registrations.next()
            }
            try demand(again == nil, "it registers again")
        },
        contact.refuses(
            "foreign-contact-id", "not join a tunnel for a wake with a contact ID that is not its own",
            rule: "TS-CON-27"
        ) {
            try await ListeningTestContext.with($0) { context in
                let payload = try context.payload().encoded()
                try await context.ignores(context.wake(payload, contactID: randomBytes(count: 32)))
            }
        },
    ]

    /// An authenticator that is not let in at first.
    private static func reconnects(
        _ name: String, _ requirement: String, _ fault: ScriptedContactService.Fault
    ) -> ScriptedCase<AuthenticatorTestContext> {
        contact.listening("reconnects-\(name)", requirement) { context in
            context.contactService.fail(next: fault)
            try await context.reconnects()
        }
    }
}

extension CaseGroup<AuthenticatorTestContext> {
    /// A case that demands a behaviour of an authenticator that waits for linked clients.
    func listening(
        _ name: String, _ requirement: String, rule: String? = nil,
        script: @escaping @Sendable (ListeningTestContext) async throws -> Void
    ) -> ScriptedCase<AuthenticatorTestContext> {
        behaves(name, requirement, rule: rule) { try await ListeningTestContext.with($0, script) }
    }
}
