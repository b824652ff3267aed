/// The credentials of a store in the order in which they were made.
struct CredentialList: Sendable {
    /// The most credentials that a store keeps.
    static let maxCount = 1024

    private(set) var credentials: [Credential] = []

    /// Takes credentials in the order in which they were made.
    init(_ credentials: [Credential] = []) { self.credentials = credentials }

    /// The credentials of a relying party, the newest first.
    func credentials(rpID: String) -> [Credential] { credentials.reversed().filter { $0.belongs(to: rpID) } }

    /// The list with one more credential, which takes the place of its account's older one if it is discoverable.
    func adding(_ credential: Credential) throws(CredentialStoreError) -> CredentialList {
        let kept = credentials.filter { !Self.replaces($0, with: credential) }
        guard kept.count < Self.maxCount else {
            throw CredentialStoreError(.full, reason: "the store keeps \(Self.maxCount) credentials and no more")
        }
        return CredentialList(kept + [credential])
    }

    private static func replaces(_ old: Credential, with new: Credential) -> Bool {
        old.isDiscoverable && new.isDiscoverable && old.userHandle == new.userHandle && old.belongs(to: new.rpID)
    }
}
