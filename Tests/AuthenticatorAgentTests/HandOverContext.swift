import BluetoothLE
import CTAP
import Cryptography
import HybridProtocol
import HybridTransport
import PasskeyAuthenticator
import PasskeyExchange
import Synchronization
import UserVerification
import Vault

@testable import DesktopAuthenticator

/// Two vaults in a folder, Alice's with two passkeys and Bob's empty, and two devices that meet.
struct HandOverContext: Sendable {
    let agent: AgentTestContext
    let alice: Vault
    let bob: Vault
    let passkeys: [Credential]

    /// Sessions of the ends, and of attackers, who send any messages.
    typealias Session = @Sendable (HandOverConnection) async throws -> Void
    typealias Errors = (sender: (any Error)?, receiver: (any Error)?)
    static let yes = ScriptedAnswer.approved(verified: true, account: nil)

    static func with(_ body: (HandOverContext) async throws -> Void) async throws {
        try await AgentTestContext.with { agent in
            let alice = try vault(agent.folder + "/alice.vault")
            for number in UInt8(1)...2 { try await alice.add(credential(number)) }
            try await body(
                HandOverContext(
                    agent: agent, alice: alice, bob: vault(agent.folder + "/bob.vault"),
                    passkeys: alice.credentials()))
        }
    }

    static func vault(_ path: String) throws -> Vault {
        let passphrase = Array("open".utf8)
        return try Vault.create(
            at: path, id: Vault.newID(), VaultSecrets(passphrase: SecretBytes(copying: passphrase.span)),
            cost: Scrypt.Cost(logN: 4, blockSize: 1, parallelization: 1))
    }

    static func credential(_ number: UInt8, user: UInt8? = nil) throws -> Credential {
        Credential(
            id: [UInt8](repeating: number, count: 32), rpID: "site\(number).example", rpName: "Site",
            userHandle: [user ?? number], userName: "alice", userDisplayName: nil, isDiscoverable: true,
            key: try CredentialKey(), prf: PRFSecret(), isBackupEligible: true, created: 1_790_000_000)
    }

    /// The IDs at Alice's, in transit there, handed over and kept there, and at Bob's, by their first bytes.
    func places() async throws -> [[UInt8]] {
        [
            try await alice.credentials().map { $0.id[0] }, try await alice.inTransit().map { $0.credential.id[0] },
            try await alice.handedOver().map { $0.credential.id[0] }, try await bob.credentials().map { $0.id[0] },
        ]
    }

    /// The identity that Bob's vault proves.
    func identityOfBob() async throws -> HandOverReceiver {
        try HandOverIdentity(sealingKey: try await bob.sealingKey(), name: "bob").receiver
    }

    /// The digits that a receiver shows, on their way to who types them.
    final class Digits: Sendable {
        private let shown = AsyncStream<String>.makeStream()

        func show(_ digits: String) { shown.continuation.yield(digits) }
        func read() async throws(Approval.Refusal) -> String {
            for await digits in shown.stream { return digits }
            throw .cancelled
        }
        func note(_ event: any Event) {
            if case HandOverEvent.code(let code) = event { show(code.digits) }
        }
    }

    /// Lets two ends meet; each error is returned.
    func meet(sender: @escaping Session, receiver: @escaping Session) async throws -> Errors {
        try await meet(receiver) { url in
            try await ceremony().handOver(HandOverInvitation(url: url), session: sender)
        }
    }

    /// Likewise, with anyone who has read the code.
    func meet(
        _ receiver: @escaping Session, reader: @escaping @Sendable (String) async throws -> Void
    ) async throws -> Errors {
        let (urls, shown) = AsyncStream<String>.makeStream()
        async let receiving = Self.failure {
            try await client().receiveHandOver {
                shown.yield($0)
            } session: {
                try await receiver($0)
            }
        }
        let url = await urls.first { _ in true } ?? ""
        let sending = await Self.failure { try await reader(url) }
        return (sending, await receiving)
    }

    func client() throws -> ClientCeremony {
        ClientCeremony(scanner: agent.scanner, opener: agent.opener, service: agent.service, limits: .brief)
    }

    func ceremony() throws -> AuthenticatorCeremony {
        AuthenticatorCeremony(
            advertiser: try agent.advertiser(), opener: agent.opener, service: agent.service, limits: .brief)
    }

    /// The session of a sender of ours. The digits that are shown, or `typed`, are typed there.
    func sender(
        _ passkeys: [Credential], _ mode: HandOverOffer.Mode, reading digits: Digits,
        asking approval: ScriptedApproval = .init(yes), typing typed: (@Sendable (String) -> String)? = nil
    ) -> Session {
        { connection in
            let typing: PasskeySender.DigitsQuestion = { () async throws(Approval.Refusal) in
                let shown = try await digits.read()
                return typed?(shown) ?? shown
            }
            let sender = PasskeySender(vault: alice, approval: approval, name: "alice", digits: typing) { _ in }
            _ = try await sender.send(passkeys, mode, on: connection)
        }
    }

    /// The session of a receiver of ours.
    func receiver(showing digits: Digits, asking approval: ScriptedApproval = .init(yes)) -> Session {
        { connection in
            _ = try await PasskeyReceiver(vault: bob, approval: approval, name: "bob") { digits.note($0) }
                .receive(on: connection)
        }
    }

    /// Runs a hand-over from Alice to Bob.
    func handOver(
        _ passkeys: [Credential], _ mode: HandOverOffer.Mode, asking sender: ScriptedApproval = .init(yes),
        and receiver: ScriptedApproval = .init(yes)
    ) async throws -> Errors {
        let digits = Digits()
        return try await meet(
            sender: self.sender(passkeys, mode, reading: digits, asking: sender),
            receiver: self.receiver(showing: digits, asking: receiver))
    }

    /// Sends the messages of a sender up to its offer.
    ///
    /// - Returns: the receiver.
    static func greet(
        as name: String, typing digits: () async throws -> String, on connection: HandOverConnection
    ) async throws -> HandOverReceiver? {
        let nonce = randomBytes(count: ComparisonCode.nonceByteCount)
        _ = try await connection.receive()
        try await connection.send(.greeting(nonce: nonce))
        try await connection.send(await connection.typing(try await digits(), nonce: nonce))
        _ = try await connection.receive()
        try await connection.send(.opening(nonce: nonce, name: name))
        guard case .identity(let identity) = try await connection.receive() else { return nil }
        return identity.receiver
    }

    static func failure(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }
}
