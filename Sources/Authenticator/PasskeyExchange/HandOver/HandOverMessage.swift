package import Cryptography
internal import Encodings
package import HybridProtocol

/// A message of a hand-over (PX-HOV-7).
///
/// Each is one type byte and its contents: canonical CBOR, but for the payload. They come in the order of their
/// numbers, in turn; only ``stopped(_:)`` may come at any time. See the article HandOver.
package enum HandOverMessage: Sendable {
    /// The receiver's commitment to its number: 32 bytes.
    case hello(commitment: [UInt8])
    /// The sender's number: 32 bytes.
    case greeting(nonce: [UInt8])
    /// The sender's commitment to the digits that were typed there: 32 bytes.
    case typing(commitment: [UInt8])
    /// The receiver's number, which its commitment was to: 32 bytes.
    case reveal(nonce: [UInt8])
    /// The number that opens the sender's commitment, 32 bytes, and the sender's name.
    case opening(nonce: [UInt8], name: String)
    /// The receiver, and its signature of this session.
    case identity(Identity)
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
        case hello = 1, greeting, typing, reveal, opening, identity, offer, acceptance, payload, receipt, settled
        case stopped
    }

    /// The receiver, with its proof.
    package struct Identity: Sendable, Hashable {
        /// The receiver.
        package let receiver: HandOverReceiver
        /// The signature of ``HandOverReceiver/statement(handshakeHash:)`` under the receiver's key: 64 bytes.
        package let proof: [UInt8]

        /// Makes a message.
        ///
        /// - Parameters:
        ///   - receiver: the receiver.
        ///   - proof: 64 bytes.
        package init(receiver: HandOverReceiver, proof: [UInt8]) {
            self.receiver = receiver
            self.proof = proof
        }
    }

    /// The version of the messages, which the first of them names.
    package static let version: UInt64 = 2

    /// The type of the message.
    package var kind: Kind {
        switch self {
        case .hello: .hello
        case .greeting: .greeting
        case .typing: .typing
        case .reveal: .reveal
        case .opening: .opening
        case .identity: .identity
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
    /// The digits that were typed are not those of this session.
    case wrongDigits = 8
}

extension HandOverMessage {
    /// The fields of the messages, by their numbers.
    private enum Key {
        static let version = 1
        static let commitment = 2
        static let nonce = 1
        static let typed = 1
        static let senderName = 2
        static let receiverKey = 1
        static let proof = 2
        static let receiverName = 3
        static let formerID = 4
        static let mode = 1
        static let passkeys = 2
        static let inTransit = 3
        static let rpID = 1
        static let userName = 2
        static let userDisplayName = 3
        static let list = 1
        static let reason = 1
    }

    /// The message as it is sealed: the type byte, then the contents. Where it is a payload, the caller wipes it.
    package func encoded() -> [UInt8] {
        var contents = CBORMap()
        switch self {
        case .hello(let commitment):
            contents[Key.version] = .unsigned(Self.version)
            contents[Key.commitment] = .bytes(commitment)
        case .greeting(let nonce), .reveal(let nonce): contents[Key.nonce] = .bytes(nonce)
        case .typing(let commitment): contents[Key.typed] = .bytes(commitment)
        case .opening(let nonce, let name):
            contents[Key.nonce] = .bytes(nonce)
            contents[Key.senderName] = .text(name)
        case .identity(let identity):
            contents[Key.receiverKey] = .bytes(identity.receiver.key)
            contents[Key.proof] = .bytes(identity.proof)
            contents[Key.receiverName] = .text(identity.receiver.name)
            contents[Key.formerID] = identity.receiver.formerID.map { .bytes($0) }
        case .offer(let offer):
            contents[Key.mode] = .unsigned(offer.mode.rawValue)
            contents[Key.passkeys] = .array(offer.passkeys.map { .map(Self.map($0)) })
            contents[Key.inTransit] = .array(offer.inTransit.map { .bytes($0) })
        case .acceptance(let holds): contents[Key.list] = .array(holds.map { .bool($0) })
        case .payload(let payload):
            var message: [UInt8] = []
            // One allocation: a move would leave the passkeys behind.
            message.reserveCapacity(1 + payload.bytes.count)
            message.append(kind.rawValue)
            Self.append(payload.bytes, to: &message)
            return message
        case .receipt(let outcomes): contents[Key.list] = .array(outcomes.map { .unsigned($0.rawValue) })
        case .settled: break
        case .stopped(let reason): contents[Key.reason] = .unsigned(reason.rawValue)
        }
        return [kind.rawValue] + contents.encoded()
    }

    private static func append(_ secret: borrowing SecretBytes, to message: inout [UInt8]) {
        let span = secret.span
        for index in span.indices { message.append(span[index]) }
    }

    private static func map(_ passkey: HandOverOffer.Passkey) -> CBORMap {
        var map = CBORMap()
        map[Key.rpID] = .text(passkey.rpID)
        map[Key.userName] = passkey.userName.map { .text($0) }
        map[Key.userDisplayName] = passkey.userDisplayName.map { .text($0) }
        return map
    }

    /// Reads a message.
    ///
    /// - Parameter plaintext: the type byte, then the contents. Of a payload the caller wipes it.
    /// - Throws: `empty` without a type byte, and for a payload without contents; `unknownType`; `tooLong` for contents
    ///   of more than 256 KiB, or too many members of a list; `invalidCBOR`, `notAMap`, `missingField`, `unknownField`,
    ///   `wrongType`, `wrongLength`; `unsupportedVersion` (PX-HOV-8, PX-HOV-9, PX-HOV-10, PX-HOV-14).
    package init(decoding plaintext: Span<UInt8>) throws(HybridProtocolError) {
        guard !plaintext.isEmpty else {
            throw HybridProtocolError(.empty, reason: "a message has at least its type byte")
        }
        guard let kind = Kind(rawValue: plaintext[0]) else {
            throw HybridProtocolError(.unknownType, reason: "hand-over message type \(plaintext[0]) is unknown")
        }
        let contents = plaintext.extracting(droppingFirst: 1)
        if kind == .payload {
            guard !contents.isEmpty else {
                throw HybridProtocolError(.empty, reason: "a payload without contents")
            }
            self = .payload(HandOverPayload(SecretBytes(copying: contents)))
            return
        }
        let fields = try HandOverFields(contents)
        switch kind {
        case .hello:
            guard try fields.number(Key.version) == Self.version else {
                throw HybridProtocolError(
                    .unsupportedVersion,
                    reason: "the hand-over is of another version than \(Self.version): both devices need the same one")
            }
            try fields.hasOnly(Key.version...Key.commitment)
            self = .hello(commitment: try fields.bytes(Key.commitment, count: ComparisonCode.commitmentByteCount))
        case .greeting:
            try fields.hasOnly(Key.nonce...Key.nonce)
            self = .greeting(nonce: try fields.bytes(Key.nonce, count: ComparisonCode.nonceByteCount))
        case .typing:
            try fields.hasOnly(Key.typed...Key.typed)
            self = .typing(commitment: try fields.bytes(Key.typed, count: ComparisonCode.commitmentByteCount))
        case .reveal:
            try fields.hasOnly(Key.nonce...Key.nonce)
            self = .reveal(nonce: try fields.bytes(Key.nonce, count: ComparisonCode.nonceByteCount))
        case .opening:
            try fields.hasOnly(Key.nonce...Key.senderName)
            self = .opening(
                nonce: try fields.bytes(Key.nonce, count: ComparisonCode.nonceByteCount),
                name: try fields.text(Key.senderName, max: HandOverReceiver.maxNameByteCount))
        case .identity:
            try fields.hasOnly(Key.receiverKey...Key.formerID)
            self = .identity(
                Identity(
                    receiver: HandOverReceiver(
                        key: try fields.bytes(Key.receiverKey, count: Ed25519.publicKeyByteCount),
                        name: try fields.text(Key.receiverName, max: HandOverReceiver.maxNameByteCount),
                        formerID: try fields.optionalBytes(Key.formerID, count: HandOverReceiver.formerIDByteCount)),
                    proof: try fields.bytes(Key.proof, count: Ed25519.signatureByteCount)))
        case .offer: self = .offer(try Self.offer(fields))
        case .acceptance:
            try fields.hasOnly(Key.list...Key.list)
            self = .acceptance(
                holds: try fields.list(Key.list, max: HandOverOffer.maxInTransitCount, \.boolValue))
        case .receipt:
            try fields.hasOnly(Key.list...Key.list)
            self = .receipt(
                try fields.list(Key.list, max: HandOverOffer.maxCount) { value in
                    value.unsignedValue.flatMap(HandOverOutcome.init)
                })
        case .settled:
            try fields.hasOnly(EmptyCollection())
            self = .settled
        case .stopped:
            try fields.hasOnly(Key.reason...Key.reason)
            guard let reason = HandOverStop(rawValue: try fields.number(Key.reason)) else {
                throw HybridProtocolError(.wrongType, reason: "a hand-over was stopped for a reason that is unknown")
            }
            self = .stopped(reason)
        case .payload: throw HybridProtocolError(.unexpectedMessage, reason: "a payload is not a map")
        }
    }

    private static func offer(_ fields: HandOverFields) throws(HybridProtocolError) -> HandOverOffer {
        try fields.hasOnly(Key.mode...Key.inTransit)
        guard let mode = HandOverOffer.Mode(rawValue: try fields.number(Key.mode)) else {
            throw HybridProtocolError(.wrongType, reason: "an offer is of a copy or of a move")
        }
        let maps = try fields.list(Key.passkeys, max: HandOverOffer.maxCount, \.mapValue)
        var passkeys: [HandOverOffer.Passkey] = []
        for map in maps {
            let fields = HandOverFields(map)
            try fields.hasOnly(Key.rpID...Key.userDisplayName)
            let rpID = try fields.text(Key.rpID, max: HandOverOffer.maxRPIDByteCount)
            guard !rpID.isEmpty else {
                throw HybridProtocolError(.wrongLength, reason: "a passkey without a site")
            }
            passkeys.append(
                HandOverOffer.Passkey(
                    rpID: rpID,
                    userName: try fields.optionalText(Key.userName, max: HandOverOffer.maxNameByteCount),
                    userDisplayName: try fields.optionalText(
                        Key.userDisplayName, max: HandOverOffer.maxNameByteCount)))
        }
        let digests = try fields.list(Key.inTransit, max: HandOverOffer.maxInTransitCount, \.bytesValue)
        guard digests.allSatisfy({ $0.count == HandOverOffer.digestByteCount }) else {
            throw HybridProtocolError(.wrongLength, reason: "a passkey's digest has another length")
        }
        return HandOverOffer(mode: mode, passkeys: passkeys, inTransit: digests)
    }
}
