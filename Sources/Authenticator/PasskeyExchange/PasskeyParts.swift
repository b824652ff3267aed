internal import CTAP
internal import Cryptography
internal import Encodings
internal import PasskeyAuthenticator

/// The parts of a passkey as a file has them, and the checks that make a credential of them.
struct PasskeyParts: ~Copyable {
    var id: [UInt8]?
    var rpID: String?
    var rpName: String?
    var userHandle: [UInt8]?
    var userName: String?
    var userDisplayName: String?
    /// The private key in PKCS #8; empty if the text there cannot be one.
    var pkcs8 = SecretArray([])
    var isDiscoverable = true
    var isBackupEligible = true
    /// Seconds since 1970.
    var created: Int64?
    var prf: PRFSecret?
    var largeBlob: LargeBlob?
    var losses: [PasskeyLoss] = []
    /// The obstacle that was found already.
    var obstacle: PasskeyObstacle?

    private static let credentialIDByteCounts = 1...1023
    private static let userHandleByteCounts = 1...64

    /// The passkey, or the reason for leaving it out.
    ///
    /// - Throws: ``PasskeyFormatError`` `library-failure`.
    mutating func record() throws(PasskeyFormatError) -> PasskeyRecord {
        let names = (
            rpID: rpID?.truncated(toByteCount: Credential.maxNameByteCount),
            userName: userName?.truncated(toByteCount: Credential.maxNameByteCount)
        )
        let outcome = try outcome()
        if case .passkey(let credential) = outcome {
            let whole = [rpName, userName, userDisplayName]
            let kept = [credential.rpName, credential.userName, credential.userDisplayName]
            if whole != kept { losses.append(.names) }
            return PasskeyRecord(rpID: names.rpID, userName: names.userName, outcome: outcome, losses: losses)
        }
        return PasskeyRecord(rpID: names.rpID, userName: names.userName, outcome: outcome, losses: [])
    }

    private func outcome() throws(PasskeyFormatError) -> PasskeyRecord.Outcome {
        if let obstacle { return .leftOut(obstacle) }
        guard let rpID, Self.isRPID(rpID) else { return .leftOut(.invalidRPID) }
        guard let id, Self.credentialIDByteCounts.contains(id.count) else { return .leftOut(.invalidCredentialID) }
        guard let userHandle, !userHandle.isEmpty else { return .leftOut(.missingUserHandle) }
        guard Self.userHandleByteCounts.contains(userHandle.count) else { return .leftOut(.invalidUserHandle) }
        let key: CredentialKey
        do throws(CryptographyError) {
            key = try CredentialKey(pkcs8: pkcs8.span)
        } catch {
            switch error.code {
            case .libraryFailure: throw PasskeyFormatError(error)
            case .unsupportedAlgorithm: return .leftOut(.unsupportedAlgorithm)
            default: return .leftOut(.damagedKey)
            }
        }
        return .passkey(
            Credential(
                id: id, rpID: rpID, rpName: rpName, userHandle: userHandle, userName: userName,
                userDisplayName: userDisplayName, isDiscoverable: isDiscoverable, key: key, prf: prf,
                isBackupEligible: isBackupEligible, isBackedUp: isBackupEligible, created: created,
                largeBlob: largeBlob))
    }

    /// True for a text that can be a relying party's identifier: a domain name as clients send it, in lower case
    /// (WebAuthn Level 3 section 5.1.3), or a program's, such as OpenSSH's `ssh:`.
    private static func isRPID(_ text: String) -> Bool {
        guard (1...Credential.maxRPIDByteCount).contains(text.utf8.count) else { return false }
        return switch RelyingPartyKind(text) {
        case .site: !text.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        case .localProgram: true
        case nil: false
        }
    }
}

extension String {
    /// The text; nil if it is empty.
    var nonEmpty: String? { isEmpty ? nil : self }
}

extension PasskeyRecord {
    /// The record of a passkey that is written.
    init(written credential: Credential, _ losses: [PasskeyLoss]) {
        self.init(
            rpID: credential.rpID, userName: credential.userName, outcome: .passkey(credential), losses: losses)
    }

    /// The record of a passkey that is not written.
    init(_ credential: Credential, leftOut obstacle: PasskeyObstacle) {
        self.init(
            rpID: credential.rpID, userName: credential.userName, outcome: .leftOut(obstacle), losses: [])
    }
}
