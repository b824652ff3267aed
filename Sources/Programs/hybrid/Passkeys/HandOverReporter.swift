import CommandLine
import DesktopAuthenticator
import Encodings
import HybridProtocol
import LinuxSupport
import PasskeyAuthenticator
import PasskeyExchange
import Synchronization

/// Reports a hand-over as it happens, and counts what has become of the passkeys.
final class HandOverReporter: Sendable {
    private let reporter: Reporter
    private let isSender: Bool
    private let counts = Mutex(Counts())

    private struct Counts {
        var held = 0
        var left = 0
        var arrived = 0
        var takenBack = 0
    }

    init(_ reporter: Reporter, isSender: Bool) {
        self.reporter = reporter
        self.isSender = isSender
    }

    /// Reports an event.
    func report(_ event: HandOverEvent) {
        switch event {
        case .code(let code):
            reporter.write(
                Line("code", ["code": code.digits]), orSay: "type this number on the other device: \(code.grouped)")
        case .peer(let peer):
            reporter.write(Line("peer", ["peer": peer]), orSay: "\(quoted(peer)) is here: the number is right")
        case .offered: break
        case .loses(let passkey, let losses):
            for loss in losses {
                reporter.warn(
                    "loses-\(loss.rawValue)", "\(quoted(passkey.rpID)): \(loss.text)")
            }
        case .settled(let arrived, let takenBack):
            counts.withLock {
                $0.arrived += arrived.count
                $0.takenBack += takenBack.count
            }
            for passkey in arrived {
                report(passkey, "arrived", "had arrived: it is no longer in use here")
            }
            for passkey in takenBack {
                report(passkey, "taken-back", "had not arrived: it is in use here again")
            }
        case .handedOver(let passkey, let outcome):
            counts.withLock {
                if outcome.isHeld { $0.held += 1 } else { $0.left += 1 }
            }
            report(passkey, outcome.name, text(outcome))
        case .unconfirmed:
            reporter.warn(
                "unconfirmed",
                "the passkeys are in this vault; the other device may not know that yet, and learns it when the "
                    + "devices meet again"
            )
        }
    }

    /// Reports the result.
    ///
    /// - Throws: ``HandOverFailure`` if a passkey was not taken.
    func finish(_ mode: String) throws {
        let counts = counts.withLock { $0 }
        reporter.write(
            Line(
                "result",
                [
                    "mode": mode, "handed_over": counts.held, "not_taken": counts.left, "arrived": counts.arrived,
                    "taken_back": counts.takenBack,
                ]),
            orSay: summary(of: counts))
        guard counts.left == 0 else {
            throw HandOverFailure(notTaken: counts.left, of: counts.held + counts.left)
        }
    }

    private func summary(of counts: Counts) -> Sentence {
        let offered = counts.held + counts.left
        guard isSender else { return "took \(counts.held) of \(offered) passkeys" }
        guard offered == 0 else { return "handed over \(counts.held) of \(offered) passkeys" }
        guard counts.arrived + counts.takenBack > 0 else { return "no passkey was in transit to that device" }
        return "settled: \(counts.arrived) had arrived, \(counts.takenBack) had not"
    }

    private func report(_ passkey: Credential, _ outcome: String, _ text: Sentence) {
        let name = HandOverOffer.Passkey(
            rpID: passkey.rpID, userName: passkey.userName, userDisplayName: passkey.userDisplayName)
        reporter.write(
            Line(
                "hand-over",
                [
                    "id": Hexadecimal.encode(passkey.id), "rp_id": passkey.rpID, "user_name": passkey.userName,
                    "outcome": outcome,
                ]),
            orSay: "\(quoted(name.text)): \(text)")
    }

    private func text(_ outcome: HandOverOutcome) -> Sentence {
        switch (outcome, isSender) {
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
}

extension PasskeyLoss {
    /// The loss, in words.
    fileprivate var text: Sentence {
        switch self {
        case .protection: "what the site demands with credProtect is not handed over"
        case .nonDiscoverable: "the other device will offer it to the site without being asked for it by name"
        case .prf, .prfWithoutVerification: "its prf secrets are not handed over"
        case .largeBlob: "its large blob is not handed over"
        default: "\(rawValue) is not handed over"
        }
    }
}
