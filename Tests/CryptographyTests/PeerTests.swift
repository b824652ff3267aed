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
            let (secret, message) = (try randomBytes(count: count), try randomBytes(count: count))
            let (salt, info) = (try randomBytes(count: count / 2), try randomBytes(count: 4))
            peer.expect(try SHA256.hash(message.span), "hash", message)
            var hmac = try HMACSHA256(key: secret.span)
            peer.expect(try hmac.authenticationCode(for: message.span), "code", secret, message)
            let outputByteCount = UInt8(min(255, count + 1))
            let derived = try HKDFSHA256.derive(
                secret: secret.span, salt: salt.span, info: info.span, byteCount: Int(outputByteCount))
            peer.expect(contents(derived), "derive", secret, salt, info, [outputByteCount])
        }
        try await peer.check()
    }

    @Test("Blocks and sealed messages are the peer's, and each opens the other's")
    func ciphers() async throws {
        var peer = PythonPeer()
        for count in [0, 1, 15, 16, 17, 64, 81, 255, 1024, 5000] {
            let key = try randomBytes(count: AES256GCM.keyByteCount)
            let block = try randomBytes(count: AES256Block.blockByteCount)
            var cipher = try AES256Block(key: key.span, .encrypt)
            peer.expect(try cipher.transform(block.span), "encrypt-block", key, block)

            let plaintext = try randomBytes(count: count)
            let data = try randomBytes(count: count / 3)
            let nonceBytes = try randomBytes(count: AES256GCM.nonceByteCount)
            var nonce = AES256GCM.Nonce(repeating: 0)
            for index in nonce.indices { nonce[index] = nonceBytes[index] }
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
        let messages = try (0..<20).map { try randomBytes(count: $0 * 13) }
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
}
