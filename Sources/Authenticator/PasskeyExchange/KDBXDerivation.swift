internal import Cryptography

/// The derivation of a database's key from its passphrase: AES-KDF, Argon2d or Argon2id, in a dictionary of the header.
struct KDBXDerivation {
    private enum Method {
        case aes(rounds: UInt64)
        case argon2(Argon2.Variant, Argon2.Cost, version: UInt32)
    }

    private let method: Method
    private let salt: [UInt8]

    /// The limits of the cost that is accepted: 1 GiB, and about a minute.
    private static let maxRounds: UInt64 = 1 << 30
    private static let maxMemory: UInt64 = 1 << 30
    private static let maxPassedMemory: UInt64 = 1 << 36
    private static let maxLanes: UInt32 = 64

    private static let dictionaryVersion: [UInt8] = [0, 1]
    private static let bytesPerKiB: UInt64 = 1 << 10

    private enum Kind {
        static let uint32: UInt8 = 0x04
        static let uint64: UInt8 = 0x05
        static let bytes: UInt8 = 0x42
    }

    private enum UUID {
        static let aes: [UInt8] = [
            0xC9, 0xD9, 0xF3, 0x9A, 0x62, 0x8A, 0x44, 0x60, 0xBF, 0x74, 0x0D, 0x08, 0xC1, 0x8A, 0x4F, 0xEA,
        ]
        static let aesOfVersion4: [UInt8] = [
            0x7C, 0x02, 0xBB, 0x82, 0x79, 0xA7, 0x4A, 0xC0, 0x92, 0x7D, 0x11, 0x4A, 0x00, 0x64, 0x82, 0x38,
        ]
        static let argon2d: [UInt8] = [
            0xEF, 0x63, 0x6D, 0xDF, 0x8C, 0x29, 0x44, 0x4B, 0x91, 0xF7, 0xA9, 0xA4, 0x03, 0xE3, 0x0A, 0x0C,
        ]
        static let argon2id: [UInt8] = [
            0x9E, 0x29, 0x8B, 0x19, 0x56, 0xDB, 0x47, 0x73, 0xB2, 0x3D, 0xFC, 0x3E, 0xC6, 0xF0, 0xA1, 0xE6,
        ]
    }

    private init(_ method: Method, _ salt: [UInt8]) { (self.method, self.salt) = (method, salt) }

    /// The memory that ``key(_:)`` takes, in bytes, and about the time: so many times that of a small derivation.
    ///
    /// - Throws: as ``key(_:)``.
    func cost() throws(PasskeyFormatError) -> (byteCount: UInt64, time: Duration) {
        let (small, times, byteCount): (Self, UInt64, UInt64)
        switch method {
        case .aes(let rounds): (small, times, byteCount) = (Self(.aes(rounds: 1 << 16), salt), rounds >> 16, 0)
        case .argon2(let variant, let cost, let version):
            // So much that a processor's cache does not hold it.
            let memory = min(cost.memory, 1 << 15)
            let one = Argon2.Cost(memory: memory, passes: 1, lanes: cost.lanes)
            small = Self(.argon2(variant, one, version: version), salt)
            byteCount = UInt64(cost.memory) * Self.bytesPerKiB
            times = UInt64(cost.memory) * UInt64(cost.passes) / UInt64(memory)
        }
        let nothing: [UInt8] = []
        let start = ContinuousClock.now
        _ = try small.key(SecretBytes(copying: nothing.span))
        return (byteCount, (ContinuousClock.now - start) * Int(clamping: times))
    }

    /// Argon2id with a new salt, at a cost of about half a second.
    init() {
        method = .argon2(.id, .init(memory: 1 << 16, passes: 8, lanes: 2), version: 0x13)
        salt = randomBytes(count: 32)
    }

