import CTAP
import CommandLine
import DesktopAuthenticator
import Encodings
import LinuxSupport
import PasskeyAuthenticator

/// A passkey as it is listed: everything but its secrets.
struct PasskeyLine {
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
    /// The time up to which it can be restored, if it was replaced or handed over.
    let keptUntil: Int64?
    /// The time at which it was handed over, while it is not known whether it has arrived; absent if it is here.
    let inTransit: Int64?
    /// The time at which another device said that it has it; absent if it is here or in transit.
    let handedOver: Int64?
    /// The name of the device that it was handed over to then.
    let receiver: String?

    /// The number of digits of the ID in a list: enough to identify a passkey.
    private static let shortIDLength = 8

    init(_ passkey: PasskeyMetadata) {
        id = Hexadecimal.encode(passkey.id)
        rpId = passkey.rpID
        rpName = passkey.rpName
        userId = Hexadecimal.encode(passkey.userHandle)
        userName = passkey.userName
        userDisplayName = passkey.userDisplayName
        discoverable = passkey.isDiscoverable
        algorithm = Int64(passkey.algorithm)
        protection = passkey.protection
        hasPrf = passkey.hasPRF
        largeBlobBytes = passkey.largeBlobByteCount.map(Int.init)
        created = passkey.created
        lastUsed = passkey.lastUsed
        replaced = passkey.replaced
        keptUntil = passkey.keptUntil
        inTransit = passkey.inTransit
        handedOver = passkey.handedOver
        receiver = passkey.receiver
    }

    init(_ credential: Credential) { self.init(PasskeyMetadata(credential)) }

    init(_ sent: CredentialInTransit) { self.init(PasskeyMetadata(sent)) }

    init(_ replaced: ReplacedCredential) { self.init(PasskeyMetadata(replaced)) }

    init(_ kept: HandedOverCredential) { self.init(PasskeyMetadata(kept)) }

    /// True if it answers no site and is not on its way: it was replaced or handed over.
    var isKeptAside: Bool { replaced != nil || handedOver != nil }

    private var shortID: String { String(id.prefix(Self.shortIDLength)) }
    private var account: String {
        [userName, userDisplayName].compactMap(\.self).first { !$0.isEmpty }.map(quoted) ?? "(without a name)"
    }

    /// One line for people, within a sentence.
    var summary: String { "\(shortID)  \(quoted(rpId))  \(account)" }

    /// The passkey as a line of `--json`.
    var json: Line {
        Line(
            "passkey",
            [
                "id": id, "rp_id": rpId, "rp_name": rpName, "user_id": userId, "user_name": userName,
                "user_display_name": userDisplayName, "discoverable": discoverable, "algorithm": algorithm,
                "protection": protection, "has_prf": hasPrf, "large_blob_bytes": largeBlobBytes, "created": created,
                "last_used": lastUsed, "replaced": replaced, "kept_until": keptUntil, "in_transit": inTransit,
                "handed_over": handedOver, "receiver": receiver,
            ])
    }

    private static let unknown: Sentence = "unknown"
    private static let never: Sentence = "never"

    /// The columns of a list.
    static var columns: [Reporter.Column<Self>] {
        [
            ("PASSKEY", \.shortID), ("SITE", { quoted($0.rpId) }), ("ACCOUNT", \.account),
            ("MADE", { $0.created.map(LocalTime.text) ?? Self.unknown.localized }),
            ("LAST USED", { $0.lastUsed.map(LocalTime.text) ?? Self.never.localized }),
            ("REPLACED", { $0.replaced.map(LocalTime.text) }),
            ("IN TRANSIT TO", { $0.inTransit == nil ? nil : $0.receiver.map(quoted) }),
            ("HANDED OVER TO", { $0.handedOver == nil ? nil : $0.receiver.map(quoted) }),
            ("SINCE", { ($0.inTransit ?? $0.handedOver).map(LocalTime.text) }),
        ]
    }

    /// All of it, for people.
    var details: Sentence {
        let texts: [(Sentence, String?)] = [
            ("id", id), ("site", quoted(rpId)), ("site's name", rpName.map(quoted)),
            ("account", userName.map(quoted)), ("person", userDisplayName.map(quoted)), ("user id", userId),
        ]
        let facts: [(Sentence, Sentence)] = [
            ("made", created.map { "\(LocalTime.text($0))" } ?? "at an unknown time"),
            ("last used", lastUsed.map { "\(LocalTime.text($0))" } ?? "never"),
            ("discoverable", discoverable ? "yes" : "no"), ("algorithm", "\(Self.named(algorithm))"),
            ("credProtect", "\(Self.named(protection: protection))"), ("prf", hasPrf ? "yes" : "no"),
        ]
        let blob: [(Sentence, Sentence)] = largeBlobBytes.map { [("large blob", "\($0) bytes")] } ?? []
        let rest: [(Sentence, String?)] = [
            ("replaced", replaced.map(LocalTime.text)),
            ("kept until", keptUntil.map(LocalTime.text)), ("in transit since", inTransit.map(LocalTime.text)),
            ("handed over", handedOver.map(LocalTime.text)),
            (inTransit == nil ? "handed over to" : "in transit to", receiver.map(quoted)),
        ]
        func rows(_ texts: [(Sentence, String?)]) -> [(Sentence, Sentence)] {
            texts.compactMap { name, text in text.map { (name, Sentence(verbatim: $0)) } }
        }
        return (rows(texts) + facts + blob + rows(rest)).map { "\($0): \($1)" }.joined("\n")
    }

    /// The algorithm by its name in COSE, and its number.
    private static func named(_ algorithm: Int64) -> String {
        let name: String? =
            switch COSEAlgorithm(rawValue: algorithm) {
            case .es256: "ES256"
            case .edDSA: "EdDSA"
            case .rs256: "RS256"
            default: nil
            }
        return name.map { "\($0) (\(algorithm))" } ?? "\(algorithm)"
    }

    /// The level by its name in CTAP (2.2, section 12.1), and its number.
    private static func named(protection level: UInt8) -> String {
        let name: String? =
            switch level {
            case 1: "userVerificationOptional"
            case 2: "userVerificationOptionalWithCredentialIDList"
            case 3: "userVerificationRequired"
            default: nil
            }
        return name.map { "\($0) (\(level))" } ?? "\(level)"
    }
}
