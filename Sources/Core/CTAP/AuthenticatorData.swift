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

    /// Reads authenticator data: 37 bytes, then what the flags announce, and nothing else.
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
