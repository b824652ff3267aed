internal import HybridProtocol

// The conditions that must hold at a play's end.
extension CeremonyPlay {
    /// The number of messages of each sender that a client handles before it has its answer, whatever else is sent.
    private static let messageCount = 2
    /// In a session from a QR code the update comes before the answer, unless a person decides about it.
    private static let messageCountBeforeAnswer = 3

    /// The time in which a cancelled side ends: the client may still say that it leaves.
    private static let cancellingNanoseconds = 20_000_000

    func judge() {
        expect(resources.now == ResourceCounter.Counts(), "a ceremony leaves something behind: \(resources.now)")
        judgeAnswer()
        judgeLinks()
        judgeCancelling()
        if isFaultless { judgeSuccess() }
    }

    private func judgeAnswer() {
        // Faults over Bluetooth from before the tunnel was taken do not concern the session.
        let damage = journal.isNearby ? nearbyDamage : tunnelDamage
        for sender in [DamageReport.Sender.authenticator, .linkedAuthenticator] {
            let asked = journal.askedCount(sender)
            expect(asked <= 1, "one request is answered twice")
            expect(journal.ending(sender)?.answerCount ?? 0 <= asked, "more is answered than was asked")
            expect(
                asked == 0 || !damage.concerns(.client, first: Self.messageCount),
                "altered messages of the client were taken")
        }
        guard let answer = journal.ending(.client)?.answer else { return }
        let answerers = [DamageReport.Sender.authenticator, .linkedAuthenticator].filter { isAnswer(answer, of: $0) }
        expect(!answerers.isEmpty, "the client has another answer than was given")
        // An answer of digital credentials is the same no matter who gives it, but there is no link to give it through.
        guard let answerer = answerers.first else { return }
        expect(journal.askedCount(answerer) == 1, "nobody answered")
        let mayUpdateLater = answerer == .authenticator && kind == .codeAndNewLink
        expect(
            !damage.concerns(
                answerer, first: mayUpdateLater ? Self.messageCount : Self.messageCountBeforeAnswer),
            "altered messages of the authenticator were taken")
    }

    private func judgeLinks() {
        let links = log.links
        expect(links.count <= log.offered.count, "a link was made that nobody offered")
        expect(links.allSatisfy { log.offered.contains($0.link.contactID) }, "another link was made than was offered")
        expect(links.isEmpty || log.settlements == [true], "a link was made that was taken back")
        expect(log.settlements.count == log.decisionCount, "an offer is not settled once")
        let wasGone = awakening == .isGone || openers[.client]?.saysGone == true
        expect(log.goneCount == 0 || wasGone, "a link is forgotten without the service's word")
    }

    private func judgeCancelling() {
        for sender in [DamageReport.Sender.client, .authenticator, .linkedAuthenticator] {
            guard let rest = journal.ending(sender)?.afterCancelling, isTimeless else { continue }
            expect(rest <= Self.cancellingNanoseconds, "a cancelled ceremony takes \(rest) ns to end")
        }
    }

    /// Without faults everything succeeds, in whatever order the tasks run.
    private func judgeSuccess() {
        let client = journal.ending(.client)
        expect(client?.answer != nil, "a client fails without a reason: \(String(describing: client?.error))")
        let askedCount = journal.askedCount(.authenticator) + journal.askedCount(.linkedAuthenticator)
        expect(askedCount == 1, "\(askedCount) authenticators were asked instead of one")
        if kind != .linkBesideCode {
            let answerer = journal.ending(hasLink ? .linkedAuthenticator : .authenticator)
            expect(
                answerer?.answerCount == 1,
                "an authenticator fails without a reason: \(String(describing: answerer?.error))")
        }
        expect(log.links.count == log.offered.count, "no link was made")
    }
}
