package import Encodings
internal import HybridTransport
package import PasskeyAuthenticator
package import PasskeyExchange

/// Something that happens in a hand-over, for the user of this machine.
package enum HandOverEvent: Event {
    /// The receiver shows the number that is typed at the sender.
    case code(ComparisonCode)
    /// The digits were right, and the peer has said its name, which is its text.
    case peer(String)
    /// The receiver is offered passkeys, and its user is asked whether to take them.
    case offered
    /// A passkey has a property that the receiver will not learn.
    case loses(Credential, PasskeyLoss)
    /// A passkey in transit since an earlier hand-over has arrived, and is kept aside here.
    case arrived(Credential)
    /// A passkey in transit since an earlier hand-over has not arrived, and is in use here again.
    case takenBack(Credential)
    /// The receiver's outcome for a passkey.
    case handedOver(Credential, HandOverOutcome)
    /// The receiver keeps the passkeys, and does not know whether the sender knows it.
    case unconfirmed
}

/// Counts of the passkeys of a hand-over that is complete.
package struct HandOverResult: Sendable {
    /// Passkeys that the receiver has now, and those that it did not take.
    package let held, notTaken: Int
    /// Passkeys in transit since an earlier hand-over that had arrived, and those that are in use again.
    package let arrived, takenBack: Int

    init(_ outcomes: [HandOverOutcome], settled holds: [Bool] = []) {
        held = outcomes.count(where: \.isHeld)
        notTaken = outcomes.count - held
        arrived = holds.count { $0 }
        takenBack = holds.count - arrived
    }
}

/// Failure of a hand-over that is neither the transport's nor the vault's.
package typealias HandOverFailure = CodedError<HandOverFailureCode>

/// Kind of failure.
package enum HandOverFailureCode: String, ErrorCode {
    /// The user of this machine refused, was not verified, or did not answer in time.
    case declined
    /// The user could not be verified at all.
    case notVerified = "not-verified"
    /// The digits that were typed are not those of this session.
    case wrongDigits = "wrong-digits"
    /// The peer ended the hand-over.
    case stoppedByPeer = "stopped-by-peer"
    /// The passkeys are in transit: the hand-over broke off when the receiver may have had them.
    case inTransit = "in-transit"
    /// The receiver did not keep some of the passkeys.
    case notTaken = "not-taken"
    /// The vault has no room for the offered passkeys.
    case full
    /// The passkeys are too large for one hand-over.
    case tooLarge = "too-large"
    /// A passkey must not leave this machine: its site was told so.
    case notBackupEligible = "not-backup-eligible"
    /// The payload differs from the offer, or cannot be read.
    case badPayload = "bad-payload"
}
