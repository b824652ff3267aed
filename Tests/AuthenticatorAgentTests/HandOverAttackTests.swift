import Cryptography
import HybridProtocol
import HybridTransport
import PasskeyAuthenticator
import PasskeyExchange
import Synchronization
import Testing
import UserVerification
import Vault

@testable import DesktopAuthenticator

/// Mallory, who says whatever serves her: her messages are bytes, which nothing of ours checks.
@Suite("An attacker at a hand-over")
struct HandOverAttackTests {
    private typealias Channel = MessageChannel<OpaqueMessages>
    private typealias Digits = HandOverContext.Digits

    /// Mallory as a receiver: an honest number, and whatever identity.
    private final class FalseReceiver: Sendable {
        let digits = Digits()
        /// Makes the identity from the handshake hash.
        let identity: @Sendable ([UInt8]) throws -> HandOverMessage
        /// All that the sender has said to her.
        let heard = Mutex<[[UInt8]]>([])

        init(identity: @escaping @Sendable ([UInt8]) throws -> HandOverMessage) { self.identity = identity }

        var heardKinds: [HandOverMessage.Kind] {
            heard.withLock { $0.compactMap { $0.first.flatMap(HandOverMessage.Kind.init) } }
        }

        func hear(_ channel: Channel) async throws -> HandOverMessage {
            let bytes = try await channel.receive()
            heard.withLock { $0.append(bytes) }
            return try HandOverMessage(decoding: bytes.span)
        }

        /// Shows her own digits, says who she is not, and that she has everything.
        func session(_ channel: Channel) async throws {
            let (hash, nonce) = (await channel.handshakeHash, [UInt8](repeating: 3, count: 32))
            let commitment = ComparisonCode.commitment(to: nonce, handshakeHash: hash)
            try await channel.send(HandOverMessage.hello(commitment: commitment).encoded())
            guard case .greeting(let sender) = try await hear(channel) else { return }
            digits.show(ComparisonCode(handshakeHash: hash, receiver: nonce, sender: sender).digits)
            guard case .typing = try await hear(channel) else { return }
            try await channel.send(HandOverMessage.reveal(nonce: nonce).encoded())
            guard case .opening = try await hear(channel) else { return }
            try await channel.send(try identity(hash).encoded())
            guard case .offer(let offer) = try await hear(channel) else { return }
            let all = HandOverMessage.acceptance(holds: offer.inTransit.map { _ in true })
            try await channel.send(all.encoded())
            while case .payload = try await hear(channel) {
                try await channel.send(HandOverMessage.receipt(offer.passkeys.map { _ in .kept }).encoded())
            }
        }

        /// Lets a sender of ours read her code.
        func meet(_ context: HandOverContext, _ sender: @escaping HandOverContext.Session) async throws -> (any Error)?
        {
            let (urls, shown) = AsyncStream<String>.makeStream()
            let showing = Task {
                try await context.client().openChannel(for: .handOver, messages: OpaqueMessages.init) {
                    shown.yield($0)
                } session: { channel in
                    try await self.session(channel)
                }
            }
            let url = await urls.first { _ in true } ?? ""
            let error = await HandOverContext.failure {
                try await context.ceremony().handOver(HandOverInvitation(url: url), session: sender)
            }
            // The sender's last message may still be on its way to her.
            let alarm = Task {
                try await Task.sleep(for: .seconds(60))
                showing.cancel()
            }
            _ = await showing.result
            alarm.cancel()
            return error
        }
    }

    /// The message of somebody who says that this is his key.
    private static func identity(
        _ key: [UInt8], former: [UInt8]? = nil, signing statement: [UInt8], with signer: borrowing Ed25519.PrivateKey
    ) throws -> HandOverMessage {
        .identity(
            .init(
                receiver: HandOverReceiver(key: key, name: "bob", formerID: former),
                proof: try signer.sign(statement.span)))
    }

    private static let key = [UInt8](repeating: 8, count: Ed25519.seedByteCount)
    private static func own() throws -> Ed25519.PrivateKey { try Ed25519.PrivateKey(seed: key.span) }

    /// Alice has a passkey in transit to Bob.
    private func withTransit(_ body: (HandOverContext, HandOverReceiver) async throws -> Void) async throws {
        try await HandOverContext.with { context in
            let bob = try await context.identityOfBob()
            try await context.alice.sendAway(ids: [context.passkeys[0].id], to: .init(id: bob.id, name: "bob"))
            try await body(context, bob)
        }
    }

    enum FalseProof: CaseIterable, Sendable { case ownKey, otherHash, earlierSession, ownIdentity }

