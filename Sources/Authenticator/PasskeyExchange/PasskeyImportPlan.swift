package import PasskeyAuthenticator

/// The passkeys of a file that a vault imports: those whose ID it does not have, that would not replace one of their
/// account, and for which it has room.
package struct PasskeyImportPlan: Sendable {
    /// The passkeys that it takes, in the order of the file.
    package private(set) var added: [Credential] = []

    private var ids: Set<[UInt8]>
    private var accounts: Set<Account>
    private var room: Int

    private struct Account: Hashable {
        let rpID: [UInt8]
        let userHandle: [UInt8]

        /// The account of a discoverable passkey, of which there is one; nil for another passkey.
        init?(_ credential: Credential) {
            guard credential.isDiscoverable else { return nil }
            rpID = Array(credential.rpID.utf8)
            userHandle = credential.userHandle
        }
    }

    /// Begins a plan.
    ///
    /// - Parameter existing: the vault's passkeys in use.
    package init(existing: [Credential]) {
        ids = Set(existing.map(\.id))
        accounts = Set(existing.compactMap(Account.init))
        room = CredentialList.maxCount - existing.count
    }

    /// Adds a passkey of the file.
    ///
    /// - Returns: the record, in which the passkey is left out if the vault does not take it.
    package mutating func add(_ record: PasskeyRecord) -> PasskeyRecord {
        guard let credential = record.passkey else { return record }
        if let obstacle = obstacle(to: credential) {
            return PasskeyRecord(rpID: record.rpID, userName: record.userName, outcome: .leftOut(obstacle), losses: [])
        }
        ids.insert(credential.id)
        if let account = Account(credential) { accounts.insert(account) }
        room -= 1
        added.append(credential)
        return record
    }

    private func obstacle(to credential: Credential) -> PasskeyObstacle? {
        if ids.contains(credential.id) { return .duplicate }
        if let account = Account(credential), accounts.contains(account) { return .otherOfAccount }
        return room > 0 ? nil : .vaultFull
    }
}
