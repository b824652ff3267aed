import Cryptography
import DesktopAuthenticator
import HybridTransport
import PasskeyAuthenticator
import PasskeyExchange
import Testing
import UserVerification
import Vault

/// Two vaults, two people, and a hand-over between them.
@Suite("A hand-over between two vaults")
struct HandOverTests {
    @Test("moves a passkey with its key and its prf secret, and asks both people about it")
    func moves() async throws {
        try await HandOverContext.with { context in
            let (sender, receiver) = (ScriptedApproval(HandOverContext.yes), ScriptedApproval(HandOverContext.yes))
            let errors = try await context.handOver(
                [context.passkeys[0]], .move, asking: sender, and: receiver)
            #expect(errors.sender == nil && errors.receiver == nil)
            #expect(try await context.places() == [[2], [], [1], [1]])
            let moved = try #require(try await context.bob.credentials().first)
            #expect(moved.key.publicKey == context.passkeys[0].key.publicKey)
            #expect(moved.prf != nil && moved.userName == "alice" && moved.rpName == "Site")
            let (asked, other) = (try #require(sender.questions.first), try #require(receiver.questions.first))
            #expect(asked.operation == .movePasskeys && other.operation == .receivePasskeys)
            #expect(asked.details == other.details && asked.details.last == "site1.example, alice")
            #expect(asked.rpName == "bob" && other.rpName == "alice")
        }
    }

    @Test("copies two passkeys, which are said to be backed up on both sides, and takes neither twice")
    func copies() async throws {
        try await HandOverContext.with { context in
            for _ in 0..<2 {
                let errors = try await context.handOver(context.passkeys, .copy)
                #expect(errors.sender == nil && errors.receiver == nil)
            }
            #expect(try await context.places() == [[1, 2], [], [], [1, 2]])
            #expect(try await context.alice.credentials().allSatisfy(\.isBackedUp))
            #expect(try await context.bob.credentials().allSatisfy(\.isBackedUp))
        }
    }

    @Test(
        "leaves everything as it was if either person refuses, or is not verified",
        arguments: [.declined, .timedOut, .approved(verified: false, account: nil)] as [ScriptedAnswer], [true, false])
    func refused(_ answer: ScriptedAnswer, isSender: Bool) async throws {
        try await HandOverContext.with { context in
            let errors = try await context.handOver(
                context.passkeys, .move,
                asking: ScriptedApproval(isSender ? answer : HandOverContext.yes),
                and: ScriptedApproval(isSender ? HandOverContext.yes : answer))
            let (here, there) = isSender ? (errors.sender, errors.receiver) : (errors.receiver, errors.sender)
            let isVerified = answer != .approved(verified: false, account: nil)
            #expect((here as? HandOverFailure)?.code == (isVerified ? .declined : .notVerified))
            #expect((there as? HandOverFailure)?.code == .stoppedByPeer)
            #expect(try await context.places() == [[1, 2], [], [], []])
        }
    }

    @Test("does not show the receiver what was not approved by the sender")
    func nothingShown() async throws {
        try await HandOverContext.with { context in
            let receiver = ScriptedApproval(HandOverContext.yes)
            _ = try await context.handOver(context.passkeys, .move, asking: .init(.declined), and: receiver)
            #expect(receiver.questions.isEmpty)
        }
    }

    @Test("says that the receiver has stopped while the sender's user was asked")
    func stoppedMeanwhile() async throws {
        try await HandOverContext.with { context in
            let digits = HandOverContext.Digits()
            let (known, here) = AsyncStream<Void>.makeStream()
            // Nobody answers.
            let (silence, _) = AsyncStream<Void>.makeStream()
            let sender = ScriptedApproval(HandOverContext.yes, after: silence)
            let errors = try await context.meet(
                sender: context.sender(context.passkeys, .move, reading: digits, asking: sender)
            ) { connection in
                let receiver = PasskeyReceiver(
                    vault: context.bob, approval: ScriptedApproval(HandOverContext.yes), name: "bob"
                ) { event in
                    digits.note(event)
                    if case HandOverEvent.peer = event { here.yield() }
                }
                async let taking = receiver.receive(on: connection)
                for await _ in known { break }
                await connection.stop(.timedOut)
                _ = try await taking
            }
            #expect((errors.sender as? HandOverFailure)?.code == .stoppedByPeer)
            #expect(try await context.places() == [[1, 2], [], [], []])
        }
    }

    @Test("gives back at once what the receiver does not keep")
    func otherOfAccount() async throws {
        try await HandOverContext.with { context in
            let other = Credential(
                id: [9], rpID: "site1.example", rpName: nil, userHandle: [1], userName: "alice", userDisplayName: nil,
                isDiscoverable: true, key: try CredentialKey())
            try await context.bob.add(other)
            let errors = try await context.handOver(context.passkeys, .move)
            #expect(errors.sender == nil && errors.receiver == nil)
            #expect(try await context.places() == [[1], [], [2], [9, 2]])
        }
    }

    @Test("leaves the passkey in transit if the receiver cannot say that it has it, and settles it at the next meeting")
    func settles() async throws {
        try await HandOverContext.with { context in
            // The receiver's number is learnt by a first hand-over.
            _ = try await context.handOver([context.passkeys[1]], .copy)
            _ = try await context.handOver([context.passkeys[1]], .move)
            #expect(try await context.places() == [[1], [], [2], [2]])
            // As after a cut: one that has arrived, one that has not, and one on its way to somebody else.
            let receiver = CredentialInTransit.Receiver(
                id: try await context.identityOfBob().id, name: "bob at work")
            let lost = try HandOverContext.credential(3)
            try await context.alice.add(lost)
            try await context.alice.restore(id: context.passkeys[1].id)
            try await context.alice.sendAway(ids: [lost.id, context.passkeys[1].id], to: receiver)
            try await context.alice.sendAway(
                ids: [context.passkeys[0].id], to: .init(id: [UInt8](repeating: 0, count: 16), name: "carol"))
            let sender = ScriptedApproval(HandOverContext.yes)
            let errors = try await context.handOver([], .copy, asking: sender)
            #expect(errors.sender == nil && errors.receiver == nil)
            let asked = try #require(sender.questions.first)
            #expect(asked.operation == .settlePasskeys && asked.details.isEmpty)
            #expect(
                asked.inTransit == [
                    .init(passkey: "site3.example, alice", receiver: "bob at work", isProven: true),
                    .init(passkey: "site2.example, alice", receiver: "bob at work", isProven: true),
                ])
            #expect(try await context.places() == [[3], [1], [2], [2]])
        }
    }

