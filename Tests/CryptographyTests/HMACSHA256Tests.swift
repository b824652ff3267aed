import Cryptography
import TestPeers
import Testing

/// RFC 2104; the numbers are RFC 4231's.
@Suite struct HMACSHA256Tests {
    struct Case: Sendable, CustomTestStringConvertible {
        let section: String
        let key: [UInt8]
        let message: [UInt8]
        /// Whole, or its first 16 bytes in section 4.6.
        let code: String

        var testDescription: String { "RFC 4231 section \(section)" }
    }

    static let cases = [
        Case(
            section: "4.2", key: .init(repeating: 0x0b, count: 20), message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Case(
            section: "4.3", key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Case(
            section: "4.4", key: .init(repeating: 0xaa, count: 20), message: .init(repeating: 0xdd, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Case(
            section: "4.5", key: Array(1...25), message: .init(repeating: 0xcd, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        Case(
            section: "4.6", key: .init(repeating: 0x0c, count: 20), message: Array("Test With Truncation".utf8),
            code: "a3b6167473100ee06e0c796c2955552b"),
        Case(
            section: "4.7", key: .init(repeating: 0xaa, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Case(
            section: "4.8", key: .init(repeating: 0xaa, count: 131),
            message: Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    ]

    @Test("The published codes come out", arguments: cases)
    func published(_ test: Case) throws {
        var hmac = HMACSHA256(key: test.key.span)
        let code = hmac.authenticationCode(for: test.message.span)
        #expect(hex(code).hasPrefix(test.code))
        #expect(code.count == HMACSHA256.byteCount)
        #expect(isValid(bytes(test.code), for: test.message, key: test.key))
    }

    @Test("One key serves many messages, in any order, and gives what a fresh one gives")
    func reuse() throws {
        let key = Self.cases[0].key
        var reused = HMACSHA256(key: key.span)
        for length in Array(0...130) + Array((0...130).reversed()) {
            let message = [UInt8](repeating: 0x5a, count: length)
            var fresh = HMACSHA256(key: key.span)
            let expected = fresh.authenticationCode(for: message.span)
            let code = reused.authenticationCode(for: message.span)
            #expect(code == expected, "\(length) bytes")
        }
    }

    @Test("A refused tag leaves the key as good as before")
    func refusedTagThenGood() throws {
        let (key, message) = (Self.cases[1].key, Self.cases[1].message)
        var hmac = HMACSHA256(key: key.span)
        let good = bytes(Self.cases[1].code)
        let bad = [UInt8](repeating: 0, count: good.count)
        let (isBadValid, isGoodValid) = (
            hmac.isValid(bad.span, for: message.span), hmac.isValid(good.span, for: message.span)
        )
        #expect(!isBadValid && isGoodValid)
    }

    @Test("Each beginning of the code is valid, from 1 to 32 bytes; nothing and more are not")
    func truncated() throws {
        let (key, message) = (Self.cases[1].key, Self.cases[1].message)
        let code = bytes(Self.cases[1].code)
        for count in 1...code.count {
            #expect(isValid(Array(code.prefix(count)), for: message, key: key), "\(count) bytes")
        }
        #expect(!isValid([], for: message, key: key))
        #expect(!isValid(code + [0], for: message, key: key))
        #expect(!isValid(Array(code.dropFirst()), for: message, key: key))
    }

    @Test("Every flipped bit of a tag, whole or of four bytes, is refused", arguments: [4, 32])
    func bitFlips(byteCount: Int) throws {
        let (key, message) = (Self.cases[1].key, Self.cases[1].message)
        for tag in singleBitFlips(Array(bytes(Self.cases[1].code).prefix(byteCount))) {
            #expect(!isValid(tag, for: message, key: key))
        }
    }

    @Test("An empty key and an empty message have a code")
    func empty() throws {
        var hmac = HMACSHA256(key: Span())
        let code = hmac.authenticationCode(for: Span())
        // Both paddings of an empty key hash to the result of `openssl dgst -sha256 -hmac ""`.
        #expect(hex(code) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    private func isValid(_ tag: [UInt8], for message: [UInt8], key: [UInt8]) -> Bool {
        var hmac = HMACSHA256(key: key.span)
        return hmac.isValid(tag.span, for: message.span)
    }
}
