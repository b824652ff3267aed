import BluetoothLE
import CTAP
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

/// Two vaults, two people, and a hand-over between them.
@Suite("A hand-over between two vaults")
struct HandOverTests {
    /// Two vaults in a folder: Alice's with two passkeys, and Bob's empty one.
    private struct Vaults: Sendable {
        let alice: Vault
        let bob: Vault
        let passkeys: [Credential]

        init(in folder: String) async throws {
            alice = try Self.make(folder + "/alice.vault")
            bob = try Self.make(folder + "/bob.vault")
            for number in UInt8(1)...2 {
                try await alice.add(HandOverTests.credential(number))
            }
            passkeys = try await alice.credentials()
        }

        private static func make(_ path: String) throws -> Vault {
            let passphrase = Array("open".utf8)
            return try Vault.create(
                at: path, id: Vault.newID(), VaultSecrets(passphrase: SecretBytes(copying: passphrase.span)),
                cost: Scrypt.Cost(logN: 4, blockSize: 1, parallelization: 1))
        }

        /// The IDs at Alice's, in transit there, and at Bob's, by their first bytes.
        func places() async throws -> [[UInt8]] {
            [
                try await alice.credentials().map { $0.id[0] }, try await alice.inTransit().map { $0.credential.id[0] },
                try await bob.credentials().map { $0.id[0] },
            ]
        }
    }

    private static func credential(_ number: UInt8, user: UInt8? = nil) throws -> Credential {
        Credential(
            id: [UInt8](repeating: number, count: 32), rpID: "site\(number).example", rpName: "Site",
            userHandle: [user ?? number], userName: "alice", userDisplayName: nil, isDiscoverable: true,
            key: try CredentialKey(), prf: PRFSecret(), isBackupEligible: true, created: 1_790_000_000)
    }

    private static let yes = ScriptedAnswer.approved(verified: true, account: nil)

    /// Runs both ends; each error is returned.
    private func handOver(
        _ passkeys: [Credential], _ mode: HandOverOffer.Mode, _ context: AgentTestContext, from alice: Vault,
        to bob: Vault, asking sender: ScriptedApproval = .init(yes), and receiver: ScriptedApproval = .init(yes)
    ) async throws -> (sender: (any Error)?, receiver: (any Error)?) {
        let (urls, shown) = AsyncStream<String>.makeStream()
        async let receiving = Self.failure {
            try await ClientCeremony(
                scanner: context.scanner, opener: context.opener, service: context.service, limits: .brief
            ).receiveHandOver {
                shown.yield($0)
            } session: { connection in
                try await PasskeyReceiver(vault: bob, approval: receiver, name: "bob") { _ in }
                    .receive(on: connection)
            }
        }
        let url = await urls.first { _ in true } ?? ""
        let sending = await Self.failure {
            let ceremony = AuthenticatorCeremony(
                advertiser: try context.advertiser(), opener: context.opener, service: context.service, limits: .brief)
            try await ceremony.handOver(HandOverInvitation(url: url)) { connection in
                try await PasskeySender(vault: alice, approval: sender, name: "alice") { _ in }
                    .send(passkeys, mode, on: connection)
            }
        }
        return (sending, await receiving)
    }

    /// The payload in which passkeys are sent.
    private static func payload(_ passkeys: [Credential]) throws -> [UInt8] {
        try CXF.encode(passkeys, at: 0).bytes
    }

