internal import Encodings

/// A new credential, inside authenticator data. Source: WebAuthn Level 3 section 6.5.1.
public struct AttestedCredential: Sendable, Hashable {
    /// The length of an AAGUID: 16 bytes.
    public static let aaguidByteCount = 16
    /// The longest credential ID: 1023 bytes (WebAuthn Level 3 section 6.5.1).
    public static let maxCredentialIDByteCount = 1023

    /// The make of the authenticator, 16 bytes; zeros if it does not say.
    public let aaguid: [UInt8]
    /// The credential ID, at most 1023 bytes.
    public let credentialID: [UInt8]
    /// The public key.
    public let publicKey: COSEKey

    /// Makes a credential.
    ///
    /// - Parameters:
    ///   - aaguid: 16 bytes.
    ///   - credentialID: at most 1023 bytes.
    ///   - publicKey: the public key.
    /// - Throws: ``CTAPError`` `invalid-length` for other lengths.
    public init(aaguid: [UInt8], credentialID: [UInt8], publicKey: COSEKey) throws(CTAPError) {
        guard aaguid.count == Self.aaguidByteCount, credentialID.count <= Self.maxCredentialIDByteCount else {
            throw CTAPError(
                .invalidLength, reason: "an AAGUID of \(aaguid.count), a credential ID of \(credentialID.count) bytes")
        }
        self.aaguid = aaguid
        self.credentialID = credentialID
        self.publicKey = publicKey
    }

    init(_ cursor: inout ByteCursor) throws(CTAPError) {
        let aaguid = try cursor.take(Self.aaguidByteCount)
        let credentialID = try cursor.take(Int(cursor.takeInteger(UInt16.self)))
        let publicKey = try COSEKey(cursor.takeMap())
        try self.init(aaguid: aaguid, credentialID: credentialID, publicKey: publicKey)
    }

    func encoded() -> [UInt8] {
        // The initialisers keep the ID within 16 bits.
        aaguid + UInt16(clamping: credentialID.count).bigEndianBytes + credentialID + publicKey.encoded()
    }
}
