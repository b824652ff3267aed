import Cryptography
import TestPeers
import Testing

/// RFC 5869; the numbers are its appendix A's, those with SHA-256.
@Suite struct HKDFSHA256Tests {
    struct Case: Sendable, CustomTestStringConvertible {
        let section: String
        let secret: [UInt8]
        let salt: [UInt8]
        let info: [UInt8]
        let output: String

        var testDescription: String { "RFC 5869 appendix \(section)" }
    }

    static let cases = [
        Case(
            section: "A.1", secret: .init(repeating: 0x0b, count: 22), salt: Array(0...0x0c), info: Array(0xf0...0xf9),
            output: """
                3cb25f25faacd57a90434f64d0362f2a 2d2d0a90cf1a5a4c5db02d56ecc4c5bf 34007208d5b887185865
                """),
        Case(
            section: "A.2", secret: Array(0...0x4f), salt: Array(0x60...0xaf), info: Array(0xb0...0xff),
            output: """
                b11e398dc80327a1c8e7f78c596a4934 4f012eda2d4efad8a050cc4c19afa97c 59045a99cac7827271cb41c65e590e09
                da3275600c2f09b8367793a9aca3db71 cc30c58179ec3e87c14c01d5c1f3434f 1d87
                """),
        Case(
            section: "A.3, neither salt nor info", secret: .init(repeating: 0x0b, count: 22), salt: [], info: [],
            output: """
                8da4e775a563c18f715f802a063c5a31 b8a11f5c5ee1879ec3454e5f3c738d2d 9d201395faa4b61a96c8
                """),
    ]

    @Test("The published output comes out", arguments: cases)
    func published(_ test: Case) throws {
        let expected = bytes(test.output)
        #expect(derive(test, byteCount: expected.count) == expected)
    }

    @Test("A shorter output is the beginning of a longer one", arguments: cases)
    func prefixes(_ test: Case) throws {
        let long = derive(test, byteCount: 100)
        for byteCount in 1..<long.count {
            #expect(derive(test, byteCount: byteCount) == Array(long.prefix(byteCount)))
        }
    }

    @Test("An empty salt is 32 zero bytes")
    func emptySalt() throws {
        let zeros = [UInt8](repeating: 0, count: SHA256.byteCount)
        #expect(derive(secret: [1, 2, 3], salt: []) == derive(secret: [1, 2, 3], salt: zeros))
    }

    @Test("An empty secret, as Noise's Split has it, derives what the definition says")
    func emptySecret() throws {
        let salt = [UInt8](repeating: 0x77, count: SHA256.byteCount)
        var extract = HMACSHA256(key: salt.span)
        let pseudorandomKey = extract.authenticationCode(for: Span())
        var expand = HMACSHA256(key: pseudorandomKey.span)
        let firstBlock: [UInt8] = [1]
        let expanded = expand.authenticationCode(for: firstBlock.span)
        #expect(derive(secret: [], salt: salt) == expanded)
    }

    @Test("Secret, salt and info may be spans of nothing, which have no address")
    func noAddress() throws {
        let nothing: [UInt8] = []
        let expected = derive(secret: nothing, salt: nothing)
        let derived = HKDFSHA256.derive(secret: Span(), salt: Span(), info: Span(), byteCount: SHA256.byteCount)
        #expect(contents(derived) == expected)
    }

    @Test("1 to 8160 bytes can be derived")
    func longest() throws {
        #expect(derive(Self.cases[0], byteCount: HKDFSHA256.maximumByteCount).count == 255 * 32)
        #expect(derive(Self.cases[0], byteCount: 1).count == 1)
    }

    @Test("Any other number is a mistake of the program, and ends it")
    func lengths() async {
        await #expect(processExitsWith: .failure) {
            _ = HKDFSHA256.derive(secret: Span(), salt: Span(), info: Span(), byteCount: 0)
        }
        await #expect(processExitsWith: .failure) {
            _ = HKDFSHA256.derive(secret: Span(), salt: Span(), info: Span(), byteCount: 8161)
        }
    }

    private func derive(_ test: Case, byteCount: Int) -> [UInt8] {
        contents(
            HKDFSHA256.derive(
                secret: test.secret.span, salt: test.salt.span, info: test.info.span, byteCount: byteCount))
    }

    private func derive(secret: [UInt8], salt: [UInt8]) -> [UInt8] {
        contents(
            HKDFSHA256.derive(secret: secret.span, salt: salt.span, info: Span(), byteCount: SHA256.byteCount))
    }
}