    @Test("refuses what must not leave this machine")
    func notEligible() async throws {
        try await HandOverContext.with { context in
            let bound = Credential(
                id: [7], rpID: "bound.example", rpName: nil, userHandle: [7], userName: nil, userDisplayName: nil,
                isDiscoverable: true, key: try CredentialKey())
            try await context.alice.add(bound)
            let errors = try await context.handOver([bound], .copy)
            #expect((errors.sender as? HandOverFailure)?.code == .notBackupEligible)
            #expect((errors.receiver as? HandOverFailure)?.code == .stoppedByPeer)
        }
    }

    @Test("keeps nothing of a payload that is not what was offered", arguments: [true, false])
    func otherPayload(isReadable: Bool) async throws {
        try await HandOverContext.with { context in
            let digits = HandOverContext.Digits()
            let errors = try await context.meet { connection in
                _ = try await HandOverContext.greet(as: "mallory", typing: digits.read, on: connection)
                try await connection.send(
                    .offer(
                        .init(mode: .copy, passkeys: [.init(rpID: "a.example", userName: nil, userDisplayName: nil)])))
                _ = try await connection.receive()
                let file = try CXF.encode(context.passkeys, at: 0)
                let bytes = isReadable ? file.span.withUnsafeBufferPointer { Array($0) } : Array("{".utf8)
                try await connection.send(.payload(HandOverPayload(SecretBytes(copying: bytes.span))))
                _ = try await connection.receive()
            } receiver: {
                try await context.receiver(showing: digits)($0)
            }
            #expect((errors.sender as? HandOverStopped)?.reason == (isReadable ? .differs : .unreadable))
            #expect((errors.receiver as? HandOverFailure)?.code == .badPayload)
            #expect(try await context.bob.credentials().isEmpty)
        }
    }
}