    @Test("cannot say that she is the receiver of what is in transit", arguments: FalseProof.allCases)
    func falseReceiver(_ proof: FalseProof) async throws {
        try await withTransit { context, bob in
            let old = Mutex<HandOverMessage?>(nil)
            let digits = Digits()
            // She has met Bob before, honestly, and has kept his signature.
            _ = try await context.meet(context.receiver(showing: digits)) { url in
                try await Self.asSender(context, url) { channel in
                    try await Self.greet(channel, typing: { try await digits.read() })
                    let bytes = try await channel.receive()
                    let message = try HandOverMessage(decoding: bytes.span)
                    old.withLock { $0 = message }
                }
            }
            let signed = try #require(old.withLock { $0 })
            guard case .identity(let identity) = signed, identity.receiver.key == bob.key else {
                Issue.record("Bob has said nothing")
                return
            }
            let mallory = FalseReceiver { hash in
                let statement = HandOverReceiver.statement(handshakeHash: hash)
                return switch proof {
                case .ownKey: try Self.identity(bob.key, signing: statement, with: Self.own())
                case .otherHash:
                    try Self.identity(
                        Self.own().publicKey.bytes,
                        signing: HandOverReceiver.statement(handshakeHash: hash.reversed()), with: Self.own())
                case .earlierSession: signed
                case .ownIdentity:
                    try Self.identity(Self.own().publicKey.bytes, signing: statement, with: Self.own())
                }
            }
            let approval = ScriptedApproval(HandOverContext.yes)
            let error = try await mallory.meet(
                context, context.sender([], .copy, reading: mallory.digits, asking: approval))
            #expect(try await context.places() == [[2], [1], [], []])
            if proof == .ownIdentity {
                // Her own number has nothing in transit to it.
                #expect(approval.questions.first?.inTransit == [])
            } else {
                #expect((error as? HybridTransportError)?.cause.hasPrefix("bad-signature") == true)
                #expect(approval.questions.isEmpty && !mallory.heardKinds.contains(.offer))
            }
        }
    }

    @Test("who has photographed the code, and answers it, learns nothing that lasts")
    func photographer() async throws {
        try await HandOverContext.with { context in
            let digits = Digits()
            let heard = Mutex<[[UInt8]]>([])
            let bob = try await context.identityOfBob()
            let approval = ScriptedApproval(HandOverContext.yes)
            let errors = try await context.meet(context.receiver(showing: digits, asking: approval)) { url in
                try await Self.asSender(context, url) { channel in
                    let hello = try await channel.receive()
                    heard.withLock { $0.append(hello) }
                    let (hash, own) = (await channel.handshakeHash, [UInt8](repeating: 2, count: 32))
                    try await channel.send(HandOverMessage.greeting(nonce: own).encoded())
                    // She cannot know the digits yet: this is a guess.
                    let guess = ComparisonCode.commitment(toDigits: "000000", nonce: own, handshakeHash: hash)
                    try await channel.send(HandOverMessage.typing(commitment: guess).encoded())
                    let reveal = try await channel.receive()
                    heard.withLock { $0.append(reveal) }
                    let shown = try await digits.read()
                    try #require(shown != "000000", "one chance in a million")
                    try await channel.send(HandOverMessage.opening(nonce: own, name: "alice").encoded())
                    let next = try await channel.receive()
                    heard.withLock { $0.append(next) }
                }
            }
            #expect((errors.receiver as? HybridTransportError)?.cause.hasPrefix("wrong-digits") == true)
            #expect(approval.questions.isEmpty)
            let lasting = [bob.key, bob.id, try #require(bob.formerID), Array("bob".utf8)]
            let said = heard.withLock { $0 }
            #expect(said.prefix(2).compactMap(\.first) == [1, 4])
            #expect(!said.contains { message in lasting.contains { Self.contains(message, $0) } })
        }
    }

    @Test("gets neither a name nor a site of a sender who types other digits, and cannot try again")
    func otherDigits() async throws {
        try await HandOverContext.with { context in
            let digits = Digits()
            let other = Mutex("")
            // The digits of an earlier session.
            var errors = try await context.meet(
                sender: context.sender(
                    context.passkeys, .copy, reading: digits,
                    typing: { shown in
                        other.withLock { $0 = shown }
                        return shown
                    }),
                receiver: context.receiver(showing: digits))
            #expect(errors.sender == nil && errors.receiver == nil)
            let earlier = other.withLock { $0 }
            let approval = ScriptedApproval(HandOverContext.yes)
            errors = try await context.meet(
                sender: context.sender(
                    context.passkeys, .move, reading: digits, asking: approval,
                    typing: { $0 == earlier ? "000000" : earlier }), receiver: context.receiver(showing: digits))
            #expect((errors.sender as? HandOverFailure)?.code == .wrongDigits)
            let received = try #require(errors.receiver as? HandOverFailure)
            #expect(received.code == .stoppedByPeer && received.reason.contains("is not the one that is shown here"))
            #expect(approval.questions.isEmpty)
            #expect(try await context.places() == [[1, 2], [], [], [1, 2]])
        }
    }

    @Test("between the two, with a session to each, is found out by the digits at both")
    func relayed() async throws {
        // Alice and Mallory have a radio and a tunnel service of their own.
        try await HandOverContext.with { elsewhere in
            try await HandOverContext.with { context in
                let shownByBob = Digits()
                let mallory = FalseReceiver { hash in
                    try Self.identity(
                        Self.own().publicKey.bytes, signing: HandOverReceiver.statement(handshakeHash: hash),
                        with: Self.own())
                }
                let approval = ScriptedApproval(HandOverContext.yes)
                let alices = Mutex<(any Error)?>(nil)
                let errors = try await context.meet(context.receiver(showing: shownByBob)) { url in
                    try await Self.asSender(context, url) { channel in
                        _ = try await channel.receive()
                        let own = [UInt8](repeating: 2, count: 32)
                        try await channel.send(HandOverMessage.greeting(nonce: own).encoded())
                        // Bob shows his digits; Alice, who has read Mallory's code, types them.
                        let typed = try await shownByBob.read()
                        let error = try await mallory.meet(
                            elsewhere,
                            context.sender(
                                context.passkeys, .move, reading: mallory.digits, asking: approval,
                                typing: { $0 == typed ? "000000" : typed }))
                        alices.withLock { $0 = error }
                        let commitment = mallory.heard.withLock { $0[1] }
                        // All that she has of them is a commitment, which is of another session.
                        try await channel.send(commitment)
                        _ = try await channel.receive()
                        try await channel.send(HandOverMessage.opening(nonce: own, name: "alice").encoded())
                        _ = try await channel.receive()
                    }
                }
                #expect((alices.withLock { $0 } as? HandOverFailure)?.code == .wrongDigits)
                #expect((errors.receiver as? HybridTransportError)?.cause.hasPrefix("wrong-digits") == true)
                #expect(mallory.heardKinds == [.greeting, .typing, .stopped] && approval.questions.isEmpty)
                #expect(!mallory.heard.withLock { $0 }.contains { Self.contains($0, Array("alice".utf8)) })
                #expect(try await context.places() == [[1, 2], [], [], []])
            }
        }
    }

    @Test("who states the number of an earlier version is named to the user, and what she says can be undone")
    func formerNumber() async throws {
        try await HandOverContext.with { context in
            let former = try #require(try await context.identityOfBob().formerID)
            let passkey = context.passkeys[0]
            try await context.alice.sendAway(ids: [passkey.id], to: .init(id: former, name: "bob's laptop"))
            let mallory = FalseReceiver { hash in
                try Self.identity(
                    Self.own().publicKey.bytes, former: former,
                    signing: HandOverReceiver.statement(handshakeHash: hash), with: Self.own())
            }
            // Beside something else it is not settled at all.
            var approval = ScriptedApproval(HandOverContext.yes)
            _ = try await mallory.meet(
                context, context.sender([context.passkeys[1]], .copy, reading: mallory.digits, asking: approval))
            #expect(approval.questions.first?.inTransit == [])
            #expect(try await context.places() == [[2], [1], [], []])
            approval = ScriptedApproval(HandOverContext.yes)
            _ = try await mallory.meet(
                context, context.sender([], .copy, reading: mallory.digits, asking: approval))
            #expect(
                approval.questions.first?.inTransit
                    == [.init(passkey: "site1.example, alice", receiver: "bob's laptop", isProven: false)])
            #expect(try await context.places() == [[2], [], [1], []])
            try await context.alice.restore(id: passkey.id)
            #expect(try await context.places() == [[2, 1], [], [], []])
            let back = try #require(try await context.alice.credentials(rpID: "site1.example").first)
            #expect(back.key.publicKey == passkey.key.publicKey && back.prf != nil)
        }
    }

