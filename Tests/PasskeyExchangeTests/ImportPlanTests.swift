import PasskeyAuthenticator
import Testing

@testable import PasskeyExchange

/// The passkeys of a file that a vault imports.
@Suite struct ImportPlanTests {
    private static func record(_ number: UInt8, user: UInt8, isDiscoverable: Bool = true, _ key: CredentialKey)
        -> PasskeyRecord
    {
        let credential = Credential(
            id: [number], rpID: "example.com", rpName: nil, userHandle: [user], userName: nil, userDisplayName: nil,
            isDiscoverable: isDiscoverable, key: key, isBackupEligible: true)
        return PasskeyRecord(
            rpID: credential.rpID, userName: nil, outcome: .passkey(credential), losses: [])
    }

    @Test("Neither an ID that is there, nor a second passkey of an account, nor one without room is taken")
    func obstacles() throws {
        let key = try CredentialKey()
        var plan = PasskeyImportPlan(existing: [try #require(Self.record(1, user: 1, key).passkey)])
        let records = [
            Self.record(1, user: 2, key), Self.record(2, user: 1, key), Self.record(3, user: 3, key),
            Self.record(3, user: 4, key), Self.record(4, user: 3, key),
            Self.record(5, user: 3, isDiscoverable: false, key),
        ]
        #expect(
            records.map { plan.add($0).obstacle } == [
                .duplicate, .otherOfAccount, nil, .duplicate, .otherOfAccount, nil,
            ])
        #expect(plan.added.map(\.id) == [[3], [5]])
    }

    @Test("A vault takes no more than it keeps")
    func full() throws {
        let key = try CredentialKey()
        let existing = (0..<CredentialList.maxCount - 1).map { number in
            Credential(
                id: [UInt8(number >> 8), UInt8(number & 0xFF)], rpID: "example.com", rpName: nil, userHandle: [1],
                userName: nil, userDisplayName: nil, isDiscoverable: false, key: key)
        }
        var plan = PasskeyImportPlan(existing: existing)
        #expect(plan.add(Self.record(1, user: 1, key)).obstacle == nil)
        #expect(plan.add(Self.record(2, user: 2, key)).obstacle == .vaultFull)
    }
}
