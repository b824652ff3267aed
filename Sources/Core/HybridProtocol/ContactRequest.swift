internal import Encodings

/// Request of a linked client to its authenticator through the tunnel service, before anything else (HT-STA-1):
/// the link, and the kind of the coming request.
///
/// The service can read and change it. Nothing but the advert's key depends on it.
public struct ContactRequest: Sendable, Hashable {
    /// The link.
    public let linkID: LinkID
    /// The client's random number for this transaction.
    public let nonce: ClientNonce
    /// The kind of the coming request: `ga` or `mc`. It is not authenticated: good for preparing a screen, no more.
    public let hint: RequestHint

    private enum Key {
        static let linkID = 1
        static let nonce = 2
        static let hint = 3
    }

    /// The most bytes that a request is read with: 256. Ours has 33.
    static let maximumByteCount = 256

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - linkID: the link.
    ///   - nonce: new and random.
    ///   - hint: `ga` or `mc`.
    /// - Throws: `unsupportedHint` for another hint.
    public init(linkID: LinkID, nonce: ClientNonce, hint: RequestHint) throws(HybridProtocolError) {
        guard hint == .getAssertion || hint == .makeCredential else { throw .unsupportedHint }
        self.linkID = linkID
        self.nonce = nonce
        self.hint = hint
    }

    /// Reads a request. Unknown keys are ignored, as in the protocol's other maps (HT-STA-21).
    ///
    /// - Parameter cbor: canonical CBOR, at most 256 bytes.
    /// - Throws: `tooLong` (HT-STA-24); `invalidCBOR`, `notAMap` (HT-STA-19, HT-STA-20);
    ///   `missingField`, `wrongType`, `wrongLength` (HT-STA-15, HT-STA-17); `unsupportedHint` for
    ///   any hint but `ga` and `mc` (HT-STA-18).
    public init(decoding cbor: Span<UInt8>) throws(HybridProtocolError) {
        guard cbor.count <= Self.maximumByteCount else { throw .contactRequestTooLong }
        let value: CBORValue
        do { value = try .decode(cbor) } catch { throw HybridProtocolError(error, in: "the contact request") }
        guard let map = value.mapValue else {
            throw HybridProtocolError(.notAMap, reason: "the contact request is not a map")
        }
        let linkID = try LinkID(map.required(Key.linkID, in: "the contact request", \.bytesValue))
        let nonce = try ClientNonce(map.required(Key.nonce, in: "the contact request", \.bytesValue))
        let hint = RequestHint(rawValue: try map.required(Key.hint, in: "the contact request", \.textValue))
        guard let hint else { throw .unsupportedHint }
        try self.init(linkID: linkID, nonce: nonce, hint: hint)
    }

    /// Reads the header `TunnelHeader.clientPayload`.
    ///
    /// - Parameter headerValue: hexadecimal digits of either case (HT-STA-23).
    /// - Throws: `invalidHex`, and the errors of ``init(decoding:)``.
    public init(headerValue: String) throws(HybridProtocolError) {
        guard headerValue.utf8.count <= 2 * Self.maximumByteCount else { throw .contactRequestTooLong }
        let cbor = try decoded(hex: headerValue)
        try self.init(decoding: cbor.span)
    }

    /// The request as canonical CBOR: 33 bytes (HT-STA-5).
    public func encoded() -> [UInt8] {
        let map: CBORMap = [
            .unsigned(UInt64(Key.linkID)): .bytes(linkID.bytes), .unsigned(UInt64(Key.nonce)): .bytes(nonce.bytes),
            .unsigned(UInt64(Key.hint)): .text(hint.rawValue),
        ]
        return map.encoded()
    }

    /// The value of the header `TunnelHeader.clientPayload`: 66 lower-case hexadecimal digits (HT-TUN-7).
    public var headerValue: String { Hexadecimal.encode(encoded()) }
}

extension HybridProtocolError {
    fileprivate static let unsupportedHint = Self(
        .unsupportedHint, reason: "a state-assisted transaction is for 'ga' or 'mc'")
    fileprivate static let contactRequestTooLong = Self(
        .tooLong, reason: "a contact request has at most \(ContactRequest.maximumByteCount) bytes")
}