    @Test("a receiver of an earlier version is named as what it is")
    func formerEdition() async throws {
        try await HandOverContext.with { context in
            let (urls, shown) = AsyncStream<String>.makeStream()
            let showing = Task {
                try await context.client().openChannel(for: .handOver, messages: OpaqueMessages.init) {
                    shown.yield($0)
                } session: { channel in
                    try await channel.send([1, 0xa1, 1, 1])
                    _ = try await channel.receive()
                }
            }
            let url = await urls.first { _ in true } ?? ""
            let error = await HandOverContext.failure {
                try await context.ceremony().handOver(
                    HandOverInvitation(url: url), session: context.sender([], .copy, reading: Digits()))
            }
            showing.cancel()
            _ = await showing.result
            #expect((error as? HybridTransportError)?.cause.hasPrefix("unsupported-version") == true)
        }
    }

    /// Answers a code with bytes.
    private static func asSender(
        _ context: HandOverContext, _ url: String, _ session: @escaping @Sendable (Channel) async throws -> Void
    ) async throws {
        try await context.ceremony().openChannel(
            ApplicationInvitation(url: url, scheme: .handOver), messages: OpaqueMessages.init, session: session)
    }

    /// Sends the messages of a sender up to its offer.
    private static func greet(_ channel: Channel, typing digits: () async throws -> String) async throws {
        let (hash, nonce) = (await channel.handshakeHash, [UInt8](repeating: 2, count: 32))
        _ = try await channel.receive()
        try await channel.send(HandOverMessage.greeting(nonce: nonce).encoded())
        let commitment = ComparisonCode.commitment(
            toDigits: try await digits(), nonce: nonce, handshakeHash: hash)
        try await channel.send(HandOverMessage.typing(commitment: commitment).encoded())
        _ = try await channel.receive()
        try await channel.send(HandOverMessage.opening(nonce: nonce, name: "mallory").encoded())
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }
}
