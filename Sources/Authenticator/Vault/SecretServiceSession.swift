internal import Cryptography
internal import LinuxSupport

/// One connection to the keyring, with a key of its own for secrets on their way.
///
/// Source: Secret Service API 0.2; the algorithm is "dh-ietf1024-sha256-aes128-cbc-pkcs7".
struct SecretServiceSession: Sendable {
    private enum Name {
        static let service = "org.freedesktop.secrets"
        static let path = "/org/freedesktop/secrets"
        static let serviceInterface = "org.freedesktop.Secret.Service"
        static let collectionInterface = "org.freedesktop.Secret.Collection"
        static let itemInterface = "org.freedesktop.Secret.Item"
        static let algorithm = "dh-ietf1024-sha256-aes128-cbc-pkcs7"
        static let label = "org.freedesktop.Secret.Item.Label"
        static let attributes = "org.freedesktop.Secret.Item.Attributes"
        static let contentType = "application/octet-stream"
        static let defaultAlias = "default"
        /// The path that stands for no object.
        static let noObject = "/"
    }

    /// The places of the members of a secret, `(oayays)`.
    private enum Member {
        static let parameters = 1
        static let value = 2
        static let count = 4
    }

    private let connection: DBusConnection
    private let prompts: SecretServicePrompts
    private let path: String
    private let key: HeldSecret

