import Testing

@testable import PasskeyAuthenticator

@Suite("The credentials of a store")
struct CredentialListTests {
    private func credential(_ id: UInt8, user: UInt8 = 1, isDiscoverable: Bool = true) throws -> Credential {
        Credential(
            id: [id], rpID: "example.org", rpName: nil, userHandle: [user], userName: nil, userDisplayName: nil,
            isDiscoverable: isDiscoverable, key: try CredentialKey())
    }

    @Test("keep a replaced one only where they are told when it was replaced")
    func keeping() throws {
        let list = CredentialList([try credential(1)])
        #expect(try list.adding(credential(2)).replaced.isEmpty)
        let keeping = try list.adding(credential(2), keepingReplacedAt: 5)
        #expect(keeping.replaced.map(\.credential.id) == [[1]] && keeping.replaced.map(\.replaced) == [5])
        #expect(keeping.credentials(rpID: "example.org").map(\.id) == [[2]])
        // Neither another user's nor one that must be named is replaced.
        #expect(try list.adding(credential(2, user: 2), keepingReplacedAt: 5).replaced.isEmpty)
        #expect(try list.adding(credential(2, isDiscoverable: false), keepingReplacedAt: 5).replaced.isEmpty)
    }

    @Test("have no room for one more by restoring one whose account has none in use")
    func restoringIntoFullStore() throws {
        var list = try CredentialList([credential(1)]).adding(credential(2), keepingReplacedAt: 5).removing(id: [2])
        let key = try CredentialKey()
        for number in 0..<CredentialList.maxCount {
            list = try list.adding(
                Credential(
                    id: [UInt8(number & 0xff), UInt8(number >> 8)], rpID: "other.org", rpName: nil, userHandle: [1],
                    userName: nil, userDisplayName: nil, isDiscoverable: false, key: key))
        }
        #expect(throws: CredentialStoreError(.full, reason: "")) { try list.restoring(id: [1], at: 6) }
        #expect(list.replaced.map(\.credential.id) == [[1]])
    }
}
