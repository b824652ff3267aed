import Cryptography
import HybridProtocol
import Testing

/// Values that an authenticator derives from its root secret (HT-KEY-9 to HT-KEY-13).
@Suite("A root secret")
struct RootSecretTests {
    @Test("has 32 bytes", arguments: [0, 31, 32, 33])
    func length(count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        let code = refusal { _ = try RootSecret(SecretBytes(copying: bytes.span)) }
        #expect(code == (count == 32 ? nil : .wrongLength))
    }

    @Test("has the same bytes in a second owner")
    func clone() throws {
        let root = try LinkMaker.root()
        let second = root.clone()
        #expect(try publicKey(root.identityKey()) == publicKey(second.identityKey()))
        #expect(try publicKey(root.contactKey()) == publicKey(second.contactKey()))
    }

    @Test("always gives the same keys, and another one others")
    func keys() throws {
        let root = try LinkMaker.root()
        let other = try LinkMaker.root(0x5b)
        #expect(try publicKey(root.identityKey()) == publicKey(root.identityKey()))
        #expect(try publicKey(root.contactKey()) == publicKey(root.contactKey()))
        #expect(try publicKey(root.identityKey()) != publicKey(root.contactKey()))
        #expect(try publicKey(root.identityKey()) != publicKey(other.identityKey()))
        #expect(try publicKey(root.contactKey()) != publicKey(other.contactKey()))
    }

    @Test("gives an identity key that signs and agrees like any other")
    func identityKey() throws {
        let key = try LinkMaker.root().identityKey()
        let peer = try P256.PrivateKey.generate()
        let ours = try key.sharedSecret(with: peer.publicKey).contents
        let theirs = try peer.sharedSecret(with: key.publicKey).contents
        #expect(ours == theirs)
        let message: [UInt8] = [1, 2, 3]
        let signature = try key.sign(message.span)
        let publicKey = key.publicKey
        #expect(try publicKey.verify(signature: signature.span, of: message.span))
    }

    @Test("gives every contact and every link a secret of its own, so that neither opens the other's adverts")
    func linkSecrets() throws {
        let root = try LinkMaker.root()
        var adverts: Set<[UInt8]> = []
        let plaintext = try LinkedAdvertPlaintext(random: [UInt8](repeating: 7, count: 15))
        for (contact, link) in [(1, 1), (1, 2), (2, 1)] as [(UInt8, UInt8)] {
            let request = try ContactRequest(
                linkID: LinkID([0, 0, 0, 0, 0, 0, 0, link]), nonce: ClientNonce([UInt8](repeating: 9, count: 16)),
                hint: .getAssertion)
            let woken = try WokenSession(request, contactID: ContactID([contact]), root: root)
            var key = try woken.advertKey()
            adverts.insert(try key.seal(plaintext))
        }
        #expect(adverts.count == 3)
    }

    private func publicKey(_ key: consuming P256.PrivateKey) -> P256.PublicKey { key.publicKey }
}
