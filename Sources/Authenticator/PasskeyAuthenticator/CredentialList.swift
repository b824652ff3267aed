/// The credentials of a store in the order in which they were made, and the rules for changing them.
package struct CredentialList: Sendable {
    /// The most credentials that a store keeps.
    package static let maxCount = 1024

    /// The most replaced credentials that a store keeps: with another one the oldest goes.
    package static let maxReplacedCount = 128

    /// The most credentials that were handed over and are kept for a while: with another one the oldest goes.
    package static let maxHandedOverCount = 1024

    /// The credentials, the oldest first.
    package private(set) var credentials: [Credential] = []
    /// Those that newer ones have taken the place of, the longest replaced first. No request finds them.
    package private(set) var replaced: [ReplacedCredential] = []
    /// Those that were handed over, and may have arrived. No request finds them, and they keep their room.
    package private(set) var inTransit: [CredentialInTransit] = []

    /// Those that another vault has, the longest first. No request finds them.
    package private(set) var handedOver: [HandedOverCredential] = []

    /// Takes credentials in the order in which they were made, and replaced ones and those that were handed over in the
    /// order in which that happened.
    package init(
        _ credentials: [Credential] = [], replaced: [ReplacedCredential] = [], inTransit: [CredentialInTransit] = [],
        handedOver: [HandedOverCredential] = []
    ) {
        self.credentials = credentials
        self.replaced = replaced
        self.inTransit = inTransit
        self.handedOver = handedOver
    }

    /// The credentials of a relying party, the newest first.
    package func credentials(rpID: String) -> [Credential] { credentials.reversed().filter { $0.belongs(to: rpID) } }

    /// The list with one more credential, which takes the place of its account's older one if it is discoverable.
    ///
    /// - Parameters:
    ///   - credential: the new credential.
    ///   - time: the time at which the older one is noted as replaced, in seconds since 1970; nil if it is not kept.
    /// - Throws: ``CredentialStoreError`` `full`.
    package func adding(
        _ credential: Credential, keepingReplacedAt time: Int64? = nil
    ) throws(CredentialStoreError) -> CredentialList {
        var changed = self
        changed.credentials.removeAll {
            $0.isReplaced(by: credential.rpID, credential.userHandle, isDiscoverable: credential.isDiscoverable)
        }
        guard changed.credentials.count + inTransit.count < Self.maxCount else {
            throw CredentialStoreError(.full, reason: "the store keeps \(Self.maxCount) credentials and no more")
        }
        changed.credentials.append(credential)
        changed.replaced.removeAll { $0.credential.id == credential.id }
        changed.handedOver.removeAll { $0.credential.id == credential.id }
        guard let time else { return changed }
        let remaining = Set(changed.credentials.lazy.map(\.id))
        for old in credentials where !remaining.contains(old.id) {
            changed.replaced.append(ReplacedCredential(old, at: time))
        }
        changed.replaced = changed.replaced.suffix(Self.maxReplacedCount)
        return changed
    }

    /// The list with a credential in use again that was replaced or handed over. The one that has taken its place is
    /// the replaced one then.
    ///
    /// - Parameters:
    ///   - id: the ID of a credential that was replaced or handed over.
    ///   - time: the time, in seconds since 1970.
    /// - Throws: ``CredentialStoreError`` `unknown-credential`; `full`.
    package func restoring(id: [UInt8], at time: Int64) throws(CredentialStoreError) -> CredentialList {
        let kept = replaced.map(\.credential) + handedOver.map(\.credential)
        guard let found = kept.first(where: { $0.id == id }) else {
            throw CredentialStoreError(.unknownCredential, reason: "the store keeps no credential aside with that ID")
        }
        return try adding(found, keepingReplacedAt: time)
    }

    /// The list without the credentials that are kept aside and whose time is over.
    ///
    /// A credential that was handed over in the future was so before the clock was set back: its time begins again, so
    /// that the clock can lengthen it, and not by more than once the whole of it.
    ///
    /// - Parameter time: the time, in seconds since 1970.
    package func pruned(at time: Int64) -> CredentialList {
        var changed = self
        changed.replaced.removeAll { $0.keptUntil < time }
        changed.handedOver = handedOver.filter { $0.keptUntil >= time }.map { kept in
            HandedOverCredential(kept.credential, at: kept.receiver, arrived: min(kept.arrived, time))
        }
        return changed
    }

    /// The list without credentials that were handed over and kept.
    ///
    /// - Parameter ids: their IDs.
    /// - Throws: ``CredentialStoreError`` `unknown-credential`.
    package func purging(ids: Set<[UInt8]>) throws(CredentialStoreError) -> CredentialList {
        var changed = self
        changed.handedOver.removeAll { ids.contains($0.credential.id) }
        guard handedOver.count - changed.handedOver.count == ids.count else {
            throw CredentialStoreError(
                .unknownCredential, reason: "the store keeps no credential with that ID that was handed over")
        }
        return changed
    }

    /// The list with a credential in the place of the one with the same ID.
    ///
    /// - Throws: ``CredentialStoreError`` `unknown-credential`.
    package func updating(_ credential: Credential) throws(CredentialStoreError) -> CredentialList {
        var changed = self
        changed.credentials[try index(of: credential.id)] = credential
        return changed
    }

    /// The list without the credential of an ID, in use or replaced.
    ///
    /// - Throws: ``CredentialStoreError`` `unknown-credential`.
    package func removing(id: [UInt8]) throws(CredentialStoreError) -> CredentialList {
        var changed = self
        changed.replaced.removeAll { $0.credential.id == id }
        if changed.replaced.count == replaced.count { changed.credentials.remove(at: try index(of: id)) }
        return changed
    }

    /// The list with every credential in use that may have a copy elsewhere said to have one.
    ///
    /// Source: WebAuthn Level 3 section 6.1.3, "backup state".
    ///
    /// - Parameter ids: the IDs of those that have one; nil for all.
    package func backedUp(_ ids: Set<[UInt8]>? = nil) -> CredentialList {
        var changed = self
        changed.credentials = credentials.map { credential in
            guard ids?.contains(credential.id) ?? true else { return credential }
            var copied = credential
            copied.isBackedUp = credential.isBackupEligible
            return copied
        }
        return changed
    }

    private func index(of id: [UInt8]) throws(CredentialStoreError) -> Int {
        guard let index = credentials.firstIndex(where: { $0.id == id }) else {
            throw CredentialStoreError(.unknownCredential, reason: "the store has no credential with that ID")
        }
        return index
    }
}

