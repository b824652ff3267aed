/// Command or type of a message (CTAP 2.1 section 11.2.9): 7 bits. An initialization packet carries it with bit 7 set.
package struct CTAPHIDCommand: RawRepresentable, Hashable, Sendable {
    /// The number, 0 to 127.
    package let rawValue: UInt8

    /// Makes a command of its number, of which the lower 7 bits count.
    package init(rawValue: UInt8) { self.rawValue = rawValue & Self.mask }

    /// Bit 7 of the byte behind the channel: it is set in an initialization packet alone (HT-HID-3).
    static let initializationBit: UInt8 = 0x80
    private static let mask: UInt8 = 0x7F

    /// Returns the message (CTAPHID_PING).
    package static let ping = Self(rawValue: 0x01)
    /// A message of CTAP1 or U2F (CTAPHID_MSG), which devices of this project do not have.
    package static let message = Self(rawValue: 0x03)
    /// Keeps the device for one channel (CTAPHID_LOCK).
    package static let lock = Self(rawValue: 0x04)
    /// Allocates a channel, or sets one back (CTAPHID_INIT).
    package static let initialize = Self(rawValue: 0x06)
    /// Lets the device show itself to the user (CTAPHID_WINK).
    package static let wink = Self(rawValue: 0x08)
    /// A request or response of CTAP (CTAPHID_CBOR).
    package static let cbor = Self(rawValue: 0x10)
    /// Cancels the request that is being processed (CTAPHID_CANCEL).
    package static let cancel = Self(rawValue: 0x11)
    /// Tells that a request is still being processed (CTAPHID_KEEPALIVE).
    package static let keepAlive = Self(rawValue: 0x3B)
    /// Tells that a message was refused (CTAPHID_ERROR).
    package static let error = Self(rawValue: 0x3F)
}

/// Reason why a device refuses a message (CTAP 2.1 section 11.2.9.1.6): the one byte of a message CTAPHID_ERROR.
package struct CTAPHIDErrorCode: RawRepresentable, Hashable, Sendable {
    /// The number.
    package let rawValue: UInt8

    /// Makes a code of its number.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The device does not have the command (ERR_INVALID_CMD).
    package static let invalidCommand = Self(rawValue: 0x01)
    /// The message has a value that it must not have (ERR_INVALID_PAR).
    package static let invalidParameter = Self(rawValue: 0x02)
    /// The message has a length that it must not have (ERR_INVALID_LEN).
    package static let invalidLength = Self(rawValue: 0x03)
    /// A packet of a message is missing, or comes too early (ERR_INVALID_SEQ).
    package static let invalidSequence = Self(rawValue: 0x04)
    /// The rest of a message has not come in time (ERR_MSG_TIMEOUT).
    package static let messageTimeout = Self(rawValue: 0x05)
    /// The device is in use by another channel, or by a request of the same (ERR_CHANNEL_BUSY).
    package static let channelBusy = Self(rawValue: 0x06)
    /// The command needs a lock (ERR_LOCK_REQUIRED).
    package static let lockRequired = Self(rawValue: 0x0A)
    /// The channel was not allocated, or does not take the command (ERR_INVALID_CHANNEL).
    package static let invalidChannel = Self(rawValue: 0x0B)
    /// Anything else (ERR_OTHER).
    package static let other = Self(rawValue: 0x7F)
}

/// Reason why a request takes long (CTAP 2.1 section 11.2.9.1.7): the one byte of a message CTAPHID_KEEPALIVE.
package struct CTAPHIDKeepAliveStatus: RawRepresentable, Hashable, Sendable {
    /// The number.
    package let rawValue: UInt8

    /// Makes a status of its number.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The authenticator is at work (STATUS_PROCESSING).
    package static let processing = Self(rawValue: 1)
    /// The authenticator waits for the user (STATUS_UPNEEDED).
    package static let userPresenceNeeded = Self(rawValue: 2)
}

/// A refusal of bytes as reports or messages of CTAPHID, or of values as parts of one.
///
/// The codes' names are the failure kinds of the vectors.
package typealias CTAPHIDError = CodedError<CTAPHIDFault>

/// The kind of fault.
package enum CTAPHIDFault: String, ErrorCode {
    /// A payload of more than 7,609 bytes.
    case tooLong = "too-long"
    /// Fewer bytes than the smallest possible.
    case tooShort = "too-short"
    /// A value of fixed length has another length.
    case wrongLength = "wrong-length"
    /// A continuation packet that is not the next one.
    case wrongSequence = "wrong-sequence"
    /// A message that may not come from this side, or not at this time.
    case unexpectedMessage = "unexpected-message"
}
