internal import Cryptography
package import HybridTransport
internal import PasskeyAuthenticator
internal import PasskeyExchange
package import UserVerification
package import Vault

/// Takes passkeys over from the vault of somebody near.
///
/// It keeps exactly the passkeys that were offered and approved, and they are on the disk before it says so.
package struct PasskeyReceiver: Sendable {
    private let vault: Vault
    private let approval: any UserApproval
    private let name: String
    private let observe: EventListener

    /// Makes one.
    ///
    /// - Parameters:
    ///   - vault: the vault that takes the passkeys, open for changes.
    ///   - approval: asks and verifies the user of this machine.
    ///   - name: the name of this machine for the sender.
    ///   - observe: is told what happens.
    package init(vault: Vault, approval: any UserApproval, name: String, observe: @escaping EventListener) {
        self.vault = vault
        self.approval = approval
        self.name = name
        self.observe = observe
    }

    /// Takes the offered passkeys, if the user agrees.
    ///
    /// - Parameter connection: a hand-over that has just begun.
    /// - Throws: ``HandOverFailure``; `HybridTransportError`; `CredentialStoreError`; `PasskeyFormatError`.
    package func receive(on connection: HandOverConnection) async throws -> HandOverResult {
        do {
            return try await take(on: connection)
        } catch let stopped as HandOverStopped {
            throw PasskeySender.failure(stopped)
        }
    }

    private static let outOfTurn = HandOverFailure(.badPayload, reason: "the sender sent an unexpected message")

    private func take(on connection: HandOverConnection) async throws -> HandOverResult {
        let sender = try await greet(connection)
        guard case .offer(let offer) = try await connection.receive() else { throw Self.outOfTurn }
        guard offer.passkeys.count <= (try await vault.room()) else {
            await connection.stop(.full)
            throw HandOverFailure(.full, reason: "the vault has no room for \(offer.passkeys.count) more passkeys")
        }
        let arrivedIDs = try await vault.arrivedIDs()
        var arrived: [[UInt8]: [UInt8]] = [:]
        for id in arrivedIDs { arrived[HandOverOffer.digest(of: id)] = id }
        observe(HandOverEvent.offered)
        try await HandOverQuestion(
            operation: .receivePasskeys, peer: sender, passkeys: offer.passkeys
        ).ask(approval, on: connection)
        try await connection.send(.acceptance(holds: offer.inTransit.map { arrived[$0] != nil }))
        var moved = Set(offer.inTransit.compactMap { arrived[$0] })
        var outcomes: [HandOverOutcome] = []
        var isConfirmed = true
        if !offer.passkeys.isEmpty {
            guard case .payload(let payload) = try await connection.receive() else { throw Self.outOfTurn }
            let credentials = try await unpack(payload, offered: offer.passkeys, on: connection)
            outcomes = try await keep(credentials, isMove: offer.mode == .move, on: connection)
            for (credential, outcome) in zip(credentials, outcomes) {
                observe(HandOverEvent.handedOver(credential, outcome))
            }
            moved.formUnion(zip(credentials, outcomes).filter { $1.isHeld }.map { $0.0.id })
            isConfirmed = (try? await connection.send(.receipt(outcomes))) != nil
        }
        if isConfirmed, case .settled? = try? await connection.receive() {
            try await vault.confirmArrivals(ids: moved)
        } else {
            observe(HandOverEvent.unconfirmed)
        }
        return HandOverResult(outcomes)
    }

    /// Shows the digits, and says who this is once they were typed at the sender.
    ///
    /// - Returns: the sender's name.
    private func greet(_ connection: HandOverConnection) async throws -> String {
        let identity = try HandOverIdentity(sealingKey: try await vault.sealingKey(), name: name)
        let nonce = randomBytes(count: ComparisonCode.nonceByteCount)
        try await connection.send(await connection.hello(committingTo: nonce))
        guard case .greeting = try await connection.receive(), let code = await connection.code else {
            throw Self.outOfTurn
        }
        observe(HandOverEvent.code(code))
        guard case .typing = try await connection.receive() else { throw Self.outOfTurn }
        try await connection.send(.reveal(nonce: nonce))
        guard case .opening(_, let sender) = try await connection.receive() else { throw Self.outOfTurn }
        observe(HandOverEvent.peer(sender))
        try await connection.send(identity.message(signing: await connection.statement))
        return sender
    }

    /// Reads the passkeys, which have to be those that were approved, in their order.
    private func unpack(
        _ payload: HandOverPayload, offered: [HandOverOffer.Passkey], on connection: HandOverConnection
    ) async throws -> [Credential] {
        let credentials: [Credential]?
        do {
            credentials = try Self.read(payload.bytes)
        } catch {
            await connection.stop(.unreadable)
            throw HandOverFailure(.badPayload, reason: "the received passkeys cannot be read: \(error.reason)")
        }
        guard let credentials else {
            await connection.stop(.unreadable)
            throw HandOverFailure(.badPayload, reason: "one of the received passkeys cannot be used here")
        }
        guard credentials.map(\.offered) == offered, Set(credentials.map(\.id)).count == credentials.count else {
            await connection.stop(.differs)
            throw HandOverFailure(
                .badPayload, reason: "the received passkeys are not those that were offered: none was kept")
        }
        return credentials
    }

    /// The passkeys of a payload; nil if one of them cannot be used here.
    private static func read(_ bytes: borrowing SecretBytes) throws(PasskeyFormatError) -> [Credential]? {
        var credentials: [Credential] = []
        var isWhole = true
        _ = try CXF.read(bytes.span) { record in
            if let passkey = record.passkey { credentials.append(passkey) } else { isWhole = false }
        }
        return isWhole ? credentials : nil
    }

    /// Writes the passkeys. A vault that cannot be written has kept none, and the sender is told so.
    private func keep(
        _ credentials: [Credential], isMove: Bool, on connection: HandOverConnection
    ) async throws -> [HandOverOutcome] {
        await connection.withholdStop()
        do throws(CredentialStoreError) {
            return try await vault.receive(credentials, isMove: isMove).map { arrival in
                switch arrival {
                case .kept: .kept
                case .held: .held
                case .otherOfAccount: .otherOfAccount
                }
            }
        } catch {
            try? await connection.send(.receipt(credentials.map { _ in .notWritten }))
            throw error
        }
    }
}
