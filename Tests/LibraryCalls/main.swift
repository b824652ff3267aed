// Does one thing with a secret, or with a file, and tells which calls of the C library came of it: see CLibraryCalls.
//
//     library-calls memory THING          `freed N`: the blocks with the secret in them that were given back
//     library-calls files THING FOLDER    each call that changed something in the folder, in order
//
// Ends with 1 if there is no such thing.

#if DEBUG
    import CLibraryCalls
    import Cryptography
    import Encodings
    import Glibc
    import HybridProtocol
    import LinuxSupport
    import SystemPackage

    @testable import DesktopAuthenticator
    @testable import HybridTransport
    @testable import PasskeyAuthenticator
    @testable import PasskeyExchange
    @testable import Vault

    /// The secret. It is text, so that a dialogue can bring it as it is.
    let secret = (0..<32).map { _ in UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z")) }

    /// Looks at freed memory while `body` runs. A value that was made before, and dies there, must not be an array.
    func observed(_ count: Int = secret.count, _ body: () async throws -> Void) async throws {
        library_calls_look_for(secret, count)
        try await body()
        library_calls_look_for(secret, 0)
    }

    func secretBytes(_ count: Int = secret.count) -> SecretBytes {
        SecretBytes(copying: secret.span.extracting(first: count))
    }

    func inFolder(_ body: (String) async throws -> Void) async throws {
        let path = "/tmp/hybrid-library-calls-\(getpid())"
        guard mkdir(path, 0o700) == 0 else { throw Errno(rawValue: errno) }
        defer { for name in ["f", "f.lock", ""] { remove("\(path)/\(name)") } }
        try await body(path + "/f")
    }

    /// Both ends of a session after the handshake.
    func handshake(
        _ body: (consuming ConnectedClient, consuming ConnectedAuthenticator) async throws -> Void
    ) async throws {
        let qrSecret = randomBytes(count: Invitation.secretByteCount)
        let invitation = try ClientInvitation(
            privateKey: .generate(), secret: SecretBytes(copying: qrSecret.span),
            details: .init(timestamp: nil, supportsLinking: true, hint: .getAssertion))
        let advert = try AdvertPlaintext(
            nonce: randomBytes(count: AdvertPlaintext.nonceByteCount), routingID: RoutingID([1, 2, 3]), domain: .google)
        let responder = try Responder(Invitation(url: invitation.invitation.url()), advert: advert)
        let initiator = try Initiator(invitation, advert: advert, ephemeralKey: .generate())
        let message = initiator.message
        let authenticator = try responder.answer(message.span, ephemeralKey: .generate())
        let response = authenticator.response
        try await body(initiator.finish(response.span), authenticator)
    }

    /// Messages that are the secret.
    struct SecretMessages: MessageCodec {
        let isComplete = false
        func encode(_ message: Int) -> [UInt8] { Array(secret) + [UInt8](repeating: 0, count: message) }
        func decode(_ bytes: Span<UInt8>) -> Int { bytes.count - secret.count }
    }

    /// A passkey whose prf secret is the secret.
    func passkey() throws -> Credential {
        Credential(
            id: [UInt8](repeating: 9, count: Credential.idByteCount), rpID: "example.com", rpName: nil, userHandle: [1],
            userName: nil, userDisplayName: nil, isDiscoverable: true, key: try CredentialKey(),
            prf: try PRFSecret(copying: secret.span), isBackupEligible: true, lastUsed: 0)
    }

    func storedLink() -> SecretBytes {
        let key = try? P256.PrivateKey.generate().publicKey
        let stored: CBORValue = [
            0: 1, 1: .bytes([1]), 2: .bytes([UInt8](repeating: 7, count: LinkID.byteCount)), 3: .bytes(secret),
            4: .bytes(key?.uncompressed ?? []), 5: "phone", 6: 0,
        ]
        return SecretBytes(copying: stored.encoded().span)
    }

    /// A pinentry's answer, over pipes; `body` takes it or does not.
    func assuan(_ body: (AssuanConnection) throws -> Void) async throws {
        let (input, output) = (try FileDescriptor.pipe(), try FileDescriptor.pipe())
        _ = try output.writeEnd.writeAll(Array("OK\nD ".utf8) + secret + Array("\nOK\n".utf8))
        try await observed {
            let streams = DialogueStreams(
                of: "pinentry", input: input.writeEnd, output: output.readEnd, wake: try WakePipe(),
                until: .now + .seconds(60), longestLine: 1_000)
            let connection = AssuanConnection(over: streams)
            _ = try connection.answer()
            _ = try connection.request("GETPIN")
            try body(connection)
        }
    }

    func memory(_ thing: String) async throws {
        switch thing {
        case "array": try await observed { _ = Array(secret) + [0] }
        case "secret array that is taken": try await observed { _ = SecretArray(Array(secret) + [0]).take() }
        case "secret array": try await observed { _ = SecretArray(Array(secret) + [0]) }
        case "secret array that is there": try await observed { _ = SecretArray(Optional(Array(secret) + [0])) }
        case "secret array that is cut":
            try await observed {
                var bytes = SecretArray(capacity: secret.count)
                bytes.append(secret.span)
                bytes.bytes.removeAll(keepingCapacity: true)
            }
        case "secret array on an error":
            try await observed {
                func fail(_ bytes: consuming SecretArray) throws { throw Errno.ioError }
                try? fail(SecretArray(Array(secret) + [0]))
            }
        case "secret bytes": try await observed { _ = secretBytes().clone() }
        case "key wrapping":
            let key = HeldSecret(secretBytes())
            try await observed {
                let id = [UInt8](repeating: 1, count: VaultHeader.idByteCount)
                let other = HeldSecret.randomKey()
                let wrapping = try KeyWrapping(key, .keyring, secret: other, vaultID: id)
                _ = try wrapping.open(with: other, vaultID: id)
            }
        case "vault":
            let key = [UInt8](repeating: 5, count: VaultSecrets.keyringKeyByteCount)
            try await inFolder { path in
                func secrets() -> VaultSecrets { VaultSecrets(keyringKey: SecretBytes(copying: key.span)) }
                try await observed {
                    let vault = try Vault.create(at: path, id: Vault.newID(), secrets())
                    try await vault.add(try passkey())
                    await vault.close()
                    let again = try Vault.open(at: path, secrets())
                    var found = try await again.credentials()
                    found[0].lastUsed = 1
                    try await again.update(found[0])
                    await again.close()
                }
            }
        case "file of passkeys":
            let credential = try passkey()
            try await inFolder { path in
                try await observed {
                    let store = try FileCredentialStore(path: path)
                    try await store.add(credential)
                    try await store.update(await store.credentials()[0])
                }
            }
        case "imported passkey":
            let file = try CXF.encode([try passkey()], at: 1)
            try await observed { _ = try CXF.read(file.span) { _ in } }
        case "sealed root secret":
            let root = try RootSecret(secretBytes())
            let (key, contactKey) = (try LinkSealingKey(.random(count: 32)), try P256.PrivateKey.generate().publicKey)
            try await observed {
                let sealed = try SealedRootSecret(root, under: key, contactKey: contactKey)
                _ = try sealed.open(with: key, contactKey: contactKey)
            }
        case "key log":
            let key = Hexadecimal.encode(secret)
            let line = "\(TrafficKeys.label) \(Hexadecimal.encode(randomBytes(count: 32))) \(key) \(key)"
            try await observed { _ = TrafficKeys(line: line) }
        case "link":
            let stored = storedLink()
            try await observed { _ = try Link(decoding: stored.span).encoded() }
        case "file of links":
            let link = SharedLink(try Link(decoding: storedLink().span))
            try await inFolder { path in
                try await observed {
                    let file = ClientLinkFile(path: path)
                    try file.add(link, at: 1)
                    _ = try file.links()
                    try file.markUsed(link.id, at: 2)
                }
            }
        case "linking", "linking nearby":
            try await handshake { client, authenticator in
                let root = try RootSecret(SecretBytes.random(count: RootSecret.byteCount))
                let offer = try LinkOffer(
                    contactID: ContactID([1]), linkID: LinkID([UInt8](repeating: 7, count: LinkID.byteCount)),
                    secret: LinkSecret(secretBytes()), identityKey: root.identityKey(), name: "")
                var sender = try authenticator.sendFirstMessage(FirstMessage(getInfo: [0xa0], features: [.ctap]))
                var receiver = try client.readFirstMessage(sender.firstFrame)
                try await observed {
                    let frame = try sender.sealUpdate(offering: offer)
                    _ = thing == "linking" ? try receiver.open(frame) : try receiver.openIfFrame(frame)
                }
            }
        case "messages":
            try await handshake { client, authenticator in
                var receiver = try client.exchange { _ in SecretMessages() }
                var sender = authenticator.exchange { _ in SecretMessages() }
                try await observed {
                    _ = try receiver.open(sender.seal(0))
                    _ = try receiver.openIfFrame(sender.seal(100))
                }
            }
        case "first message":
            try await handshake { client, authenticator in
                let map: CBORMap = [1: .array([.text(String(decoding: secret, as: UTF8.self))])]
                let message = try FirstMessage(getInfo: CBORValue.map(map).encoded(), features: [.ctap])
                let sender = try authenticator.sendFirstMessage(message)
                try await observed { guard try client.opens(sender.firstFrame) else { throw Errno.ioError } }
            }
        case "invitation":
            let count = Invitation.secretByteCount
            let url = try Invitation(
                clientPublicKey: P256.PrivateKey.generate().publicKey, secret: secretBytes(count),
                details: .init(timestamp: nil, hint: .getAssertion)
            ).url()
            try await observed(count) { _ = try Invitation(url: url).url() }
        case "passphrase that is taken": try await assuan { _ = $0.takeData() }
        case "passphrase that is not taken": try await assuan { _ in }
        default: exit(1)
        }
        print("freed \(library_calls_found())")
    }

    func files(_ thing: String, _ folder: String) async throws {
        let file = AtomicFile(path: folder + "/f")
        let contents: [UInt8] = [1]
        switch thing {
        case "replace":
            let lock = try file.lock()
            library_calls_note_files(folder)
            try file.replace(with: contents.span, lock)
        case "create":
            library_calls_note_files(folder)
            try file.create(with: contents.span)
        case "vault":
            let key = [UInt8](repeating: 5, count: VaultSecrets.keyringKeyByteCount)
            library_calls_note_files(folder)
            let vault = try Vault.create(
                at: file.path, id: Vault.newID(), VaultSecrets(keyringKey: SecretBytes(copying: key.span)))
            await vault.close()
        default: exit(1)
        }
        let noted = String(cString: library_calls_noted())
        library_calls_note_files("")
        print(noted, terminator: "")
    }

    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count > 1 else { exit(1) }
    switch arguments[0] {
    case "memory": try await memory(arguments[1])
    case "files" where arguments.count == 3: try await files(arguments[1], arguments[2])
    default: exit(1)
    }
#endif