extension Credential {
    /// True if a registration takes the place of this credential: both are discoverable, and of one account (CTAP 2.2
    /// section 6.1.2 step 17).
    func isReplaced(by rpID: String, _ userHandle: [UInt8], isDiscoverable: Bool) -> Bool {
        self.isDiscoverable && isDiscoverable && self.userHandle == userHandle && belongs(to: rpID)
    }
}

// The rules for credentials that are handed over.

extension CredentialList {
    /// The list with credentials in transit that were in use.
    ///
    /// - Parameters:
    ///   - ids: the IDs of credentials in use.
    ///   - receiver: the vault that they are handed over to.
    ///   - time: the time, in seconds since 1970.
    /// - Throws: ``CredentialStoreError`` `unknown-credential`.
    package func sendingAway(
        ids: [[UInt8]], to receiver: CredentialInTransit.Receiver, at time: Int64
    ) throws(CredentialStoreError) -> CredentialList {
        var changed = self
        for id in ids {
            guard let index = changed.credentials.firstIndex(where: { $0.id == id }) else {
                throw CredentialStoreError(
                    .unknownCredential, reason: "the store has no credential in use with that ID")
            }
            changed.inTransit.append(
                CredentialInTransit(changed.credentials.remove(at: index), to: receiver, since: time))
        }
        return changed
    }

