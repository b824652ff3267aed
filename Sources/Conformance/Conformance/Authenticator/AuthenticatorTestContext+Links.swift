internal import Encodings

extension AuthenticatorTestContext {
    /// The longest time between the answer and an update.
    private static let updateTime = Duration.seconds(2)

    /// Runs a contact service beside a case. It passes requests for tunnels on.
    func withContactService<Value: Sendable>(
        _ fault: ScriptedContactService.Fault? = nil,
        _ script: @escaping @Sendable (ScriptedContactService) async throws -> Value
    ) async throws -> Value {
        let contactService = ScriptedContactService(service, timeout: peer.timeout, fault: fault)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await contactService.run()
                return nil
            }
            group.addTask { try await script(contactService) }
            defer { group.cancelAll() }
            while let finished = try await group.next() {
                if let finished { return finished }
            }
            throw CancellationError()
        }
    }

    /// A session of the command that links, from its code to its end, with its updates and exit status.
    struct LinkingSession: Sendable {
        let code: TestCode
        let session: TunnelSession
        /// The updates.
        let updates: [TunnelSession.Update]
        /// The exit status.
        let status: Int32

        /// The linking data, wherever they came.
        func linking() throws -> [(map: CBORMap, update: TunnelSession.Update)] {
            try updates.compactMap { update in
                guard let map = try? CBORValue.decodeLenient(update.payload.span).mapValue else {
                    throw Deviation("its update is not a map of CBOR")
                }
                return map[1].map { value in (value.mapValue ?? CBORMap(), update) }
            }
        }
    }

    /// Goes through a session of the command that links.
    ///
    /// - Parameter linking: key 4 of the code; nil to leave it out.
    func links(_ linking: CBORValue?, _ contactService: ScriptedContactService) async throws -> LinkingSession {
        let code = try TestCode().with(InvitationKey.linking, linking)
        try await peer.start(links.link, url: code.url)
        let request = try await peer.awaits("a request for a tunnel") { try await contactService.requests.next() }
        guard let request else { throw Deviation("it asks for no tunnel") }
        let session = try await connected(rendezvous(request, code))
        _ = try await firstMessage(session)
        let answer = try await ask(session, Self.makeCredential())
        try demand(answer.status == 0, "it refuses makeCredential with status \(hexadecimal(answer.status))")
        if await session.updates.isEmpty {
            _ = try? await within(Self.updateTime, "its update") { try await session.next() }
        }
        try await session.send(TunnelSession.MessageType.shutdown)
        // It may send more until it closes.
        _ = try? await within(Self.updateTime, "its end") { while true { _ = try await session.next() } }
        await session.socket.close()
        let status = try await peer.ended()
        return LinkingSession(code: code, session: session, updates: await session.updates, status: status)
    }

    /// The link that the authenticator offers; made once in a run.
    ///
    /// - Throws: ``NotApplicable`` if it offers none.
    func link() async throws -> ReceivedLink {
        try await linked.link(in: directory) {
            try await withContactService { contactService in try await makeLink(contactService) }
        }
    }

    /// Has the command offer a link in a session of its own.
    ///
    /// - Throws: ``NotApplicable`` if it offers none.
    func makeLink(_ contactService: ScriptedContactService) async throws -> ReceivedLink {
        let scripted = try await links(true, contactService)
        guard let (map, update) = try scripted.linking().first else {
            throw NotApplicable("it offers no link", needs: .linkCommand)
        }
        var registered: [[UInt8]: [UInt8]] = [:]
        for registration in contactService.registrations.takeAll() {
            let taken = try registration.get()
            for (label, contactID) in zip(taken.labels, taken.contactIDs) { registered[label] = contactID }
        }
        return ReceivedLink(
            map: map, update: update, updateCount: scripted.updates.count, client: scripted.code.scalar,
            handshakeHash: scripted.session.keys.handshakeHash, registered: registered)
    }
}
