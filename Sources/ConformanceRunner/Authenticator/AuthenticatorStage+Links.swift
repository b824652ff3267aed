internal import CBOR

extension AuthenticatorStage {
    /// How long an update is waited for after the answer.
    private static let updateTime = Duration.seconds(2)

    /// Lets a contact side run beside a case. Requests for tunnels come through it then.
    func withContactSide<Result: Sendable>(
        _ fault: ContactSide.Fault? = nil, _ play: @escaping @Sendable (ContactSide) async throws -> Result
    ) async throws -> Result {
        let side = ContactSide(service, patience: peer.patience, fault: fault)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                try await side.run()
                return nil
            }
            group.addTask { try await play(side) }
            defer { group.cancelAll() }
            while let finished = try await group.next() {
                if let finished { return finished }
            }
            throw CancellationError()
        }
    }

    /// A session of the command that links, from its code to its end, and what came of it.
    struct LinkingSession: Sendable {
        let code: TestCode
        let session: PlayedSession
        /// The updates.
        let updates: [PlayedSession.Update]
        /// The exit status.
        let status: Int32

        /// The linking data, wherever they came.
        func linking() throws -> [(map: CBORMap, update: PlayedSession.Update)] {
            try updates.compactMap { update in
                guard let map = try? CBORValue.decodeLenient(update.payload.span).mapValue else {
                    throw Deviation("its update is no map of CBOR")
                }
                return map[1].map { value in (value.mapValue ?? CBORMap(), update) }
            }
        }
    }

    /// Goes through a session of the command that links.
    ///
    /// - Parameter linking: key 4 of the code; nil to leave it out.
    func links(_ linking: CBORValue?, _ side: ContactSide) async throws -> LinkingSession {
        let code = try TestCode().with(TestCode.Key.linking, linking)
        try await peer.start(links.link, url: code.url)
        let request = try await peer.awaits("a request for a tunnel") { try await side.requests.next() }
        guard let request else { throw Deviation("it asks for no tunnel") }
        let session = try await connected(meet(request, code))
        _ = try await firstMessage(session)
        let answer = try await ask(session, Self.makeCredential())
        try demand(answer.status == 0, "it refuses makeCredential with status \(hexadecimal(answer.status))")
        if await session.updates.isEmpty {
            _ = try? await within(Self.updateTime, "its update") { try await session.next() }
        }
        try await session.send(PlayedSession.MessageType.shutdown)
        // What else it sends until it closes.
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
            try await withContactSide { side in try await makeLink(side) }
        }
    }

    /// Has the command offer a link in a session of its own.
    ///
    /// - Throws: ``NotApplicable`` if it offers none.
    func makeLink(_ side: ContactSide) async throws -> ReceivedLink {
        let played = try await links(true, side)
        guard let (map, update) = try played.linking().first else {
            throw NotApplicable("it offers no link: give a command that does with --link-command")
        }
        var registered: [[UInt8]: [UInt8]] = [:]
        for registration in side.registrations.takeAll() {
            let taken = try registration.get()
            for (label, contactID) in zip(taken.labels, taken.contactIDs) { registered[label] = contactID }
        }
        return ReceivedLink(
            map: map, update: update, updateCount: played.updates.count, client: played.code.scalar,
            handshakeHash: played.session.keys.handshakeHash, registered: registered)
    }
}
