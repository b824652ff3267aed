public import Encodings

/// The authenticator's signed statement about itself and the ceremony. Source: WebAuthn Level 3 section 6.1.
public struct AuthenticatorData: Sendable, Hashable {
    /// The outcome of the ceremony, and the parts that follow. Source: WebAuthn Level 3 section 6.1.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The byte.
        public let rawValue: UInt8

        /// Makes flags from their byte.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// UP: the user was present.
        public static let userPresent = Self(rawValue: 0x01)
        /// UV: the user was verified.
        public static let userVerified = Self(rawValue: 0x04)
        /// BE: the credential may be backed up.
        public static let backupEligible = Self(rawValue: 0x08)
        /// BS: the credential is backed up now.
        public static let backupState = Self(rawValue: 0x10)
        /// AT: attested credential data follows.
        public static let attestedCredential = Self(rawValue: 0x40)
        /// ED: extension outputs follow.
        public static let extensions = Self(rawValue: 0x80)
    }

    /// The length of ``rpIDHash``: 32 bytes.
    public static let rpIDHashByteCount = 32
    /// The length of the parts that are always there: the hash, the flags and the counter, 37 bytes.
    public static let fixedByteCount = rpIDHashByteCount + 1 + MemoryLayout<UInt32>.size

    /// The SHA-256 of the relying party's identifier, 32 bytes.
    public let rpIDHash: [UInt8]
    /// The outcome of the ceremony, and the parts that follow.
    public let flags: Flags
    /// Number of signatures so far, or 0 if the authenticator does not count.
    public let signCount: UInt32
    /// The new credential, after a registration.
    public let attestedCredential: AttestedCredential?
    /// The extensions' signed outputs by name.
    public let extensions: CBORMap?

    /// Makes authenticator data. The flags AT and ED are set as the parts are there.
    ///
    /// - Parameters:
    ///   - rpIDHash: 32 bytes.
    ///   - flags: the outcome of the ceremony.
    ///   - signCount: number of signatures so far, or 0.
    ///   - attestedCredential: the new credential, after a registration.
    ///   - extensions: the extensions' signed outputs by name.
    /// - Throws: ``CTAPError`` `invalid-length` if the hash has another length.
    public init(
        rpIDHash: [UInt8], flags: Flags, signCount: UInt32, attestedCredential: AttestedCredential? = nil,
        extensions: CBORMap? = nil
    ) throws(CTAPError) {
        guard rpIDHash.count == Self.rpIDHashByteCount else {
            throw CTAPError(.invalidLength, reason: "a relying party hash of \(rpIDHash.count) bytes")
        }
        self.rpIDHash = rpIDHash
        self.flags = flags.subtracting([.attestedCredential, .extensions])
            .union(attestedCredential == nil ? [] : .attestedCredential)
            .union(extensions == nil ? [] : .extensions)
        self.signCount = signCount
        self.attestedCredential = attestedCredential
        self.extensions = extensions
    }

    /// Reads authenticator data: 37 bytes, then the parts that the flags announce, and nothing else.
    ///
    /// - Throws: ``CTAPError`` `invalid-length` where bytes are missing or left over, `invalid-cbor`,
    ///   `unexpected-type` or `missing-parameter` for the parts.
    public init(decoding input: Span<UInt8>) throws(CTAPError) {
        var cursor = ByteCursor(input)
        rpIDHash = try cursor.take(Self.rpIDHashByteCount)
        flags = Flags(rawValue: try cursor.takeInteger(UInt8.self))
        signCount = try cursor.takeInteger(UInt32.self)
        attestedCredential = flags.contains(.attestedCredential) ? try AttestedCredential(&cursor) : nil
        extensions = flags.contains(.extensions) ? try cursor.takeMap() : nil
        guard cursor.remaining == 0 else {
            throw CTAPError(.invalidLength, reason: "\(cursor.remaining) bytes after the authenticator data")
        }
    }

    /// The authenticator data as it is signed and sent.
    public func encoded() -> [UInt8] {
        var output = rpIDHash + [flags.rawValue]
        output += signCount.bigEndianBytes
        output += attestedCredential?.encoded() ?? []
        output += extensions?.encoded() ?? []
        return output
    }
}

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

/// An attestation as it reaches a relying party. Source: WebAuthn Level 3 section 6.5.4.
public struct AttestationObject: Sendable, Hashable {
    /// The format of the attestation statement.
    public var format: String
    /// The attestation statement.
    public var attestationStatement: CBORMap
    /// The authenticator data exactly as it was signed; see ``AuthenticatorData``.
    public var authenticatorData: [UInt8]

    /// The format without a statement (WebAuthn Level 3 section 8.7).
    public static let noneFormat = "none"
    /// The format with a signature over authenticator data and client data hash (WebAuthn Level 3 section 8.2).
    public static let packedFormat = "packed"

    private enum Key {
        static let format: CBORValue = "fmt"
        static let attestationStatement: CBORValue = "attStmt"
        static let authenticatorData: CBORValue = "authData"
    }

    /// Makes an attestation object.
    public init(format: String, attestationStatement: CBORMap, authenticatorData: [UInt8]) {
        self.format = format
        self.attestationStatement = attestationStatement
        self.authenticatorData = authenticatorData
    }

    /// Reads an attestation object in any CBOR.
    ///
    /// - Throws: ``CTAPError`` `invalid-cbor`, `unexpected-type` or `missing-parameter`.
    public init(decoding input: Span<UInt8>, limits: CBORLimits = .standard) throws(CTAPError) {
        let fields = try Parameters(response: input, limits: limits)
        format = try fields.required(Key.format, "fmt", \.textValue)
        attestationStatement = try fields.required(Key.attestationStatement, "attStmt", \.mapValue)
        authenticatorData = try fields.required(Key.authenticatorData, "authData", \.bytesValue)
    }

    /// The same credential without its attestation, as a relying party gets it that asked for none.
    public var withoutAttestation: AttestationObject {
        AttestationObject(format: Self.noneFormat, attestationStatement: [:], authenticatorData: authenticatorData)
    }

    /// The object in canonical CBOR.
    public func encoded() -> [UInt8] {
        let map: CBORMap = [
            Key.format: .text(format), Key.attestationStatement: .map(attestationStatement),
            Key.authenticatorData: .bytes(authenticatorData),
        ]
        return map.encoded()
    }
}
