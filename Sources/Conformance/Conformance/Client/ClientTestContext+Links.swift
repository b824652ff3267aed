internal import Encodings
internal import HybridProtocol

extension ClientTestContext {
    /// The moment of an authenticator's update.
    enum UpdateMoment: Sendable {
        case beforeRequest, beforeAnswer, afterAnswer
        /// After the client's shutdown.
        case late
    }

    /// The delay of a late update.
    private static let lateUpdateDelay = Duration.milliseconds(700)

    /// Starts the command that offers to be linked.
    ///
    /// - Throws: ``NotApplicable`` if its code does not offer it.
    func offer() async throws -> ScannedCode {
        let code = try await start(links.link)
        guard code.map[InvitationKey.linking] == true else {
            throw NotApplicable("its code does not offer to be linked", needs: .linkCommand)
        }
        return code
    }

    /// Goes through a session of a client that offers to be linked, in which all is right except, perhaps,
    /// the additional messages.
    ///
    /// - Parameters:
    ///   - moment: the moment at which the messages are sent.
    ///   - messages: the messages to send then, each with its type byte.
    /// - Returns: the command's exit status.
    @discardableResult
    func links(
        at moment: UpdateMoment = .beforeAnswer, _ messages: @Sendable (LinkableSession) throws -> [[UInt8]]
    ) async throws -> Int32 {
        let code = try await offer()
        let session = try await answer(receiveHandshake(rendezvousByCode(code)))
        let linkable = LinkableSession(client: code.publicKey, handshakeHash: session.keys.handshakeHash)
        let messages = try messages(linkable)
        try await session.send(Self.firstMessage.encoded())
        if moment == .beforeRequest { for message in messages { try await session.send(message) } }
        let answer: [UInt8]
        do {
            answer = await Self.answer(to: try await request(session))
        } catch is WebSocketEnd.Closed {
            return try await peer.ended()
        }
        if moment == .beforeAnswer { for message in messages { try await session.send(message) } }
        // A client that refuses the linking data may read no more.
        await peer.record.mistakeIsSent(awaitsReaction: false)
        try await session.send(TunnelSession.MessageType.ctap, answer)
        if moment == .afterAnswer { for message in messages { try await session.send(message) } }
        if moment == .late {
            try await sendLate(messages, in: session)
        } else {
            _ = try? await session.goesNoFurther()
        }
        return try await peer.ended()
    }

    /// As ``rendezvous(_:)``, for a client that may ask linked authenticators beside: they cannot be reached.
    func rendezvousByCode(_ code: ScannedCode) async throws -> Rendezvous {
        let plaintext = plaintext()
        let request = try await transmitter.send([TestAdvert(data: Self.seal(plaintext, code))]) {
            while true {
                let request = try await self.request()
                guard request.head.path.hasPrefix(LinkedClientTestContext.contactPath) else { return request }
                try await request.answer(.status(503)).connection.close()
            }
        }
        return Rendezvous(code: code, plaintext: plaintext, request: request)
    }

    private func sendLate(_ messages: [[UInt8]], in session: TunnelSession) async throws {
        do {
            let shutdown = try await session.next("its shutdown")
            guard shutdown == [TunnelSession.MessageType.shutdown] else {
                throw Deviation("it goes on after the answer, with a message of \(shutdown.count) bytes")
            }
        } catch is WebSocketEnd.Closed {
            throw Deviation("it closes without a shutdown, and receives no update after its request")
        }
        try await Task.sleep(for: Self.lateUpdateDelay)
        for message in messages { try await session.send(message) }
        await session.socket.closeAndWait(1000)
    }

    /// Makes a link, and demands that the session goes well.
    func makeLink(_ link: TestLink) async throws {
        let status = try await links { [TestLink.update(try link.map($0))] }
        try demand(status == 0, "the session that brings its link ends with exit status \(status)")
    }

    /// Runs the command that asks linked authenticators.
    ///
    /// - Returns: its contact request; nil if it sends none for this link, and does for others.
    /// - Throws: ``NotApplicable`` if the client sends none for any link; ``Deviation`` if it asks for a tunnel of
    ///   another kind, or crashes.
    func asks() async throws -> PendingRequest? {
        if let request = try await asksOnce() { return request }
        let isUsing = try await linked.usesLinks {
            peer.kill()
            try await makeLink(TestLink())
            return try await asksOnce() != nil
        }
        guard isUsing else {
            throw NotApplicable(
                "it sends no contact request for any link, as \(Self.plainLinkCase) reports",
                needs: links.linked == nil ? .linkedCommand : nil)
        }
        return nil
    }

    /// The name of the case that demands a contact request for a link with nothing special about it.
    static let plainLinkCase = "client/link/kept"

    /// As ``asks()``, whether or not the client uses links.
    func asksOnce() async throws -> PendingRequest? {
        // A command that was given a link before may have asked for another one's authenticator, and not waited for the
        // answer.
        await service.closeWaiting()
        let program = try await peer.start(links.linked ?? links.link)
        let request = try await withThrowingTaskGroup(of: PendingRequest?.self) { group in
            group.addTask { [service, peer] in
                try await Self.request(on: service.accept(), timeout: peer.timeout)
            }
            group.addTask {
                _ = try await program.waitForEnd()
                return nil
            }
            group.addTask {
                try await Self.waitForCode(of: program)
                try await Task.sleep(for: Self.absenceTimeout)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        if let request {
            let isContact = request.head.path.hasPrefix(LinkedClientTestContext.contactPath)
            try demand(isContact, "it asks for \(request.head.path.prefix(80)) where it should ask for its link")
        } else if peer.hasEnded {
            try await peer.ended()
        }
        return request
    }

    /// Waits until a command has shown a code: when it has, it has asked its linked authenticators, or is about to.
    private static func waitForCode(of program: PeerProgram) async throws {
        var reader = CodeReader()
        while let piece = try await program.nextOutput() {
            if reader.take(piece) != nil { return }
        }
        _ = try await program.waitForEnd()
    }

    /// Demands that the command sends a contact request for a link.
    ///
    /// - Parameter isPlain: true of the case whose rule is just that.
    func sendsContactRequest(_ link: TestLink, isPlain: Bool = false) async throws -> PendingRequest {
        guard let request = try await isPlain ? asksOnce() : asks() else {
            throw Deviation("it sends no contact request for its link")
        }
        let path = LinkedClientTestContext.path(of: link)
        try demand(request.head.path == path, "it asks for \(request.head.path.prefix(80)), not \(path.prefix(80))")
        return request
    }

    /// Demands that the command sends no contact request.
    func sendsNoContactRequest(_ why: String) async throws {
        guard let request = try await asks() else { return }
        throw Deviation("\(why): it asks for \(request.head.path.prefix(80))")
    }
}
