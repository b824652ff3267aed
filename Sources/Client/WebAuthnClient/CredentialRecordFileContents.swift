internal import CTAP
internal import Encodings
internal import FoundationEssentials

/// The contents of a ``CredentialRecordFile``: `{"version":1,"relyingParties":{ID:[credential, …], …}}`, bytes in
/// base64url, public keys as SubjectPublicKeyInfo.
struct CredentialRecordFileContents {
    /// The credentials by the relying party's identifier.
    var entries: [String: [CredentialRecordFile.Entry]] = [:]

    private static let version = 1

    /// A file without credentials.
    init() {}

    /// The JSON, a line.
    func encoded() -> [UInt8] {
        let parties = entries.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }
        let json: JSONValue = [
            "version": .integer(Self.version),
            "relyingParties": .object(parties.map { .init($0.key, .array($0.value.map(\.json))) }),
        ]
        return [UInt8]((json.text + "\n").utf8)
    }

    /// Reads a file.
    ///
    /// - Throws: ``RelyingPartyError`` `file-damaged` or `file-newer-version`.
    init(decoding bytes: [UInt8]) throws(RelyingPartyError) {
        let data = Data(bytes)
        guard let header = try? JSONDecoder().decode(Header.self, from: data), header.version >= 1 else {
            throw Self.damaged("it is not a file of credentials, or is incomplete")
        }
        guard header.version <= Self.version else {
            throw RelyingPartyError(
                .fileNewerVersion,
                reason: "the file has version \(header.version), and this program knows version \(Self.version)")
        }
        guard let file = try? JSONDecoder().decode(File.self, from: data) else {
            throw Self.damaged("a member of it is missing or of a wrong type")
        }
        for (id, credentials) in file.relyingParties {
            var list: [CredentialRecordFile.Entry] = []
            for credential in credentials {
                guard let entry = credential.entry else { throw Self.damaged("a credential of it is not valid") }
                list.append(entry)
            }
            entries[id] = list
        }
    }

    private struct Header: Decodable {
        let version: Int
    }

    private struct File: Decodable {
        let relyingParties: [String: [StoredCredential]]
    }

    private static func damaged(_ what: String) -> RelyingPartyError {
        RelyingPartyError(.fileDamaged, reason: "the file is damaged, or another kind of file: \(what)")
    }
}

/// A credential as the file has it.
private struct StoredCredential: Decodable {
    let id: String
    let publicKey: String
    let userId: String
    let userName: String?
    let userDisplayName: String?
    let signCount: UInt32
    let aaguid: String
    let backupEligible: Bool
    let backedUp: Bool
    let transports: [String]
    let created: Int64
    let lastUsed: Int64?

    /// The credential; nil if a part of it is malformed.
    var entry: CredentialRecordFile.Entry? {
        guard let id = Base64URL.decode(id), (1...AttestedCredential.maxCredentialIDByteCount).contains(id.count),
            let der = Base64URL.decode(publicKey), let publicKey = try? PublicKey(subjectPublicKeyInfo: der),
            let handle = Base64URL.decode(userId),
            (1...PublicKeyCredentialUserEntity.maxIDByteCount).contains(handle.count),
            let aaguid = Base64URL.decode(aaguid), aaguid.count == AttestedCredential.aaguidByteCount
        else { return nil }
        let credential = RegisteredCredential(
            id: id, publicKey: publicKey, user: .init(id: handle, name: userName, displayName: userDisplayName),
            signCount: signCount, aaguid: aaguid, isBackupEligible: backupEligible, isBackedUp: backedUp,
            transports: transports)
        return CredentialRecordFile.Entry(credential: credential, created: created, lastUsed: lastUsed)
    }
}

extension CredentialRecordFile.Entry {
    /// The credential as the file has it.
    fileprivate var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("id", .base64URL(credential.id)),
            .init("publicKey", .base64URL(credential.publicKey.subjectPublicKeyInfo)),
            .init("userId", .base64URL(credential.user.id)),
        ]
        if let name = credential.user.name { members.append(.init("userName", .string(name))) }
        if let name = credential.user.displayName { members.append(.init("userDisplayName", .string(name))) }
        members += [
            .init("signCount", .integer(credential.signCount)), .init("aaguid", .base64URL(credential.aaguid)),
            .init("backupEligible", .bool(credential.isBackupEligible)),
            .init("backedUp", .bool(credential.isBackedUp)),
            .init("transports", .array(credential.transports.map(JSONValue.string))),
            .init("created", .integer(created)),
        ]
        if let lastUsed { members.append(.init("lastUsed", .integer(lastUsed))) }
        return .object(members)
    }
}
