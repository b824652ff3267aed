package import HybridProtocol
package import HybridTransport
package import KeyPassthrough
package import PasskeyAuthenticator
package import UserVerification

/// Answers a QR code and serves its session.
package struct CodeAnswerer: Sendable {
    private let parts: CeremonyParts
    private let approval: any UserApproval
    private let credentials: CredentialHandler?
    private let offerer: LinkOfferer?
    private let log: SessionLog
    private let observe: EventListener

    /// Makes one.
    ///
    /// - Parameters:
    ///   - parts: the parts of the ceremony.
    ///   - approval: asks the user.
    ///   - credentials: answers digital-credential requests; nil if they are not offered.
    ///   - offerer: makes a link with the client; nil if it is not to be linked.
    ///   - log: gets the session's requests and answers.
    ///   - observe: is told of the ceremony, and when it has ended.
    package init(
        parts: CeremonyParts, approval: any UserApproval, credentials: CredentialHandler?,
        offerer: LinkOfferer?, log: SessionLog, observe: @escaping EventListener
    ) {
        self.parts = parts
        self.approval = approval
        self.credentials = credentials
        self.offerer = offerer
        self.log = log
        self.observe = observe
    }

    /// Answers a QR code. Returns when the client has ended the session.
    ///
    /// - Parameters:
    ///   - invitation: the contents of the QR code.
    ///   - store: the passkeys that are offered; nil to offer digital credentials alone, and no link.
    /// - Throws: `HybridTransportError`.
    package func answer(
        _ invitation: consuming Invitation, with store: (any CredentialStore)?
    ) async throws {
        let gate = gate(invitation.details.hint)
        let offer =
            if let store {
                gate.offer(passkeys: store, approval: approval, credentials: credentials)
            } else if let credentials {
                gate.offer(credentials)
            } else {
                gate.offer(passkeys: InMemoryCredentialStore(), approval: approval)
            }
        // Without the passkeys the links are not open either.
        let linking = store.flatMap { offerer?.linking(with: $0) } ?? .none
        try await serve(invitation, linking, offer)
    }

    /// Answers a QR code with the passkeys of a security key that is plugged in here; no link is offered. Returns when
    /// the client has ended the session.
    ///
    /// - Throws: `HybridTransportError`.
    package func answer(_ invitation: consuming Invitation, passingThrough key: PassthroughKey) async throws {
        let offer = gate(invitation.details.hint).offer(key, credentials: credentials)
        try await serve(invitation, .none, offer)
    }

    private func gate(_ announced: RequestHint) -> SessionGate {
        SessionGate(announced: announced, limits: parts.limits, log: log, observe: observe)
    }

    private func serve(_ invitation: consuming Invitation, _ linking: AuthenticatorLinking, _ offer: SessionOffer)
        async throws
    {
        let ceremony = try parts.authenticator(observe: observe)
        defer { observe(AgentEvent.ceremonyEnded) }
        _ = try await ceremony.run(invitation, linking: linking, offer: offer)
    }
}
