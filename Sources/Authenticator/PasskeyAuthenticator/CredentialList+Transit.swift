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
        var kept = credentials
        var sent = inTransit
        for id in ids {
            guard let index = kept.firstIndex(where: { $0.id == id }) else {
                throw CredentialStoreError(
                    .unknownCredential, reason: "the store has no credential in use with that ID")
            }
            sent.append(CredentialInTransit(kept.remove(at: index), to: receiver, since: time))
        }
        return CredentialList(kept, replaced: replaced, inTransit: sent)
    }

    /// The list without credentials in transit: those that have arrived are gone, the others in use again.
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
        var kept = credentials
        var old = replaced
        var left = inTransit
        for id in arrived { _ = try Self.take(id, from: &left) }
        for id in takenBack {
            let credential = try Self.take(id, from: &left).credential
            guard !kept.contains(where: { $0.isOfAccount(of: credential) }) else {
                old.append(ReplacedCredential(credential, at: time))
                continue
            }
            let made = credential.created ?? .min
            kept.insert(credential, at: kept.firstIndex { ($0.created ?? .min) > made } ?? kept.endIndex)
        }
        return CredentialList(kept, replaced: old.suffix(Self.maxReplacedCount), inTransit: left)
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
    /// One that was in transit from here, or replaced, has come back: it is in use again.
    ///
    /// - Returns: the list, and what has become of each.
    /// - Throws: ``CredentialStoreError`` `full`.
    package func receiving(
        _ arriving: [Credential]
    ) throws(CredentialStoreError) -> (CredentialList, [Arrival]) {
        var kept = credentials
        var (old, left) = (replaced, inTransit)
        var arrivals: [Arrival] = []
        for credential in arriving {
            if let same = kept.first(where: { $0.id == credential.id }) {
                arrivals.append(same.key.publicKey == credential.key.publicKey ? .held : .otherOfAccount)
            } else if kept.contains(where: { $0.isOfAccount(of: credential) }) {
                arrivals.append(.otherOfAccount)
            } else {
                old.removeAll { $0.credential.id == credential.id }
                left.removeAll { $0.credential.id == credential.id }
                kept.append(credential)
                arrivals.append(.kept)
            }
        }
        guard kept.count + left.count <= Self.maxCount else {
            throw CredentialStoreError(.full, reason: "the store keeps \(Self.maxCount) credentials and no more")
        }
        return (CredentialList(kept, replaced: old, inTransit: left), arrivals)
    }
}

extension Credential {
    /// True if only one of the two can be in use: both are discoverable, and of one account.
    fileprivate func isOfAccount(of other: Credential) -> Bool {
        isReplaced(by: other.rpID, other.userHandle, isDiscoverable: other.isDiscoverable)
    }
}
