/// The credentials of a store in the order in which they were made, and the rules for changing them.
package struct CredentialList: Sendable {
    /// The most credentials that a store keeps.
    package static let maxCount = 1024

    /// The credentials, the oldest first.
    package private(set) var credentials: [Credential] = []

    /// Takes credentials in the order in which they were made.
    package init(_ credentials: [Credential] = []) { self.credentials = credentials }

    /// The credentials of a relying party, the newest first.
    package func credentials(rpID: String) -> [Credential] { credentials.reversed().filter { $0.belongs(to: rpID) } }

    /// The list with one more credential, which takes the place of its account's older one if it is discoverable.
    ///
    /// - Throws: ``CredentialStoreError`` `full`.
    package func adding(_ credential: Credential) throws(CredentialStoreError) -> CredentialList {
        let kept = credentials.filter {
            !$0.isReplaced(by: credential.rpID, credential.userHandle, isDiscoverable: credential.isDiscoverable)
        }
        guard kept.count < Self.maxCount else {
            throw CredentialStoreError(.full, reason: "the store keeps \(Self.maxCount) credentials and no more")
        }
        return CredentialList(kept + [credential])
    }

    /// The list with a credential in the place of the one with the same ID.
    ///
    /// - Throws: ``CredentialStoreError`` `unknown-credential`.
    package func updating(_ credential: Credential) throws(CredentialStoreError) -> CredentialList {
        var changed = self
        changed.credentials[try index(of: credential.id)] = credential
        return changed
    }

    /// The list without the credential of an ID.
    ///
    /// - Throws: ``CredentialStoreError`` `unknown-credential`.
    package func removing(id: [UInt8]) throws(CredentialStoreError) -> CredentialList {
        var changed = self
        changed.credentials.remove(at: try index(of: id))
        return changed
    }

    /// The list with every credential that may have a copy elsewhere said to have one.
    ///
    /// Source: WebAuthn Level 3 section 6.1.3, "backup state".
    package func backedUp() -> CredentialList {
        CredentialList(
            credentials.map { credential in
                var copied = credential
                copied.isBackedUp = credential.isBackupEligible
                return copied
            })
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