    /// Reads a dictionary.
    ///
    /// - Throws: ``PasskeyFormatError`` `malformed`, `unsupported` or `costly`.
    init(_ dictionary: [UInt8]) throws(PasskeyFormatError) {
        let values = try Self.values(dictionary)
        func number(_ name: String) -> UInt64? {
            guard let bytes = values[name], [4, 8].contains(bytes.count) else { return nil }
            return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard let uuid = values["$UUID"], let salt = values["S"] else { throw Self.malformed }
        self.salt = salt
        switch uuid {
        case UUID.aes, UUID.aesOfVersion4:
            guard let rounds = number("R"), salt.count == AESKeyTransformation.keyByteCount else {
                throw Self.malformed
            }
            guard rounds <= Self.maxRounds else { throw Self.costly }
            method = .aes(rounds: rounds)
        case UUID.argon2d, UUID.argon2id:
            guard let memory = number("M"), let passes = number("I"), let lanes = number("P"),
                let version = number("V").flatMap(UInt32.init(exactly:)), Argon2.versions.contains(version),
                values["K"] == nil, values["A"] == nil, passes > 0, memory >= Self.bytesPerKiB, lanes > 0
            else { throw Self.malformed }
            guard memory <= Self.maxMemory, passes <= Self.maxPassedMemory / memory, lanes <= Self.maxLanes else {
                throw Self.costly
            }
            let cost = Argon2.Cost(
                memory: UInt32(memory / Self.bytesPerKiB), passes: UInt32(clamping: passes),
                lanes: UInt32(clamping: lanes))
            method = .argon2(uuid == UUID.argon2d ? .d : .id, cost, version: version)
        default:
            throw PasskeyFormatError(.unsupported, reason: "the file's key is derived in an unsupported way")
        }
    }

    private static func values(_ dictionary: [UInt8]) throws(PasskeyFormatError) -> [String: [UInt8]] {
        var cursor = KDBXCursor(dictionary)
        guard let version = cursor.take(2), version.last == dictionaryVersion.last else { throw malformed }
        var values: [String: [UInt8]] = [:]
        while let kind = cursor.number(UInt8.self), kind != 0 {
            guard let name = cursor.takeCounted(), let value = cursor.takeCounted() else { throw malformed }
            values[String(decoding: name, as: UTF8.self)] = value
        }
        guard cursor.isAtEnd else { throw malformed }
        return values
    }

    /// The dictionary, for a database that is written.
    var dictionary: [UInt8] {
        guard case .argon2(let variant, let cost, let version) = method else { return [] }
        let entries: [(UInt8, String, [UInt8])] = [
            (Kind.bytes, "$UUID", variant == .d ? UUID.argon2d : UUID.argon2id), (Kind.bytes, "S", salt),
            (Kind.uint32, "P", KDBX.bytes(cost.lanes)),
            (Kind.uint64, "M", KDBX.bytes(UInt64(cost.memory) * Self.bytesPerKiB)),
            (Kind.uint64, "I", KDBX.bytes(UInt64(cost.passes))), (Kind.uint32, "V", KDBX.bytes(version)),
        ]
        return Self.dictionaryVersion
            + entries.flatMap { kind, name, value in
                [kind] + KDBX.bytes(UInt32(name.utf8.count)) + name.utf8 + KDBX.bytes(UInt32(value.count)) + value
            } + [0]
    }

    /// The key that a passphrase gives: 32 bytes.
    ///
    /// - Throws: ``PasskeyFormatError`` `missing-library` without libargon2; `library-failure`.
    func key(_ passphrase: borrowing SecretBytes) throws(PasskeyFormatError) -> SecretBytes {
        do throws(CryptographyError) {
            let hash = SecretArray(SHA256.hash(passphrase.span))
            let composite = SecretArray(SHA256.hash(hash.span))
            switch method {
            case .aes(let rounds):
                return try AESKeyTransformation.derive(composite.span, seed: salt.span, rounds: rounds)
            case .argon2(let variant, let cost, let version):
                return try Argon2.derive(
                    variant, secret: composite.span, salt: salt.span, cost: cost, version: version, byteCount: 32)
            }
        } catch {
            guard error.code == .unsupportedAlgorithm else { throw PasskeyFormatError(error) }
            throw PasskeyFormatError(
                .missingLibrary, reason: "the file's key is derived with Argon2, and there is no libargon2.so.1")
        }
    }

    private static var malformed: PasskeyFormatError {
        PasskeyFormatError(.malformed, reason: "the parameters of the file's key cannot be read")
    }

    private static var costly: PasskeyFormatError {
        PasskeyFormatError(.costly, reason: "the file asks for more memory or time than a database does")
    }
}
