import CommandLine
import Encodings
import LinuxSupport
import PasskeyAuthenticator
import PasskeyExchange

/// A passkey that an import or export leaves out or changes; in a rehearsal any passkey.
struct MovedPasskeyLine {
    private let event: String
    let rpId: String?
    let userName: String?
    /// The credential ID, in hexadecimal digits; absent for a passkey that is left out.
    let id: String?
    /// The code of the reason for which it is left out; absent if it is not.
    let leftOut: String?
    /// The codes of its losses.
    let lost: [String]

    fileprivate let text: Sentence

    /// The passkey as a line of `--json`.
    var json: Line {
        Line(event, ["rp_id": rpId, "user_name": userName, "id": id, "left_out": leftOut, "lost": lost])
    }

    /// Describes what came of a passkey.
    init(_ record: PasskeyRecord, _ direction: Direction) {
        event = direction.rawValue
        rpId = record.rpID
        userName = record.userName
        id = record.passkey.map { Hexadecimal.encode($0.id) }
        lost = record.losses.map(\.rawValue)
        let site: Sentence = record.rpID.map { "\(quoted($0))" } ?? "(no site)"
        let account: Sentence = record.userName.map { "\(quoted($0))" } ?? "(without a name)"
        let name: Sentence = "\(site)  \(account)"
        if case .leftOut(let obstacle) = record.outcome {
            leftOut = obstacle.rawValue
            text = "left out \(name): \(obstacle.text(direction))"
        } else {
            leftOut = nil
            let losses = record.losses.map(\.text)
            let move: Sentence = direction == .import ? "imports \(name)" : "writes \(name)"
            text = losses.isEmpty ? move : "\(move); lost: \(losses.joined(", "))"
        }
    }

    /// The way of passkeys.
    enum Direction: String {
        case `import`, export
    }
}

extension Reporter {
    /// Tells what came of a passkey, if there is something to tell.
    func write(_ record: PasskeyRecord, _ direction: MovedPasskeyLine.Direction, isRehearsal: Bool) {
        guard isRehearsal || record.passkey == nil || !record.losses.isEmpty else { return }
        let line = MovedPasskeyLine(record, direction)
        write(line.json, orSay: line.text)
    }
}

extension PasskeyObstacle {
    /// The reason, in words.
    fileprivate func text(_ direction: MovedPasskeyLine.Direction) -> Sentence {
        switch self {
        case .malformed: "its description does not conform to the format"
        case .invalidRPID: "its site is missing, or is not a domain name"
        case .invalidCredentialID: "its credential ID is missing, or too long"
        case .missingUserHandle: "it has no user handle, so it is a second factor and not a passkey"
        case .invalidUserHandle: "its user handle is longer than 64 bytes"
        case .unsupportedAlgorithm:
            direction == .import
                ? "its key is not of ES256, EdDSA or RS256" : "the format has no keys of its algorithm"
        case .damagedKey: "its private key is damaged"
        case .counterNotZero: "its signature counter is not zero, and sites would consider it cloned"
        case .notBackupEligible: "its site was told that it is never copied"
        case .onePasskeyOnly: "the file holds one passkey; --only names the one"
        case .duplicate: direction == .import ? "the vault has it already" : "it is in the file already"
        case .otherOfAccount: "the vault has another passkey of this account"
        case .vaultFull: "the vault is full"
        }
    }
}

extension PasskeyLoss {
    /// The loss, in words.
    fileprivate var text: Sentence {
        switch self {
        case .prf: "the secret of prf (data that a site has encrypted with it stays locked elsewhere)"
        case .prfWithoutVerification: "the second secret of prf, for uses without a verification"
        case .largeBlob: "the contents of its large blob"
        case .credBlob: "the contents of credBlob"
        case .payments: "the permission for payments"
        case .protection: "the demands of credProtect"
        case .nonDiscoverable: "that it is found with a list alone (not discoverable)"
        case .names: "a name, or the end of one"
        }
    }
}
