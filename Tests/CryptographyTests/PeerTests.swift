import Cryptography
import Foundation
import TestPeers
import Testing

/// Random operations as the Python package `cryptography` does them, which carries a libcrypto of its own.
@Suite(.enabled("the Python package cryptography is not installed") { await PythonPeer.isPresent() })
struct PeerTests {
    @Test("Digests, codes and derived keys are the peer's")
    func hashes() async throws {
        var peer = PythonPeer()
        for count in [0, 1, 31, 32, 55, 56, 63, 64, 65, 127, 128, 1000] {
            let (secret, message) = (randomBytes(count: count), randomBytes(count: count))
            let (salt, info) = (randomBytes(count: count / 2), randomBytes(count: 4))
            peer.expect(SHA256.hash(message.span), "hash", message)
            var hmac = HMACSHA256(key: secret.span)
            peer.expect(hmac.authenticationCode(for: message.span), "code", secret, message)
            let outputByteCount = UInt8(min(255, count + 1))
            let derived = HKDFSHA256.derive(
                secret: secret.span, salt: salt.span, info: info.span, byteCount: Int(outputByteCount))
            peer.expect(contents(derived), "derive", secret, salt, info, [outputByteCount])
        }
        try await peer.check()
    }

    @Test("Blocks and sealed messages are the peer's, and each opens the other's")
    func ciphers() async throws {
        var peer = PythonPeer()
        for count in [0, 1, 15, 16, 17, 64, 81, 255, 1024, 5000] {
            let key = randomBytes(count: AES256GCM.keyByteCount)
            let block = randomBytes(count: AES256Block.blockByteCount)
            var cipher = try AES256Block(key: key.span, .encrypt)
            peer.expect(try cipher.transform(block.span), "encrypt-block", key, block)

            let plaintext = randomBytes(count: count)
            let data = randomBytes(count: count / 3)
            let nonceBytes = randomBytes(count: AES256GCM.nonceByteCount)
            let nonce = AES256GCM.Nonce(nonceBytes)
            var sealed = plaintext
            var sealer = try AES256GCM.Sealer(key: key.span)
            try sealer.seal(&sealed, nonce: nonce, authenticatedData: data.span)
            peer.expect(sealed, "seal", key, nonceBytes, data, plaintext)
            peer.expect(plaintext, "open", key, nonceBytes, data, sealed)
            sealed[sealed.count / 2] ^= 1
            peer.expect("refused", "open", key, nonceBytes, data, sealed)
        }
        try await peer.check()
    }

    @Test("Keys from passphrases are the peer's")
    func passphrases() async throws {
        var peer = PythonPeer()
        for (logN, blockSize, parallelization) in [(1, 1, 1), (5, 3, 2), (10, 8, 1), (12, 16, 4), (15, 8, 1)] {
            let cost = try #require(Scrypt.Cost(logN: logN, blockSize: blockSize, parallelization: parallelization))
            let (passphrase, salt) = (randomBytes(count: logN * 7), randomBytes(count: 32))
            let key = try Scrypt.derive(passphrase: passphrase.span, salt: salt.span, cost: cost, byteCount: 32)
            let numbers = [logN, blockSize, parallelization].map { UInt8($0) }
            peer.expect(contents(key), "scrypt", passphrase, salt, numbers, [32])
        }
        try await peer.check()
    }

    @Test("The Secret Service's key agreement and cipher are the peer's")
    func secretService() async throws {
        var peer = PythonPeer()
        for count in [0, 1, 15, 16, 17, 32, 1000] {
            let exponent = randomBytes(count: OakleyGroup2.byteCount)
            // The peer's public value, without the leading zeros that it has once in 256 times.
            let answers = try await PythonPeer.ask([.init("power", [[2], exponent])])
            let value = Array(bytes(try #require(answers.first)).drop { $0 == 0 })
            let group = try OakleyGroup2()
            let shared = try group.sharedSecret(with: value.span)
            peer.expect(contents(shared), "power", group.publicValue, exponent)

            let (key, vector) = (randomBytes(count: 16), randomBytes(count: 16))
            let message = randomBytes(count: count)
            let encrypted = try AES128CBC.encrypt(message.span, key: key.span, vector: vector.span)
            peer.expect(encrypted, "encrypt-cbc", key, vector, message)
            let decrypted = try AES128CBC.decrypt(encrypted.span, key: key.span, vector: vector.span)
            #expect(contents(decrypted) == message)
        }
        try await peer.check()
    }

    @Test("Points and shared secrets are the peer's")
    func agreement() async throws {
        var peer = PythonPeer()
        for _ in 0..<20 {
            let own = try P256.PrivateKey.generate()
            let other = try P256.PrivateKey.generate()
            let point = own.publicKey
            peer.expect(point.uncompressed, "public", contents(try own.scalar()))
            peer.expect(point.compressed, "compressed", point.uncompressed)
            peer.expect(point.uncompressed, "uncompressed", point.compressed)
            let shared = contents(try own.sharedSecret(with: other.publicKey))
            peer.expect(shared, "shared", contents(try own.scalar()), other.publicKey.uncompressed)
            peer.expect(shared, "shared", contents(try other.scalar()), point.compressed)
        }
        try await peer.check()
    }

    @Test("Each verifies the other's signatures, and neither a changed one")
    func signatures() async throws {
        var peer = PythonPeer()
        let key = try P256.PrivateKey.generate()
        let scalar = contents(try key.scalar())
        let messages = (0..<20).map { randomBytes(count: $0 * 13) }
        for message in messages {
            let signature = try key.sign(message.span)
            peer.expect("good", "verify", key.publicKey.uncompressed, signature, message)
            peer.expect("refused", "verify", key.publicKey.uncompressed, signature, message + [0])
        }
        try await peer.check()
        let answers = try await PythonPeer.ask(messages.map { .init("sign", [scalar, $0]) })
        for (message, answer) in zip(messages, answers) {
            let signature = bytes(answer)
            #expect(try key.publicKey.verify(signature: signature.span, of: message.span))
            let changed = message + [0]
            #expect(try !key.publicKey.verify(signature: signature.span, of: changed.span))
        }
        #expect(answers.count == messages.count)
    }

    @Test("Ed25519 keys and signatures are the peer's, byte for byte")
    func ed25519() async throws {
        var peer = PythonPeer()
        for count in 0..<20 {
            let key = try Ed25519.PrivateKey.generate()
            let seed = contents(try key.seed())
            let message = randomBytes(count: count * 13)
            let signature = try key.sign(message.span)
            peer.expect(key.publicKey.bytes, "public-ed25519", seed)
            peer.expect(signature, "sign-ed25519", seed, message)
            peer.expect("good", "verify-ed25519", key.publicKey.bytes, signature, message)
            peer.expect("refused", "verify-ed25519", key.publicKey.bytes, signature, message + [0])
        }
        try await peer.check()
    }

    @Test("RSA keys and signatures are the peer's, byte for byte")
    func rsa() async throws {
        var peer = PythonPeer()
        let key = try RSA.PrivateKey.generate()
        let pkcs8 = contents(try key.pkcs8())
        let info = try key.publicKey.subjectPublicKeyInfo()
        peer.expect(info, "public-rsa", pkcs8)
        for count in 0..<10 {
            let message = randomBytes(count: count * 13)
            let signature = try key.sign(message.span)
            peer.expect(signature, "sign-rsa", pkcs8, message)
            peer.expect("good", "verify-rsa", info, signature, message)
            peer.expect("refused", "verify-rsa", info, signature, message + [0])
        }
        try await peer.check()
    }
}
