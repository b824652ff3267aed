/// The credentials of a store in the order in which they were made, and the rules for changing them.
package struct CredentialList: Sendable {
    /// The most credentials that a store keeps.
    package static let maxCount = 1024

    /// The most replaced credentials that a store keeps: with another one the oldest goes.
    package static let maxReplacedCount = 128

    /// The credentials, the oldest first.
    package private(set) var credentials: [Credential] = []
    /// Those that newer ones have taken the place of, the longest replaced first. No request finds them.
    package private(set) var replaced: [ReplacedCredential] = []
    /// Those that were handed over, and may have arrived. No request finds them, and they keep their room.
    package private(set) var inTransit: [CredentialInTransit] = []

    /// Takes credentials in the order in which they were made, and replaced ones in the order in which that happened.
    package init(
        _ credentials: [Credential] = [], replaced: [ReplacedCredential] = [], inTransit: [CredentialInTransit] = []
    ) {
        self.credentials = credentials
        self.replaced = replaced
        self.inTransit = inTransit
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
        guard let time else { return changed }
        let remaining = Set(changed.credentials.lazy.map(\.id))
        for old in credentials where !remaining.contains(old.id) {
            changed.replaced.append(ReplacedCredential(old, at: time))
        }
        changed.replaced = changed.replaced.suffix(Self.maxReplacedCount)
        return changed
    }

    /// The list with a replaced credential in use again. The one that has taken its place is the replaced one then.
    ///
    /// - Parameters:
    ///   - id: the ID of a replaced credential.
    ///   - time: the time, in seconds since 1970.
    /// - Throws: ``CredentialStoreError`` `unknown-credential`; `full`.
    package func restoring(id: [UInt8], at time: Int64) throws(CredentialStoreError) -> CredentialList {
        guard let found = replaced.first(where: { $0.credential.id == id }) else {
            throw CredentialStoreError(.unknownCredential, reason: "the store has no replaced credential with that ID")
        }
        return try adding(found.credential, keepingReplacedAt: time)
    }

    /// The list without the replaced credentials whose time is over.
    ///
    /// - Parameter time: the time, in seconds since 1970.
    package func pruned(at time: Int64) -> CredentialList {
        CredentialList(credentials, replaced: replaced.filter { $0.keptUntil >= time }, inTransit: inTransit)
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
        CredentialList(
            credentials.map { credential in
                guard ids?.contains(credential.id) ?? true else { return credential }
                var copied = credential
                copied.isBackedUp = credential.isBackupEligible
                return copied
            }, replaced: replaced, inTransit: inTransit)
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
