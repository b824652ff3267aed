internal import HybridProtocol
internal import HybridTransport
internal import Synchronization

// The sides of a play, each with interfaces of its own.
extension CeremonyPlay {
    private static let getInfo: [UInt8] = [0xa1, 0x01, 0x80]
    private static let command: [UInt8] = [0x02, 0xa0]
    private static let request = #"{"requestType":"credential.get"}"#
    private static let timestamp: UInt64 = 1_700_000_000
    private static let routingID: [UInt8] = [1, 2, 3]

    /// The answer of an authenticator.
    static func answer(of sender: DamageReport.Sender) -> [UInt8] {
        [0x00, 0xa1, 0x01, sender == .linkedAuthenticator ? 0x03 : 0x02]
    }

    private static let response = #"{"response":{}}"#

    /// Plays it to the end.
    func run() async {
        let (urls, shown) = AsyncStream<String>.makeStream()
        let (wakes, woken) = AsyncStream<TestContact.Wake>.makeStream()
        if let acquaintance, awakening != .isGone {
            tunnels.setContact(acquaintance.link.link.contactID, TestContact { woken.yield($0) })
        }
        async let clientEnd: Void = {
            await client { shown.yield($0) }
            shown.finish()
            woken.finish()
        }()
        async let authenticatorEnd: Void = {
            for await url in urls { await self.authenticator(url) }
        }()
        async let linkedEnd: Void = {
            for await wake in wakes { await self.linkedAuthenticator(wake) }
        }()
        _ = await (clientEnd, authenticatorEnd, linkedEnd)
    }

    private func client(_ show: @escaping @Sendable (String) -> Void) async {
        guard let opener = openers[.client] else { return }
        let ceremony = ClientCeremony(
            scanner: scanner, opener: opener, nearby: nearby[.client], limits: Self.limits)
        let linking = ClientLinking(
            links: hasLink ? [acquaintance?.link].compactMap { $0 } : [], isOffered: kind == .codeAndNewLink
        ) { [log] in log.note($0) }
        let isForCTAP = kind != .codeForDigitalCredentials
        await end(.client) {
            let answer = try await ceremony.run(
                hint: isForCTAP ? .getAssertion : .digitalCredentialPresentation, timestamp: Self.timestamp,
                linking: linking, show: hasCode ? show : nil
            ) { connection in
                isForCTAP
                    ? try await connection.send(Self.command)
                    : Array(try await connection.send(json: Self.request).utf8)
            }
            return Journal.Ending(answer: answer)
        }
    }

    private func authenticator(_ url: String) async {
        guard let opener = openers[.authenticator], let advertiser = advertisers[.authenticator] else { return }
        let ceremony = AuthenticatorCeremony(
            advertiser: advertiser, opener: opener, nearby: nearby[.authenticator], limits: Self.limits
        ) { [journal] in
            if $0 == .stage(.channelOpened) { journal.noteNearby() }
        }
        let linking = AuthenticatorLinking(newLink.moment) { [newLink, log] in
            if newLink.delay > .zero { try? await Task.sleep(for: newLink.delay) }
            // An offer that nobody waits for any more is not given out, and so not settled.
            guard let offer = newLink.offer, !Task.isCancelled else { return nil }
            log.noteDecision()
            return offer
        }
        await end(.authenticator) {
            Journal.Ending(
                answerCount: try await ceremony.run(
                    Invitation(url: url), linking: linking, offer: offer(of: .authenticator)))
        }
    }

    private func linkedAuthenticator(_ wake: TestContact.Wake) async {
        guard let opener = openers[.linkedAuthenticator], let advertiser = advertisers[.linkedAuthenticator],
            let acquaintance, hasLink
        else { return }
        switch awakening {
        case .serves: break
        case .servesLate: try? await Task.sleep(for: Self.limits.tunnel / 2)
        case .declines:
            try? await tunnels.end(wake.tunnelID)
            return
        case .sleepsOn, .isGone: return
        }
        await end(.linkedAuthenticator) {
            let ceremony = WokenCeremony(
                advertiser: advertiser, opener: opener, service: TunnelURL.Service(.google), limits: Self.limits)
            let session = try acquaintance.session(wake)
            return Journal.Ending(
                answerCount: try await ceremony.run(
                    session, tunnelID: wake.tunnelID, routingID: RoutingID(Self.routingID),
                    offer: offer(of: .linkedAuthenticator)))
        }
    }

    private func offer(of sender: DamageReport.Sender) -> SessionOffer {
        let wait: @Sendable () async -> Void = { [journal, answerDelay] in
            journal.noteRequest(to: sender)
            if answerDelay > .zero { try? await Task.sleep(for: answerDelay) }
        }
        guard kind == .codeForDigitalCredentials else {
            return SessionOffer(getInfo: Self.getInfo) { command in
                expect(command == Self.command, "an authenticator is asked for what no client asked for")
                await wait()
                return Self.answer(of: sender)
            }
        }
        return SessionOffer { request in
            expect(request == Self.request, "an authenticator is asked for what no client asked for")
            await wait()
            return Self.response
        }
    }

    /// True if an answer is the authenticator's.
    func isAnswer(_ answer: [UInt8], of sender: DamageReport.Sender) -> Bool {
        answer == (kind == .codeForDigitalCredentials ? Array(Self.response.utf8) : Self.answer(of: sender))
    }

    /// Runs one side to its end, and cancels it on the way if that was drawn.
    private func end(_ sender: DamageReport.Sender, _ ceremony: @escaping @Sendable () async throws -> Journal.Ending)
        async
    {
        let side = Task {
            do { return try await ceremony() } catch {
                guard let error = error as? HybridTransportError else { finding("a ceremony fails with \(error)") }
                expect(error.code != .internalFailure, "a ceremony fails within: \(error)")
                return Journal.Ending(error: error)
            }
        }
        let cancelled = End()
        let canceller = cancellation[sender].map { delay in
            Task {
                try await Task.sleep(for: delay)
                cancelled.note()
                side.cancel()
            }
        }
        var ending = await side.value
        ending.afterCancelling = cancelled.time.map { VirtualThread.now - $0 }
        canceller?.cancel()
        journal.noteEnding(ending, of: sender)
    }
}
