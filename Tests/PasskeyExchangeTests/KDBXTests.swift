import CTAP
import Cryptography
import Encodings
import PasskeyAuthenticator
import TestPeers
import Testing

@testable import PasskeyExchange

/// KDBX 4, and the XML in it. Files of pykeepass's are read in ``PeerTests``.
@Suite struct KDBXTests {
    private static func code(_ bytes: [UInt8], _ passphrase: String = "open sesame") -> PasskeyFormatError.Code? {
        let text = Array(passphrase.utf8)
        do throws(PasskeyFormatError) {
            _ = try KDBX.read(bytes.span, passphrase: SecretBytes(copying: text.span)) { _ in }
            return nil
        } catch {
            return error.code
        }
    }

    @Test("Another passphrase, a flipped byte and a missing one are told apart")
    func damaged() throws {
        let file = try FormatTestContext.write(.kdbx, [FormatTestContext.credential()]).bytes
        #expect(Self.code(file) == nil)
        #expect(Self.code(file, "open sesami") == .wrongPassphrase)
        for index in stride(from: 0, to: file.count, by: 211) {
            var changed = file
            changed[index] ^= 1
            #expect(Self.code(changed) != nil, "byte \(index)")
        }
        #expect(Self.code(Array(file.dropLast())) == .malformed)
        #expect(Self.code(file + [0]) == .malformed)
        #expect(Self.code(Array(file.prefix(100))) == .malformed)
    }

    @Test("Versions, ciphers and costs that are not taken are told")
    func refused() throws {
        let file = try FormatTestContext.write(.kdbx, [FormatTestContext.credential()]).bytes
        var version = file
        version[10] = 3
        #expect(Self.code(version) == .unsupported)
        var cipher = file
        // Behind the signature, the version, the field's ID and its length.
        cipher[17] ^= 1
        #expect(Self.code(cipher) == .unsupported)
        var costly = file
        let memory = try #require(file.indices.first { file.dropFirst($0).starts(with: [0x05, 1, 0, 0, 0, 0x4D]) })
        costly[memory + 10 + 5] = 1
        #expect(Self.code(costly) == .costly)
    }

    @Test("Rounds of AES-KDF are bounded, and Argon2 with a key or with data of a program's is not known")
    func derivations() throws {
        func dictionary(_ fields: [(kind: UInt8, name: String, value: [UInt8])]) -> [UInt8] {
            func counted(_ bytes: [UInt8]) -> [UInt8] {
                [UInt8(bytes.count), 0, 0, 0] + bytes
            }
            var dictionary: [UInt8] = [0, 1]
            for (kind, name, value) in fields {
                dictionary.append(kind)
                dictionary += counted(Array(name.utf8))
                dictionary += counted(value)
            }
            return dictionary + [0]
        }
        func code(_ bytes: [UInt8]) -> PasskeyFormatError.Code? {
            do throws(PasskeyFormatError) {
                _ = try KDBXDerivation(bytes)
                return nil
            } catch {
                return error.code
            }
        }
        func aes(_ rounds: UInt64) -> [UInt8] {
            dictionary([
                (0x42, "$UUID", bytes("c9d9f39a628a4460bf740d08c18a4fea")),
                (0x05, "R", (0..<8).map { UInt8(truncatingIfNeeded: rounds >> (8 * $0)) }),
                (0x42, "S", [UInt8](repeating: 1, count: 32)),
            ])
        }
        #expect(code(aes(1 << 30)) == nil)
        #expect(code(aes(1 << 30 + 1)) == .costly && code(aes(.max)) == .costly)
        let argon2: [(kind: UInt8, name: String, value: [UInt8])] = [
            (0x42, "$UUID", bytes("9e298b1956db4773b23dfc3ec6f0a1e6")), (0x42, "S", [UInt8](repeating: 1, count: 32)),
            (0x05, "M", [0, 0, 16, 0, 0, 0, 0, 0]), (0x05, "I", [2, 0, 0, 0, 0, 0, 0, 0]), (0x04, "P", [1, 0, 0, 0]),
            (0x04, "V", [0x13, 0, 0, 0]),
        ]
        #expect(code(dictionary(argon2)) == nil)
        for name in ["K", "A"] {
            #expect(code(dictionary(argon2 + [(0x42, name, [1])])) == .malformed)
        }
    }

    @Test("The cost of a key is known before it is derived")
    func cost() throws {
        let file = try FormatTestContext.write(.kdbx, [FormatTestContext.credential()]).bytes
        let cost = try KDBX.cost(of: file.span)
        // 64 MiB, eight times.
        #expect(cost.byteCount == 1 << 26 && cost.time > .milliseconds(10) && cost.time < .seconds(60))
        let short = Array(file.prefix(20))
        #expect(throws: PasskeyFormatError(.malformed, reason: "")) { try KDBX.cost(of: short.span) }
    }

