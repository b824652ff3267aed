/// A status code of a WebSocket's Close frame (RFC 6455 section 7.4).
package struct CloseCode: RawRepresentable, Sendable, Hashable {
    /// The number on the wire.
    package let rawValue: UInt16

    /// Makes a code from its number.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Done.
    package static let normal = CloseCode(rawValue: 1000)
    /// The other end, or the service, goes away.
    package static let goingAway = CloseCode(rawValue: 1001)
    /// A frame that RFC 6455 does not allow, or an empty message (HT-TUN-60).
    package static let protocolError = CloseCode(rawValue: 1002)
    /// A text message.
    package static let unacceptableData = CloseCode(rawValue: 1003)
    /// Text that is not UTF-8, in the reason of a Close.
    package static let inconsistentData = CloseCode(rawValue: 1007)
    /// A limit on messages, frames, or bytes in all.
    package static let policyViolation = CloseCode(rawValue: 1008)
    /// A message longer than the limit.
    package static let messageTooBig = CloseCode(rawValue: 1009)
    /// A failure of the service itself.
    package static let internalError = CloseCode(rawValue: 1011)
    /// The service has no memory left to hold messages in.
    package static let tryAgainLater = CloseCode(rawValue: 1013)

    private static let byteCount = 2

    /// True for a code that an endpoint may send: those that RFC 6455 and its registry define, and 3000–4999.
    package var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// Reads the payload of a Close frame: nothing, or a code of 2 bytes and a reason in UTF-8.
    ///
    /// - Parameter payload: 0 to 125 bytes, unmasked.
    /// - Returns: nil if there is no code.
    /// - Throws: `badClose`, `badCloseText`.
    package static func read(_ payload: some Collection<UInt8>) throws(FramingViolation) -> CloseCode? {
        guard !payload.isEmpty else { return nil }
        let number = payload.prefix(byteCount)
        let code = CloseCode(rawValue: number.reduce(0) { $0 << UInt16(UInt8.bitWidth) | UInt16($1) })
        guard number.count == byteCount, code.isSendable else { throw .badClose }
        guard String(validating: payload.dropFirst(byteCount), as: UTF8.self) != nil else { throw .badCloseText }
        return code
    }
}

/// The codes with which a service ends the connection of an authenticator that waits to be woken.
///
/// They are of the range that RFC 6455 section 7.4.2 leaves to private use.
extension CloseCode {
    /// The proof is wrong, or is for another host. Trying again without a change does not help.
    package static let wrongProof = CloseCode(rawValue: 4401)
    /// No registration came in time.
    package static let registrationTimeout = CloseCode(rawValue: 4408)
    /// Another connection has registered with the same key. To connect again would close that one.
    package static let replaced = CloseCode(rawValue: 4409)
    /// More messages or registrations than are allowed.
    package static let tooManyMessages = CloseCode(rawValue: 4429)
}