    /// The list without credentials in transit: those that have arrived are kept as handed over, the others in use
    /// again.
    ///
    /// One whose account has got another credential meanwhile is not in use again, but a replaced one: the newer one is
    /// the one that its site knows.
    ///
    /// - Parameters:
    ///   - arrived: the IDs of those that have arrived.
    ///   - takenBack: the IDs of those that have not.
    ///   - time: the time, in seconds since 1970.
    /// - Throws: ``CredentialStoreError`` `unknown-credential` for an ID of none that is in transit.
    package func settling(
        arrived: [[UInt8]], takenBack: [[UInt8]], at time: Int64
    ) throws(CredentialStoreError) -> CredentialList {
        var changed = self
        for id in arrived {
            let sent = try Self.take(id, from: &changed.inTransit)
            changed.handedOver.append(HandedOverCredential(sent.credential, at: sent.receiver, arrived: time))
        }
        changed.handedOver = changed.handedOver.suffix(Self.maxHandedOverCount)
        for id in takenBack {
            let credential = try Self.take(id, from: &changed.inTransit).credential
            let kept = changed.credentials
            guard !kept.contains(where: { $0.isOfAccount(of: credential) }) else {
                changed.replaced.append(ReplacedCredential(credential, at: time))
                continue
            }
            let made = credential.created ?? .min
            changed.credentials.insert(
                credential, at: kept.firstIndex { ($0.created ?? .min) > made } ?? kept.endIndex)
        }
        changed.replaced = changed.replaced.suffix(Self.maxReplacedCount)
        return changed
    }

    private static func take(
        _ id: [UInt8], from list: inout [CredentialInTransit]
    ) throws(CredentialStoreError) -> CredentialInTransit {
        guard let index = list.firstIndex(where: { $0.credential.id == id }) else {
            throw CredentialStoreError(
                .unknownCredential, reason: "the store has no credential in transit with that ID")
        }
        return list.remove(at: index)
    }

    /// Outcome for a credential that was handed over to this list.
    package enum Arrival: Sendable, Hashable {
        /// It is in use now.
        case kept
        /// It was in use before, with the same key.
        case held
        /// It is not kept: its account has another credential in use here.
        case otherOfAccount
    }

    /// The list with credentials that were handed over to it, each in use unless its account has another one here.
    ///
    /// One that was in transit from here, handed over, or replaced, has come back: it is in use again.
    ///
    /// - Returns: the list, and the outcome for each.
    /// - Throws: ``CredentialStoreError`` `full`.
    package func receiving(
        _ arriving: [Credential]
    ) throws(CredentialStoreError) -> (CredentialList, [Arrival]) {
        var changed = self
        var arrivals: [Arrival] = []
        for credential in arriving {
            if let same = changed.credentials.first(where: { $0.id == credential.id }) {
                arrivals.append(same.key.publicKey == credential.key.publicKey ? .held : .otherOfAccount)
            } else if changed.credentials.contains(where: { $0.isOfAccount(of: credential) }) {
                arrivals.append(.otherOfAccount)
            } else {
                changed.replaced.removeAll { $0.credential.id == credential.id }
                changed.inTransit.removeAll { $0.credential.id == credential.id }
                changed.handedOver.removeAll { $0.credential.id == credential.id }
                changed.credentials.append(credential)
                arrivals.append(.kept)
            }
        }
        guard changed.credentials.count + changed.inTransit.count <= Self.maxCount else {
            throw CredentialStoreError(.full, reason: "the store keeps \(Self.maxCount) credentials and no more")
        }
        return (changed, arrivals)
    }
}

extension Credential {
    /// True if only one of the two can be in use: both are discoverable, and of one account.
    fileprivate func isOfAccount(of other: Credential) -> Bool {
        isReplaced(by: other.rpID, other.userHandle, isDiscoverable: other.isDiscoverable)
    }
}