    /// Opens a session while `body` runs.
    ///
    /// - Throws: ``VaultError`` `no-keyring`, `keyring-timeout` or `keyring-failed`; the errors of `body`.
    static func with<Value: Sendable>(
        _ promptLimit: Duration, _ body: (SecretServiceSession) async throws(VaultError) -> Value
    ) async throws(VaultError) -> Value {
        let prompts = SecretServicePrompts(limit: promptLimit)
        let connection: DBusConnection
        do throws(DBusError) {
            let address = try DBusAddress.session()
            guard !address.isRemote else {
                throw DBusError(.noBus, reason: "the session bus is not on this machine: its keyring is not asked")
            }
            connection = try await DBusConnection.open(address) { prompts.note($0) }
        } catch {
            throw VaultError(error)
        }
        do throws(VaultError) {
            let result = try await body(SecretServiceSession(connection, prompts))
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    private init(_ connection: DBusConnection, _ prompts: SecretServicePrompts) async throws(VaultError) {
        self.connection = connection
        self.prompts = prompts
        let group = try CryptographyError.rethrown(OakleyGroup2(), as: VaultError.init)
        let answer: [DBusValue]
        do throws(DBusError) {
            answer = try await connection.call(
                DBusCall(
                    "OpenSession", of: Name.serviceInterface, at: Name.path, in: Name.service,
                    [.string(Name.algorithm), .variant(.bytes(group.publicValue))], startsService: true))
            try await prompts.subscribe(connection, to: Name.service)
        } catch {
            throw VaultError(error)
        }
        guard let peer = answer.first?.bytesValue, let path = answer.last?.pathValue else { throw .interfaceViolation }
        self.path = path
        key = try Self.key(group, peer)
    }

    private static func key(_ group: borrowing OakleyGroup2, _ peer: [UInt8]) throws(VaultError) -> HeldSecret {
        let nothing: [UInt8] = []
        do throws(CryptographyError) {
            let shared = try group.sharedSecret(with: peer.span)
            return HeldSecret(
                HKDFSHA256.derive(
                    secret: shared.span, salt: nothing.span, info: nothing.span, byteCount: AES128CBC.keyByteCount))
        } catch {
            throw error.code == .invalidPoint ? .interfaceViolation : VaultError(error)
        }
    }

    /// The secret with some attributes; nil if there is none.
    func secrets(of attributes: [String: String]) async throws(VaultError) -> VaultSecrets? {
        guard let item = try await unlockedItem(attributes) else { return nil }
        let answer = try await call("GetSecret", of: Name.itemInterface, at: item, [.objectPath(path)])
        guard let members = answer.first?.structureValue, members.count == Member.count,
            let vector = members[Member.parameters].bytesValue, let value = members[Member.value].bytesValue
        else { throw .interfaceViolation }
        let key = key.clone()
        do throws(CryptographyError) {
            return VaultSecrets(
                keyringKey: try AES128CBC.decrypt(value.span, key: key.span, vector: vector.span))
        } catch {
            throw .interfaceViolation
        }
    }

    /// Keeps a secret in the default collection.
    func keep(_ secret: HeldSecret, _ attributes: [String: String], label: String) async throws(VaultError) {
        let answer = try await service("ReadAlias", [.string(Name.defaultAlias)])
        guard let collection = answer.first?.pathValue else { throw .interfaceViolation }
        guard collection != Name.noObject else {
            throw VaultError(
                .noKeyring, reason: "the desktop has no default keyring; create one, and make it the default")
        }
        try await unlock([collection])
        let properties: [String: DBusValue] = [
            Name.label: .string(label), Name.attributes: .strings(attributes),
        ]
        let replaces = DBusValue.bool(false)
        let made = try await call(
            "CreateItem", of: Name.collectionInterface, at: collection,
            [.dictionary(properties), sealed(secret), replaces])
        guard let prompt = made.last?.pathValue else { throw .interfaceViolation }
        try await self.answer(prompt)
    }

    /// Removes the item with these attributes.
    func remove(_ attributes: [String: String]) async throws(VaultError) {
        guard let item = try await unlockedItem(attributes) else { return }
        let answer = try await call("Delete", of: Name.itemInterface, at: item, [])
        guard let prompt = answer.first?.pathValue else { throw .interfaceViolation }
        try await self.answer(prompt)
    }

    private func unlockedItem(_ attributes: [String: String]) async throws(VaultError) -> String? {
        let answer = try await service("SearchItems", [.strings(attributes)])
        guard let unlocked = answer.first?.pathsValue, let locked = answer.last?.pathsValue else {
            throw .interfaceViolation
        }
        if let item = unlocked.first { return item }
        guard let item = locked.first else { return nil }
        try await unlock([item])
        return item
    }

    private func unlock(_ objects: [String]) async throws(VaultError) {
        let answer = try await service("Unlock", [.array(objects.map(DBusValue.objectPath))])
        guard let prompt = answer.last?.pathValue else { throw .interfaceViolation }
        try await self.answer(prompt)
    }

    /// Lets the keyring ask the user, if it has to.
    private func answer(_ prompt: String) async throws(VaultError) {
        guard prompt != Name.noObject else { return }
        try await prompts.ask(prompt, of: Name.service, over: connection)
    }

    private func sealed(_ secret: HeldSecret) throws(VaultError) -> DBusValue {
        let key = key.clone()
        let plaintext = secret.clone()
        do throws(CryptographyError) {
            let vector = randomBytes(count: AES128CBC.vectorByteCount)
            let value = try AES128CBC.encrypt(plaintext.span, key: key.span, vector: vector.span)
            return .structure([.objectPath(path), .bytes(vector), .bytes(value), .string(Name.contentType)])
        } catch {
            throw VaultError(error)
        }
    }

    private func service(_ member: String, _ body: [DBusValue]) async throws(VaultError) -> [DBusValue] {
        try await call(member, of: Name.serviceInterface, at: Name.path, body)
    }

    private func call(
        _ member: String, of interface: String, at path: String, _ body: [DBusValue]
    ) async throws(VaultError) -> [DBusValue] {
        do throws(DBusError) {
            return try await connection.call(DBusCall(member, of: interface, at: path, in: Name.service, body))
        } catch {
            throw VaultError(error)
        }
    }
}

extension VaultError {
    /// The keyring answered something that its interface does not have.
    static var interfaceViolation: Self { Self(.keyringFailed, reason: "the keyring violates its interface") }
    static var dismissedKeyring: Self {
        Self(.keyringLocked, reason: "the keyring stays locked: its question was dismissed")
    }

    private static let isLocked = "org.freedesktop.Secret.Error.IsLocked"

    init(_ error: DBusError) {
        switch error.code {
        case .noBus, .invalidAddress, .notPermitted: self.init(.noKeyring, reason: error.reason)
        case .refused
        where [DBusError.Name.serviceUnknown, DBusError.Name.nameHasNoOwner].contains(error.name):
            self.init(.noKeyring, reason: "nothing on the session bus is a keyring")
        case .refused where error.name == Self.isLocked: self = .dismissedKeyring
        case .timeout: self.init(.keyringTimeout, reason: "the keyring did not answer in time")
        default: self.init(.keyringFailed, reason: error.reason)
        }
    }
}
