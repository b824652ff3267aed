internal import Cryptography
internal import HybridProtocol
internal import HybridTransport
internal import Synchronization

/// A client and an authenticator that were linked before: by a ceremony without faults, at the first input.
final class Acquaintance: Sendable {
    /// The client's link.
    let link: SharedLink
    /// The authenticator's secret.
    private let root: RootSecret

    static let shared = Result { try Acquaintance() }

    private static let rootBytes = [UInt8](repeating: 7, count: RootSecret.byteCount)
    private static let idByteCount = 16
    private static let mostSteps = 10_000

    private init() throws {
        let root = try RootSecret(SecretBytes(copying: Self.rootBytes.span))
        let log = LinkLog()
        let play = try CeremonyPlay.linking(Self.offer(root, log), log)
        let ending = VirtualThread.shared.run(VirtualThread.Order(), atMost: Self.mostSteps) { await play.run() }
        guard ending == .idle, let link = log.links.first else { finding("a ceremony without faults links nobody") }
        self.link = link
        self.root = root
    }

    /// The offer of an authenticator, for once.
    static func offer(_ root: borrowing RootSecret, _ log: LinkLog) throws -> AuthenticatorLinking.Offer {
        let contactID = try ContactID(randomBytes(count: idByteCount))
        let linkID = try LinkID(randomBytes(count: LinkID.byteCount))
        let offer = try LinkOffer(contactID: contactID, linkID: linkID, root: root, name: "fuzz")
        log.noteOffer(of: contactID)
        return AuthenticatorLinking.Offer(offer) { log.noteSettlement($0) }
    }

    /// The authenticator offers another link.
    func offer(_ log: LinkLog) throws -> AuthenticatorLinking.Offer { try Self.offer(root, log) }

    /// The authenticator's session for a wake.
    func session(_ wake: TestContact.Wake) throws -> WokenSession {
        let request = try ContactRequest(decoding: wake.clientPayload.span)
        return try WokenSession(request, contactID: link.link.contactID, root: root)
    }
}

/// Writes down the events of links, at both ends.
final class LinkLog: Sendable {
    private struct State {
        var events: [ClientLinking.Event] = []
        var offered: [ContactID] = []
        var decisionCount = 0
        var settlements: [Bool] = []
    }

    private let state = Mutex(State())

    func note(_ event: ClientLinking.Event) { state.withLock { $0.events.append(event) } }
    func noteOffer(of contactID: ContactID) { state.withLock { $0.offered.append(contactID) } }
    func noteDecision() { state.withLock { $0.decisionCount += 1 } }
    func noteSettlement(_ wasSent: Bool) { state.withLock { $0.settlements.append(wasSent) } }

    var links: [SharedLink] {
        state.withLock { $0.events }.compactMap { if case .linked(let link) = $0 { link } else { nil } }
    }

    var goneCount: Int { state.withLock { $0.events }.count { if case .gone = $0 { true } else { false } } }
    var offered: [ContactID] { state.withLock { $0.offered } }
    /// The number of offers that were given out.
    var decisionCount: Int { state.withLock { $0.decisionCount } }
    /// True for each of them that was sent.
    var settlements: [Bool] { state.withLock { $0.settlements } }
}
