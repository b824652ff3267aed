internal import Cryptography
internal import Encodings

/// The vault key, encrypted under a secret: one of the ways to open a vault.
///
/// The vault key is sealed with AES-256-GCM under the keyring's key, or under scrypt's of the passphrase. Authenticated
/// with it are the vault's ID and the other fields of this type.
struct KeyWrapping: Hashable {
    /// The secret that it takes.
    enum Lock: Hashable {
        /// A passphrase, whose key scrypt derives with this salt at this cost.
        case passphrase(salt: [UInt8], Scrypt.Cost)
        /// A key that the desktop's keyring holds.
        case keyring
    }

    /// The length of a salt: 32 bytes.
    static let saltByteCount = 32

    let lock: Lock
    let nonce: [UInt8]
    /// The vault key and its tag, 48 bytes.
    let sealedKey: [UInt8]

    private static let sealedKeyByteCount = AES256GCM.keyByteCount + AES256GCM.tagByteCount
    private static let passphrase: CBORValue = "passphrase"
    private static let keyring: CBORValue = "keyring"

    private enum Key {
        static let kind: CBORValue = "kind"
        static let salt: CBORValue = "salt"
        static let logN: CBORValue = "log-n"
        static let blockSize: CBORValue = "r"
        static let parallelization: CBORValue = "p"
        static let nonce: CBORValue = "nonce"
        static let sealedKey: CBORValue = "key"
    }

    /// Seals a vault key.
    ///
    /// - Parameter secret: the passphrase, or the keyring's key.
    init(
        _ vaultKey: HeldSecret, _ lock: Lock, secret: HeldSecret, vaultID: [UInt8]
    ) throws(VaultError) {
        let key = try Self.key(lock, secret)
        let nonce = randomBytes(count: AES256GCM.nonceByteCount)
        let context = Self.context(lock, vaultID)
        let plaintext = vaultKey.clone()
        // With space for the tag, so that nothing is moved and left behind.
        var sealed = SecretArray(capacity: Self.sealedKeyByteCount)
        sealed.append(plaintext.span)
        do throws(CryptographyError) {
            var sealer = try AES256GCM.Sealer(key: key.span)
            try sealer.seal(&sealed.bytes, nonce: AES256GCM.Nonce(nonce), authenticatedData: context.span)
        } catch {
            throw VaultError(error)
        }
        self.lock = lock
        self.nonce = nonce
        sealedKey = sealed.take()
    }

    /// Opens the vault key.
    ///
    /// - Throws: ``VaultError`` `wrong-passphrase` or `wrong-keyring`; `library-failure`.
    func open(with secret: HeldSecret, vaultID: [UInt8]) throws(VaultError) -> HeldSecret {
        let key = try Self.key(lock, secret)
        let context = Self.context(lock, vaultID)
        var bytes = SecretArray(sealedKey)
        do throws(CryptographyError) {
            var opener = try AES256GCM.Opener(key: key.span)
            try opener.open(&bytes.bytes, nonce: AES256GCM.Nonce(nonce), authenticatedData: context.span)
        } catch {
            throw error.code == .authenticationFailed ? lock.refusal : VaultError(error)
        }
        return HeldSecret(SecretBytes(copying: bytes.span))
    }

    /// Reads a wrapping.
    ///
    /// - Throws: ``VaultError`` `damaged` or `costly`.
    init(_ value: CBORValue) throws(VaultError) {
        guard let map = value.mapValue, let nonce = map[Key.nonce]?.bytesValue,
            nonce.count == AES256GCM.nonceByteCount, let sealedKey = map[Key.sealedKey]?.bytesValue,
            sealedKey.count == Self.sealedKeyByteCount
        else { throw .damaged("a wrapped key lacks a part") }
        lock = try Self.lock(map)
        self.nonce = nonce
        self.sealedKey = sealedKey
    }

    /// Representation in the file.
    var value: CBORValue {
        var map = Self.map(lock)
        map[Key.nonce] = .bytes(nonce)
        map[Key.sealedKey] = .bytes(sealedKey)
        return .map(map)
    }

    private static func lock(_ map: CBORMap) throws(VaultError) -> Lock {
        switch map[Key.kind] {
        case keyring: return .keyring
        case passphrase:
            guard let salt = map[Key.salt]?.bytesValue, salt.count == saltByteCount,
                let logN = map[Key.logN]?.integerValue, let blockSize = map[Key.blockSize]?.integerValue,
                let parallelization = map[Key.parallelization]?.integerValue
            else { throw .damaged("a passphrase's parameters are missing") }
            let cost = Scrypt.Cost(
                logN: Int(clamping: logN), blockSize: Int(clamping: blockSize),
                parallelization: Int(clamping: parallelization))
            guard let cost else {
                throw VaultError(.costly, reason: "the file demands more of scrypt than is allowed; it is not ours")
            }
            return .passphrase(salt: salt, cost)
        default: throw .damaged("it has a lock of an unknown kind")
        }
    }

    private static func map(_ lock: Lock) -> CBORMap {
        switch lock {
        case .keyring: [Key.kind: keyring]
        case .passphrase(let salt, let cost):
            [
                Key.kind: passphrase, Key.salt: .bytes(salt), Key.logN: CBORValue(Int64(cost.logN)),
                Key.blockSize: CBORValue(Int64(cost.blockSize)),
                Key.parallelization: CBORValue(Int64(cost.parallelization)),
            ]
        }
    }

    private static func context(_ lock: Lock, _ vaultID: [UInt8]) -> [UInt8] {
        CBORValue.array([.bytes(vaultID), .map(map(lock))]).encoded()
    }

    private static func key(_ lock: Lock, _ held: HeldSecret) throws(VaultError) -> SecretBytes {
        switch lock {
        case .keyring:
            guard held.count == VaultSecrets.keyringKeyByteCount else { throw lock.refusal }
            return held.clone()
        case .passphrase(let salt, let cost):
            let secret = held.clone()
            return try CryptographyError.rethrown(
                Scrypt.derive(passphrase: secret.span, salt: salt.span, cost: cost, byteCount: AES256GCM.keyByteCount),
                as: VaultError.init)
        }
    }
}

extension KeyWrapping.Lock {
    /// The error for a secret that does not open it.
    var refusal: VaultError {
        switch self {
        case .passphrase: VaultError(.wrongPassphrase, reason: "the passphrase is wrong")
        case .keyring: VaultError(.wrongKeyring, reason: "the keyring's key is not this vault's")
        }
    }
}
