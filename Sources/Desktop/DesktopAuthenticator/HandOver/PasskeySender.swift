internal import Cryptography
internal import Encodings
package import HybridTransport
package import PasskeyAuthenticator
package import PasskeyExchange
package import UserVerification
package import Vault

/// Hands passkeys over to the vault of somebody near.
///
/// A passkey that is moved is noted as in transit before its first byte leaves, and stays so until the receiver has
/// said, in this session or a later one, whether it has the passkey. So at any instant it is in use in one vault, or in
/// transit.
package struct PasskeySender: Sendable {
    private let vault: Vault
    private let approval: any UserApproval
    private let name: String
    private let askForDigits: DigitsQuestion
    private let observe: EventListener

    /// Asks for the digits that the receiver shows: 6 ASCII digits.
    package typealias DigitsQuestion = @Sendable () async throws(Approval.Refusal) -> String

    /// Makes one.
    ///
    /// - Parameters:
    ///   - vault: the vault that has the passkeys, open for changes.
    ///   - approval: asks and verifies the user of this machine.
    ///   - name: the name of this machine for the receiver.
    ///   - digits: asks the user for the digits, once; it is cancelled if the receiver leaves.
    ///   - observe: is told what happens.
    package init(
        vault: Vault, approval: any UserApproval, name: String, digits: @escaping DigitsQuestion,
        observe: @escaping EventListener
    ) {
        self.vault = vault
        self.approval = approval
        self.name = name
        askForDigits = digits
        self.observe = observe
    }

    /// The passkeys as they are sent.
    private struct Parcel {
        let credentials: [Credential]
        let payload: HandOverPayload?
    }

    /// Hands passkeys over, and settles those in transit to the same vault.
    ///
    /// - Parameters:
    ///   - credentials: passkeys in use; none to settle only.
    ///   - mode: whether they stay here.
    ///   - connection: a hand-over that has just begun.
    /// - Throws: ``HandOverFailure``; `HybridTransportError`; `CredentialStoreError`; `PasskeyFormatError`.
    package func send(
        _ credentials: [Credential], _ mode: HandOverOffer.Mode, on connection: HandOverConnection
    ) async throws -> HandOverResult {
        do {
            return try await hand(credentials, mode, over: connection)
        } catch let stopped as HandOverStopped {
            throw Self.failure(stopped)
        }
    }

    private func hand(
        _ credentials: [Credential], _ mode: HandOverOffer.Mode, over connection: HandOverConnection
    ) async throws -> HandOverResult {
        // A passkey that cannot be sent is known before anything is said of it.
        let parcel = try pack(credentials)
        let receiver = try await greet(connection)
        let way = CredentialInTransit.Receiver(id: receiver.id, name: receiver.name)
        // Passkeys that an earlier version has sent went to a number that anybody can repeat: they are settled only if
        // the user wants nothing else, and sees it.
        let sent = try await vault.inTransit().filter { sent in
            sent.receiver.id == receiver.id || credentials.isEmpty && sent.receiver.id == receiver.formerID
        }
        let inTransit = sent.map(\.credential)
        let offer = HandOverOffer(
            mode: mode, passkeys: credentials.map(\.offered),
            inTransit: inTransit.map { HandOverOffer.digest(of: $0.id) })
        try await HandOverQuestion(
            operation: credentials.isEmpty ? .settlePasskeys : mode == .move ? .movePasskeys : .copyPasskeys,
            peer: receiver.name, passkeys: offer.passkeys,
            inTransit: sent.map {
                .init(
                    passkey: $0.credential.offered.text, receiver: $0.receiver.name,
                    isProven: $0.receiver.id == receiver.id)
            }
        ).ask(approval, on: connection)
        try await connection.send(.offer(offer))
        guard case .acceptance(let holds) = try await connection.receive() else { throw Self.outOfTurn }
        try await settle(zip(inTransit, holds).map { ($0, $1) })
        var outcomes: [HandOverOutcome] = []
        if let payload = parcel.payload {
            if mode == .move { try await vault.sendAway(ids: credentials.map(\.id), to: way) }
            outcomes = try await deliver(parcel.credentials, payload, mode, on: connection)
        }
        // Nothing here depends on whether the receiver learns of it.
        try? await connection.send(.settled)
        return HandOverResult(outcomes, settled: holds)
    }

    private static let outOfTurn = HandOverFailure(.badPayload, reason: "the receiver sent an unexpected message")

    private func pack(_ credentials: [Credential]) throws -> Parcel {
        guard !credentials.isEmpty else { return Parcel(credentials: [], payload: nil) }
        guard credentials.allSatisfy(\.isBackupEligible) else {
            throw HandOverFailure(
                .notBackupEligible, reason: "one of the passkeys must not leave this machine: its site was told so")
        }
        let export = try CXF.encode(credentials, at: PasskeyAuthenticator.systemTime())
        guard export.span.count <= HandOverPayload.maxByteCount else {
            throw HandOverFailure(.tooLarge, reason: "the passkeys are too large for one hand-over")
        }
        for record in export.records {
            guard let passkey = record.passkey else { continue }
            for loss in record.losses { observe(HandOverEvent.loses(passkey, loss)) }
        }
        return Parcel(
            credentials: credentials, payload: HandOverPayload(SecretBytes(copying: export.span)))
    }

    /// Asks for the digits, and learns who the receiver is once they are right.
    private func greet(_ connection: HandOverConnection) async throws -> HandOverReceiver {
        guard case .hello = try await connection.receive() else { throw Self.outOfTurn }
        try await connection.send(.greeting(nonce: randomBytes(count: ComparisonCode.nonceByteCount)))
        let digits: String
        do {
            digits = try await connection.whileOpen(askForDigits)
        } catch let refusal as Approval.Refusal {
            let failure = try await HandOverQuestion.failure(refusal, on: connection)
            guard failure.code == .notVerified else { throw failure }
            throw HandOverFailure(
                .declined, reason: "there is nowhere to type the number: neither a terminal nor a window")
        }
        let nonce = randomBytes(count: ComparisonCode.nonceByteCount)
        try await connection.send(await connection.typing(digits, nonce: nonce))
        guard case .reveal = try await connection.receive(), let code = await connection.code else {
            throw Self.outOfTurn
        }
        guard code.matches(digits) else {
            await connection.stop(.wrongDigits)
            throw HandOverFailure(
                .wrongDigits,
                reason: "the typed number is not that of this hand-over: it was mistyped, or is another device's")
        }
        let name = name.truncated(toByteCount: HandOverReceiver.maxNameByteCount)
        try await connection.send(.opening(nonce: nonce, name: name))
        guard case .identity(let identity) = try await connection.receive() else { throw Self.outOfTurn }
        observe(HandOverEvent.peer(identity.receiver.name))
        return identity.receiver
    }

    private func settle(_ passkeys: [(Credential, Bool)]) async throws {
        guard !passkeys.isEmpty else { return }
        let arrived = passkeys.filter(\.1).map(\.0)
        let takenBack = passkeys.filter { !$0.1 }.map(\.0)
        try await vault.settle(arrived: arrived.map(\.id), takenBack: takenBack.map(\.id))
        for passkey in arrived { observe(HandOverEvent.arrived(passkey)) }
        for passkey in takenBack { observe(HandOverEvent.takenBack(passkey)) }
    }

    /// Sends the passkeys, and takes note of the outcome for each.
    private func deliver(
        _ credentials: [Credential], _ payload: HandOverPayload, _ mode: HandOverOffer.Mode,
        on connection: HandOverConnection
    ) async throws -> [HandOverOutcome] {
        await connection.withholdStop()
        let outcomes: [HandOverOutcome]
        do {
            try await connection.send(.payload(payload))
            guard case .receipt(let receipt) = try await connection.receive() else { throw Self.outOfTurn }
            outcomes = receipt
        } catch let stopped as HandOverStopped {
            // The receiver says that it has kept nothing.
            if mode == .move { try await vault.settle(arrived: [], takenBack: credentials.map(\.id)) }
            throw Self.failure(stopped)
        } catch {
            guard mode == .move else { throw error }
            throw HandOverFailure(
                .inTransit,
                reason: "the hand-over broke off when the receiver may have had the passkeys: they are in transit"
                    + ((error as? HybridTransportError).map { " (\($0.cause))" } ?? ""))
        }
        let results = zip(credentials, outcomes).map { ($0, $1) }
        let held = results.filter { $0.1.isHeld }.map(\.0.id)
        switch mode {
        case .move:
            try await vault.settle(arrived: held, takenBack: results.filter { !$0.1.isHeld }.map(\.0.id))
        case .copy: if !held.isEmpty { try await vault.markBackedUp(Set(held)) }
        }
        for (credential, outcome) in results { observe(HandOverEvent.handedOver(credential, outcome)) }
        return outcomes
    }

    static func failure(_ stopped: HandOverStopped) -> HandOverFailure {
        HandOverFailure(.stoppedByPeer, reason: stopped.reason.cause)
    }
}

extension Credential {
    /// The passkey as the receiver's user is shown it.
    var offered: HandOverOffer.Passkey {
        HandOverOffer.Passkey(
            rpID: rpID, userName: userName.flatMap { $0.isEmpty ? nil : $0 },
            userDisplayName: userDisplayName.flatMap { $0.isEmpty ? nil : $0 })
    }
}

extension HandOverStop {
    /// The peer's reason in words.
    fileprivate var cause: String {
        switch self {
        case .declined: "it was refused on the other device"
        case .timedOut: "nobody answered on the other device in time"
        case .cancelled: "it was cancelled on the other device"
        case .full: "the other vault has no room for so many passkeys"
        case .unreadable: "the other device cannot read the passkeys"
        case .differs: "the other device received other passkeys than were offered"
        case .failed: "something failed on the other device"
        case .wrongDigits: "the number that was typed on the other device is not the one that is shown here"
        }
    }
}
