import CTAP
import Cryptography
import PasskeyAuthenticator
import TestPeers
import Testing

/// Private keys in PKCS #8, which all formats carry.
@Suite struct PKCS8Tests {
    private static func refusal(_ der: [UInt8]) -> CryptographyError.Code? {
        do throws(CryptographyError) {
            _ = try CredentialKey(pkcs8: der.span)
            return nil
        } catch {
            return error.code
        }
    }

    private static func der(_ algorithm: COSEAlgorithm) throws -> (key: CredentialKey, bytes: [UInt8]) {
        let key = try CredentialKey(algorithm)
        return (key, try key.pkcs8().array())
    }

    @Test("A key is read as it was written", arguments: CredentialKey.algorithms)
    func roundTrip(_ algorithm: COSEAlgorithm) throws {
        let (key, bytes) = try Self.der(algorithm)
        let read = try CredentialKey(pkcs8: bytes.span)
        #expect(read.algorithm == algorithm && read.publicKey == key.publicKey)
    }

    @Test("Ed25519 with its public half behind it is read, with another one it is not (RFC 8410 section 10.3)")
    func withPublicHalf() throws {
        // RFC 8032 section 7.1, test 1.
        let seed = bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
        let half = bytes("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
        let front = bytes("3051 020101 3005 0603 2b6570 0422 0420")
        let whole = front + seed + [0x81, 0x21, 0x00] + half
        #expect(try CredentialKey(pkcs8: whole.span).publicKey.ed25519 == half)
        #expect(Self.refusal(front + seed + [0x81, 0x21, 0x00] + half.reversed()) == .invalidKey)
        #expect(Self.refusal(front + seed + [0x81, 0x21, 0x01] + half) == .invalidKey)
        let withAttributes = bytes("3032 020100 3005 0603 2b6570 0422 0420") + seed + [0xA0, 0x02, 0x31, 0x00]
        #expect(Self.refusal(withAttributes) == nil)
    }

    @Test("A P-256 key with another's public half is damaged")
    func otherHalf() throws {
        let (_, first) = try Self.der(.es256)
        let (_, second) = try Self.der(.es256)
        #expect(Self.refusal(Array(first.prefix(73) + second.dropFirst(73))) == .invalidKey)
    }

    @Test("No beginning of a key, and none with a byte more, is a key", arguments: CredentialKey.algorithms)
    func cut(_ algorithm: COSEAlgorithm) throws {
        let (_, bytes) = try Self.der(algorithm)
        for count in 0..<bytes.count { #expect(Self.refusal(Array(bytes.prefix(count))) == .invalidKey) }
        #expect(Self.refusal(bytes + [0]) == .invalidKey)
    }

    @Test("An RSA key of which any number was changed is not a key, or has the same halves")
    func damagedRSA() throws {
        let (key, bytes) = try Self.der(.rs256)
        for index in stride(from: 30, to: bytes.count, by: 13) {
            var changed = bytes
            changed[index] ^= 0x10
            // Some numbers only speed up signing: libcrypto sees that they are wrong, and does without them.
            guard let read = try? CredentialKey(pkcs8: changed.span) else { continue }
            #expect(read.publicKey == key.publicKey)
        }
    }

    @Test("Keys of other algorithms are told from damaged ones")
    func otherAlgorithms() {
        // secp384r1 and X25519, with nothing in them.
        #expect(
            Self.refusal(bytes("3019 020100 3010 0607 2a8648ce3d0201 0605 2b81040022 0402 3000"))
                == .unsupportedAlgorithm)
        #expect(Self.refusal(bytes("300e 020100 3005 0603 2b656e 0402 0400")) == .unsupportedAlgorithm)
        #expect(Self.refusal(bytes("300e 020102 3005 0603 2b656e 0402 0400")) == .invalidKey)
    }
}
