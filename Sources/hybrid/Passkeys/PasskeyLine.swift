import CTAP
import Foundation
import PasskeyAuthenticator
import TextEncodings

/// A passkey as it is listed: everything but its secrets.
struct PasskeyLine: Encodable {
    let event = "passkey"
    /// The credential ID, in hexadecimal digits.
    let id: String
    let rpId: String
    let rpName: String?
    /// The user handle, in hexadecimal digits.
    let userId: String
    let userName: String?
    let userDisplayName: String?
    let discoverable: Bool
    let algorithm: Int64
    /// The level of credProtect: 1 to 3.
    let protection: UInt8
    let hasPrf: Bool
    let largeBlobBytes: Int?
    /// Seconds since 1970; absent if it is not known.
    let created: Int64?
    let lastUsed: Int64?
    /// The time at which a newer passkey has taken its place; absent if it is in use.
    let replaced: Int64?
    /// The time up to which it can be restored then.
    let keptUntil: Int64?

    /// The number of digits of the ID in a list: enough to identify a passkey.
    private static let shortIDLength = 8

    init(_ credential: Credential) { self.init(credential, nil) }

    init(_ replaced: ReplacedCredential) { self.init(replaced.credential, replaced) }

    private init(_ credential: Credential, _ replaced: ReplacedCredential?) {
        id = Hexadecimal.encode(credential.id)
        rpId = credential.rpID
        rpName = credential.rpName
        userId = Hexadecimal.encode(credential.userHandle)
        userName = credential.userName
        userDisplayName = credential.userDisplayName
        discoverable = credential.isDiscoverable
        algorithm = credential.key.algorithm.rawValue
        protection = credential.protection.rawValue
        hasPrf = credential.prf != nil
        largeBlobBytes = credential.largeBlob?.compressed.count
        created = credential.created
        lastUsed = credential.lastUsed
        self.replaced = replaced?.replaced
        keptUntil = replaced?.keptUntil
    }

    /// One line for people.
    var summary: String {
        let user = [userName, userDisplayName].compactMap(\.self).first { !$0.isEmpty }.map(quoted)
        return [
            String(id.prefix(Self.shortIDLength)), quoted(rpId), user ?? "(without a name)",
            "made \(Self.time(created) ?? "at an unknown time")",
            Self.time(lastUsed).map { "last used \($0)" } ?? "never used",
            Self.time(replaced).map { "replaced \($0)" },
        ].compactMap(\.self).joined(separator: "  ")
    }

    /// All of it, for people.
    var details: String {
        let rows: [(String, String?)] = [
            ("id", id), ("site", quoted(rpId)), ("site's name", rpName.map(quoted)),
            ("account", userName.map(quoted)), ("person", userDisplayName.map(quoted)), ("user id", userId),
            ("made", Self.time(created) ?? "at an unknown time"), ("last used", Self.time(lastUsed) ?? "never"),
            ("found without being named", discoverable ? "yes" : "no"), ("algorithm", "\(algorithm)"),
            ("credProtect level", "\(protection)"), ("prf", hasPrf ? "yes" : "no"),
            ("large blob", largeBlobBytes.map { "\($0) bytes" }), ("replaced", Self.time(replaced)),
            ("kept until", Self.time(keptUntil)),
        ]
        return rows.compactMap { name, value in value.map { "\(name): \($0)" } }.joined(separator: "\n")
    }

    private static func time(_ seconds: Int64?) -> String? {
        seconds.map { Date(timeIntervalSince1970: Double($0)).formatted(.iso8601) }
    }
}