    @Test("AES-KDF encrypts both halves so many times, and hashes them", arguments: [(0, 0), (1, 1), (3, 1000)])
    func transformation(_ byte: UInt8, _ rounds: UInt64) throws {
        let key = [UInt8](repeating: byte, count: 32)
        let seed = [UInt8](repeating: 5, count: 32)
        var block = key
        for _ in 0..<rounds {
            var cipher = try AES256Block(key: seed.span, .encrypt)
            let halves = (Array(block[..<16]), Array(block[16...]))
            block = try cipher.transform(halves.0.span) + cipher.transform(halves.1.span)
        }
        let derived = try AESKeyTransformation.derive(key.span, seed: seed.span, rounds: rounds)
        #expect(derived.array() == SHA256.hash(block.span))
    }

    @Test("ChaCha20 gives what RFC 8439 section 2.4.2 has")
    func chaCha20() throws {
        let key = [UInt8](0..<32)
        let nonce = bytes("000000000000004a00000000")
        var stream = try ChaCha20(key: key.span, nonce: nonce.span)
        // There it begins with block 1.
        var text = [UInt8](repeating: 0, count: 64) + Array("Ladies and Gentlemen".utf8)
        try stream.apply(to: &text)
        #expect(hex(text.dropFirst(64)) == "6e2e359a2568f98041ba0728dd0d6981e97e7aec")
    }

    @Test("Argon2id gives what RFC 9106's reference does", .enabled(if: Argon2.isAvailable, "there is no libargon2"))
    func argon2() throws {
        let (secret, salt) = (Array("password".utf8), Array("somesalt".utf8))
        let cost = Argon2.Cost(memory: 1 << 16, passes: 2, lanes: 1)
        let derived = try Argon2.derive(.id, secret: secret.span, salt: salt.span, cost: cost, byteCount: 32)
        // Of the reference's own tests (test.c).
        #expect(hex(derived.array()) == "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7")
    }

    @Test("Passkeys in a history or in the recycle bin are passed over, and a second secret is told")
    func write() throws {
        let secret = [UInt8](repeating: 1, count: 32)
        let prf = try PRFSecret(copying: secret.span, withoutVerification: secret.span)
        let export = try FormatTestContext.write(.keepassXML, [FormatTestContext.credential(prf: prf)])
        #expect(export.records.map(\.losses) == [[.prfWithoutVerification, .names]])
        let text = String(decoding: export.bytes, as: UTF8.self)
        #expect(try FormatTestContext.read(.keepassXML, export.bytes).first?.prf?.bytes().array() == secret)
        let inHistory = text.replacing("<Entry>", with: "<Entry><History><Entry>", maxReplacements: 1)
            .replacing("</Entry>", with: "</Entry></History></Entry>", maxReplacements: 1)
        #expect(try FormatTestContext.read(.keepassXML, inHistory.utf8).isEmpty)
        let group = try #require(text.firstMatch(of: /<Group><UUID>(.*?)<\/UUID>/)).1
        let recycled = text.replacing("<Meta>", with: "<Meta><RecycleBinUUID>\(group)</RecycleBinUUID>")
        #expect(try FormatTestContext.read(.keepassXML, recycled.utf8).isEmpty)
    }

    @Test(
        "XML that could grow, lead elsewhere or does not end is refused",
        arguments: [
            "<!DOCTYPE a [<!ENTITY b \"c\">]><KeePassFile/>", "<KeePassFile>&b;</KeePassFile>", "<KeePassFile>",
            "<KeePassFile></Other>", "<KeePassFile/><KeePassFile/>", "<Other/>", "", "x", "<KeePassFile a=b/>",
            "<KeePassFile a=\"1\" a=\"2\"/>", "<KeePassFile><![CDATA[x]]></KeePassFile>",
            "<KeePassFile>&#0;</KeePassFile>",
            "<KeePassFile>&#xD800;</KeePassFile>", "<!-- <KeePassFile/>",
            String(repeating: "<KeePassFile>", count: 65) + String(repeating: "</KeePassFile>", count: 65),
        ])
    func hostileXML(_ text: String) {
        #expect(throws: PasskeyFormatError(.malformed, reason: "")) {
            try FormatTestContext.read(.keepassXML, text.utf8)
        }
    }

    @Test("References, comments and empty elements are read as they are meant")
    func xml() throws {
        var reader = XMLReader(Array("<?xml version='1.0'?><a b='&lt;'><!-- c --><d/>&#65;&#x42;&amp;</a>\n".utf8)[...])
        var events: [String] = []
        while let event = try reader.next() {
            switch event {
            case .start(let name, let attributes): events.append("\(name)\(attributes.values.joined())")
            case .text(let text): events.append(text)
            case .end(let name): events.append("/\(name)")
            }
        }
        #expect(events == ["a<", "d", "/d", "AB&", "/a"])
    }
}
