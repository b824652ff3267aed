package import Cryptography
internal import HybridProtocol

/// A message of a hand-over (PX-HOV-7).
///
/// Each is one type byte and its contents: canonical CBOR, but for the payload. They come in the order of their
/// numbers, in turn; only ``stopped(_:)`` may come at any time. See the article HandOver.
package enum HandOverMessage: Sendable {
    /// The receiver's first message.
    case hello(Hello)
    /// The sender's number, and its name.
    case greeting(nonce: [UInt8], name: String)
    /// The receiver's number, which its commitment was to.
    case reveal(nonce: [UInt8])
    /// The passkeys that the sender's user wants to hand over.
    case offer(HandOverOffer)
    /// The receiver's user wants them. For each passkey that is in transit, whether the receiver holds it.
    case acceptance(holds: [Bool])
    /// The passkeys.
    case payload(HandOverPayload)
    /// The receiver's outcome for each passkey.
    case receipt([HandOverOutcome])
    /// The sender knows what the receiver holds: the hand-over is complete.
    case settled
    /// The hand-over ends here, and nothing of the payload was kept.
    case stopped(HandOverStop)

    /// Type of a message: its first byte.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// The types, with the numbers of PX-HOV-7.
        case hello = 1, greeting, reveal, offer, acceptance, payload, receipt, settled, stopped
    }

    /// The receiver's first message: what it commits itself to, and who it is.
    package struct Hello: Sendable, Hashable {
        /// The commitment to the receiver's number: 32 bytes.
        package let commitment: [UInt8]
        /// The receiver.
        package let receiver: HandOverReceiver

        /// Makes a message.
        ///
        /// - Parameters:
        ///   - commitment: 32 bytes, of ``ComparisonCode/commitment(to:handshakeHash:)``.
        ///   - receiver: the receiver.
        package init(commitment: [UInt8], receiver: HandOverReceiver) {
            self.commitment = commitment
            self.receiver = receiver
        }
    }

    /// The version of the messages, which the first of them names.
    package static let version: UInt64 = 1

    /// The type of the message.
    package var kind: Kind {
        switch self {
        case .hello: .hello
        case .greeting: .greeting
        case .reveal: .reveal
        case .offer: .offer
        case .acceptance: .acceptance
        case .payload: .payload
        case .receipt: .receipt
        case .settled: .settled
        case .stopped: .stopped
        }
    }
}

/// The passkeys of a hand-over, as CXF has them. Wiped when the last reference goes; it has no description.
package final class HandOverPayload: Sendable {
    /// The bytes: 1 or more, less than 1 MiB.
    package let bytes: SecretBytes

    /// The most bytes: 1 MiB less the type byte.
    package static let maxByteCount = SecureChannel.maximumMessageByteCount - 1

    /// Takes the bytes of a CXF document.
    package init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
}

/// The receiver's outcome for a passkey (PX-HOV-19).
package enum HandOverOutcome: UInt64, Sendable, CaseIterable {
    /// It is in the receiver's vault now, and on its disk.
    case kept = 1
    /// It was in the receiver's vault before.
    case held = 2
    /// It was not kept: the vault has another passkey of that account.
    case otherOfAccount = 3
    /// It was not kept: the vault could not be written.
    case notWritten = 4

    /// True if the receiver has the passkey.
    package var isHeld: Bool { self == .kept || self == .held }
}

/// Reason for which a hand-over ends before it is complete. Nothing of it was kept by the receiver.
package enum HandOverStop: UInt64, Sendable, CaseIterable {
    /// The user refused, or was not verified.
    case declined = 1
    /// The user did not answer in time.
    case timedOut = 2
    /// The command was interrupted.
    case cancelled = 3
    /// The receiver has no room for so many passkeys.
    case full = 4
    /// The payload cannot be read.
    case unreadable = 5
    /// The payload has other passkeys than the offer.
    case differs = 6
    /// Something of that machine failed.
    case failed = 7
}
