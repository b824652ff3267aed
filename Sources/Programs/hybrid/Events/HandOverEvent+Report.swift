import CommandLine
import DesktopAuthenticator
import Encodings
import HybridTransport
import LinuxSupport
import PasskeyAuthenticator
import PasskeyExchange

extension HandOverEvent: ReportedEvent {
    /// The sender is the ceremony's authenticator.
    func report(as role: Role?) -> EventReport {
        switch self {
        case .code(let code):
            .line(Line("code", ["code": code.digits]), "type this number on the other device: \(code.grouped)")
        case .peer(let peer): .line(Line("peer", ["peer": peer]), "\(quoted(peer)) is here: the number is right")
        case .offered: .nothing
        case .loses(let passkey, let loss):
            .warning("loses-\(loss.rawValue)", "\(quoted(passkey.rpID)): \(loss.text)", nil)
        case .arrived(let passkey):
            Self.outcome("arrived", of: passkey, "had arrived: it is no longer in use here")
        case .takenBack(let passkey):
            Self.outcome("taken-back", of: passkey, "had not arrived: it is in use here again")
        case .handedOver(let passkey, let outcome):
            Self.outcome(outcome.name, of: passkey, outcome.text(isSender: role == .authenticator))
        case .unconfirmed:
            .warning(
                "unconfirmed",
                "the passkeys are in this vault; the other device may not know that yet, and learns it when the "
                    + "devices meet again", nil)
        }
    }

    private static func outcome(_ outcome: String, of passkey: Credential, _ text: Sentence) -> EventReport {
        let name = HandOverOffer.Passkey(
            rpID: passkey.rpID, userName: passkey.userName, userDisplayName: passkey.userDisplayName)
        return .line(
            Line(
                "hand-over",
                [
                    "id": Hexadecimal.encode(passkey.id), "rp_id": passkey.rpID, "user_name": passkey.userName,
                    "outcome": outcome,
                ]),
            "\(quoted(name.text)): \(text)")
    }
}

extension HandOverResult {
    /// Reports the result of a hand-over.
    ///
    /// - Throws: ``HandOverFailure`` if a passkey was not taken.
    func report(_ mode: String, as role: Role, to reporter: Reporter) throws {
        reporter.write(
            Line(
                "result",
                [
                    "mode": mode, "handed_over": held, "not_taken": notTaken, "arrived": arrived,
                    "taken_back": takenBack,
                ]),
            orSay: summary(as: role))
        guard notTaken == 0 else {
            throw HandOverFailure(.notTaken, reason: "\(notTaken) of \(held + notTaken) passkeys were not taken")
        }
    }

    private func summary(as role: Role) -> Sentence {
        let offered = held + notTaken
        guard role == .authenticator else { return "took \(held) of \(offered) passkeys" }
        guard offered == 0 else { return "handed over \(held) of \(offered) passkeys" }
        guard arrived + takenBack > 0 else { return "no passkey was in transit to that device" }
        return "settled: \(arrived) had arrived, \(takenBack) had not"
    }
}

extension HandOverOutcome {
    /// The outcome's name, for programs.
    fileprivate var name: String {
        switch self {
        case .kept: "kept"
        case .held: "held"
        case .otherOfAccount: "other-of-account"
        case .notWritten: "not-written"
        }
    }

    fileprivate func text(isSender: Bool) -> Sentence {
        switch (self, isSender) {
        case (.kept, true): "it is in the other vault now"
        case (.kept, false): "it is in this vault now"
        case (.held, true): "it was in the other vault already"
        case (.held, false): "it was in this vault already"
        case (.otherOfAccount, true): "not taken: the other vault has another passkey of this account"
        case (.otherOfAccount, false):
            "not taken: this vault has another passkey of this account, which would no longer work; remove that first"
        case (.notWritten, true): "not taken: the other vault could not be written"
        case (.notWritten, false): "not taken: the vault could not be written"
        }
    }
}

extension PasskeyLoss {
    /// The loss, in words.
    fileprivate var text: Sentence {
        switch self {
        case .protection: "the site's demands by credProtect are not handed over"
        case .nonDiscoverable: "the other device will offer it to the site without being asked for it by name"
        case .prf, .prfWithoutVerification: "its prf secrets are not handed over"
        case .largeBlob: "its large blob is not handed over"
        default: "\(rawValue) is not handed over"
        }
    }
}