    private static func failure(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    private func with(_ body: (AgentTestContext, Vaults) async throws -> Void) async throws {
        try await AgentTestContext.with { context in
            try await body(context, Vaults(in: context.folder))
        }
    }

    @Test("moves a passkey with its key and its prf secret, and asks both people about the same number")
    func moves() async throws {
        try await with { context, vaults in
            let (sender, receiver) = (ScriptedApproval(Self.yes), ScriptedApproval(Self.yes))
            let errors = try await handOver(
                [vaults.passkeys[0]], .move, context, from: vaults.alice, to: vaults.bob, asking: sender, and: receiver)
            #expect(errors.sender == nil && errors.receiver == nil)
            #expect(try await vaults.places() == [[2], [], [1]])
            let moved = try #require(try await vaults.bob.credentials().first)
            #expect(moved.key.publicKey == vaults.passkeys[0].key.publicKey)
            #expect(moved.prf != nil && moved.userName == "alice" && moved.rpName == "Site")
            let (asked, other) = (try #require(sender.questions.first), try #require(receiver.questions.first))
            #expect(asked.operation == .movePasskeys && other.operation == .receivePasskeys)
            #expect(asked.details == other.details && asked.details.last == "site1.example, alice")
            #expect(asked.rpName == "bob" && other.rpName == "alice")
        }
    }

    @Test("copies two passkeys, which are said to be backed up on both sides, and takes neither twice")
    func copies() async throws {
        try await with { context, vaults in
            for _ in 0..<2 {
                let errors = try await handOver(
                    vaults.passkeys, .copy, context, from: vaults.alice, to: vaults.bob)
                #expect(errors.sender == nil && errors.receiver == nil)
            }
            #expect(try await vaults.places() == [[1, 2], [], [1, 2]])
            #expect(try await vaults.alice.credentials().allSatisfy(\.isBackedUp))
            #expect(try await vaults.bob.credentials().allSatisfy(\.isBackedUp))
        }
    }

    @Test(
        "leaves everything as it was if either person refuses, or is not verified",
        arguments: [.declined, .timedOut, .approved(verified: false, account: nil)] as [ScriptedAnswer], [true, false])
    func refused(_ answer: ScriptedAnswer, isSender: Bool) async throws {
        try await with { context, vaults in
            let errors = try await handOver(
                vaults.passkeys, .move, context, from: vaults.alice, to: vaults.bob,
                asking: ScriptedApproval(isSender ? answer : Self.yes),
                and: ScriptedApproval(isSender ? Self.yes : answer))
            let (here, there) = isSender ? (errors.sender, errors.receiver) : (errors.receiver, errors.sender)
            let isVerified = answer != .approved(verified: false, account: nil)
            #expect((here as? HandOverFailure)?.code == (isVerified ? .declined : .notVerified))
            #expect((there as? HandOverFailure)?.code == .stoppedByPeer)
            #expect(try await vaults.places() == [[1, 2], [], []])
        }
    }

    @Test("does not show the receiver what was not approved by the sender")
    func nothingShown() async throws {
        try await with { context, vaults in
            let receiver = ScriptedApproval(Self.yes)
            _ = try await handOver(
                vaults.passkeys, .move, context, from: vaults.alice, to: vaults.bob, asking: .init(.declined),
                and: receiver)
            #expect(receiver.questions.isEmpty)
        }
    }

    @Test("gives back at once what the receiver does not keep")
    func otherOfAccount() async throws {
        try await with { context, vaults in
            let other = Credential(
                id: [9], rpID: "site1.example", rpName: nil, userHandle: [1], userName: "alice", userDisplayName: nil,
                isDiscoverable: true, key: try CredentialKey())
            try await vaults.bob.add(other)
            let errors = try await handOver(vaults.passkeys, .move, context, from: vaults.alice, to: vaults.bob)
            #expect(errors.sender == nil && errors.receiver == nil)
            #expect(try await vaults.places() == [[1], [], [9, 2]])
        }
    }

    @Test("leaves the passkey in transit if the receiver cannot say that it has it, and settles it at the next meeting")
    func settles() async throws {
        try await with { context, vaults in
            // The receiver's number is learnt by a first hand-over.
            _ = try await handOver([vaults.passkeys[1]], .copy, context, from: vaults.alice, to: vaults.bob)
            _ = try await handOver([vaults.passkeys[1]], .move, context, from: vaults.alice, to: vaults.bob)
            #expect(try await vaults.places() == [[1], [], [2]])
            // As after a cut: what has arrived and what has not, and what is on its way to somebody else.
            let receiver = CredentialInTransit.Receiver(id: try await vaults.bob.handOverID(), name: "bob")
            let lost = try Self.credential(3)
            try await vaults.alice.add(lost)
            try await vaults.alice.add(vaults.passkeys[1])
            try await vaults.alice.sendAway(ids: [lost.id, vaults.passkeys[1].id], to: receiver)
            try await vaults.alice.sendAway(
                ids: [vaults.passkeys[0].id], to: .init(id: [UInt8](repeating: 0, count: 16), name: "carol"))
            let errors = try await handOver([], .copy, context, from: vaults.alice, to: vaults.bob)
            #expect(errors.sender == nil && errors.receiver == nil)
            #expect(try await vaults.places() == [[3], [1], [2]])
        }
    }

    @Test("refuses what must not leave this machine")
    func notEligible() async throws {
        try await with { context, vaults in
            let bound = Credential(
                id: [7], rpID: "bound.example", rpName: nil, userHandle: [7], userName: nil, userDisplayName: nil,
                isDiscoverable: true, key: try CredentialKey())
            try await vaults.alice.add(bound)
            let errors = try await handOver([bound], .copy, context, from: vaults.alice, to: vaults.bob)
            #expect((errors.sender as? HandOverFailure)?.code == .notBackupEligible)
            #expect((errors.receiver as? HandOverFailure)?.code == .stoppedByPeer)
        }
    }

    @Test("keeps nothing of a payload that is not what was offered", arguments: [true, false])
    func otherPayload(isReadable: Bool) async throws {
        try await with { context, vaults in
            let (urls, shown) = AsyncStream<String>.makeStream()
            async let receiving = Self.failure {
                try await ClientCeremony(
                    scanner: context.scanner, opener: context.opener, service: context.service, limits: .brief
                ).receiveHandOver {
                    shown.yield($0)
                } session: { connection in
                    try await PasskeyReceiver(vault: vaults.bob, approval: ScriptedApproval(Self.yes), name: "bob") {
                        _ in
                    }.receive(on: connection)
                }
            }
            let url = await urls.first { _ in true } ?? ""
            let ceremony = AuthenticatorCeremony(
                advertiser: try context.advertiser(), opener: context.opener, service: context.service, limits: .brief)
            let answer = try await ceremony.handOver(HandOverInvitation(url: url)) { connection in
                _ = try await connection.receive()
                try await connection.send(.greeting(nonce: [UInt8](repeating: 1, count: 32), name: "mallory"))
                _ = try await connection.receive()
                try await connection.send(
                    .offer(
                        .init(mode: .copy, passkeys: [.init(rpID: "a.example", userName: nil, userDisplayName: nil)])))
                _ = try await connection.receive()
                let bytes = isReadable ? try Self.payload(vaults.passkeys) : Array("{".utf8)
                try await connection.send(.payload(HandOverPayload(SecretBytes(copying: bytes.span))))
                return await Self.failure { _ = try await connection.receive() }
            }
            #expect((answer as? HandOverStopped)?.reason == (isReadable ? .differs : .unreadable))
            let received = await receiving
            #expect((received as? HandOverFailure)?.code == .badPayload)
            #expect(try await vaults.bob.credentials().isEmpty)
        }
    }
}
