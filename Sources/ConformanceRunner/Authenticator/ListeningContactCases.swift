internal import CBOR
internal import ContactProtocol
internal import Cryptography
internal import Edges

/// Cases of an authenticator and the service that wakes it: how it registers, comes back, and answers.
enum ListeningContactCases {
    private static let contact = Group<AuthenticatorStage>(
        role: .authenticator, name: "contact", source: "the contact side of this project's tunnel service")

    static let all = [
        contact.listening("registers", "an authenticator registers the links that it has, and listens", .secondHand) {
            stage in
            try demand(stage.registration.listens, "it does not listen")
            try demand(
                try stage.registration.labels == [stage.link.linkID],
                "it registers \(stage.registration.labels.count) labels")
        },
        contact.listening("acknowledges", "a wake is acknowledged before anything else", .secondHand) { stage in
            let call = try await stage.call()
            let answer = try await stage.peer.awaits("its answer") { try await stage.side.answers.next() }
            try demand(answer == .acknowledge(tunnelID: call.wake.tunnelID), "it answers something else")
        },
        contact.listening(
            "announced-again", "a wake that is announced again is acknowledged again, and joined once",
            .secondHand
        ) { stage in
            let call = try await stage.call()
            let socket = try await stage.joins(call).answer(stage.acceptance)
            try await stage.side.wake(stage.link.contactID, call.wake)
            let message = try? await within(.seconds(1), "another request") { try await stage.side.requests.next() }
            try demand(message == nil, "it joins a tunnel twice")
            await socket.close()
        },
        contact.listening("reconnects", "an authenticator comes back when the connection is lost", .secondHand) {
            try await $0.comesBack()
        },
        comesBack("503", "an authenticator comes back though the service is down at first", .status(503)),
        comesBack("429", "an authenticator comes back though the service had too many requests", .status(429)),
        comesBack(
            "timed-out", "an authenticator comes back though its registration came too late",
            .closes(ContactCloseCode.registrationTimeout)),
        contact.listening(
            "replaced", "an authenticator whose place another one has taken does not take it back", .secondHand
        ) { stage in
            await stage.side.hangUp(ContactCloseCode.replaced)
            let again = try? await within(.seconds(3), "its registration") {
                try await stage.side.registrations.next()
            }
            try demand(again == nil, "it registers again")
        },
        contact.refuses("foreign-contact-id", "a wake by a contact ID that is not its own is declined", .secondHand) {
            try await ListeningStage.with($0) { stage in
                let payload = try stage.payload().encoded()
                try await stage.turnsAway(stage.wake(payload, contactID: randomBytes(count: 32)))
            }
        },
    ]

    /// An authenticator that is not let in at first.
    private static func comesBack(
        _ name: String, _ rule: String, _ fault: ContactSide.Fault
    ) -> PlayedCase<AuthenticatorStage> {
        contact.listening("reconnects-\(name)", rule, .secondHand) { stage in
            stage.side.fail(next: fault)
            try await stage.comesBack()
        }
    }
}

extension Group<AuthenticatorStage> {
    /// A case of what an authenticator that waits for linked clients has to do.
    func listening(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ play: @escaping @Sendable (ListeningStage) async throws -> Void
    ) -> PlayedCase<AuthenticatorStage> {
        behaves(name, rule, certainty) { try await ListeningStage.with($0, play) }
    }
}
