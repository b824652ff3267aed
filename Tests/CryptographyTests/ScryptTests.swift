import Cryptography
import TestPeers
import Testing

/// RFC 7914; the numbers are its section 12's.
@Suite struct ScryptTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let passphrase: String
        let salt: String
        let logN: Int
        let blockSize: Int
        let parallelization: Int
        let output: String

        var testDescription: String { "scrypt(\"\(passphrase)\", \"\(salt)\", 2^\(logN))" }
    }

    static let cases = [
        Case(
            passphrase: "", salt: "", logN: 4, blockSize: 1, parallelization: 1,
            output: """
                77d6576238657b203b19ca42c18a0497 f16b4844e3074ae8dfdffa3fede21442
                fcd0069ded0948f8326a753a0fc81f17 e8d3e0fb2e0d3628cf35e20c38d18906
                """),
        Case(
            passphrase: "password", salt: "NaCl", logN: 10, blockSize: 8, parallelization: 16,
            output: """
                fdbabe1c9d3472007856e7190d01e9fe 7c6ad7cbc8237830e77376634b373162
                2eaf30d92e22a3886ff109279d9830da c727afb94a83ee6d8360cbdfa2cc0640
                """),
        Case(
            passphrase: "pleaseletmein", salt: "SodiumChloride", logN: 14, blockSize: 8, parallelization: 1,
            output: """
                7023bdcb3afd7348461c06cd81fd38eb fda8fbba904f8e3ea9b543f6545da1f2
                d5432955613f0fcf62d49705242a9af9 e61e85dc0d651e40dfcf017b45575887
                """),
    ]

    @Test("The published output comes out", arguments: cases)
    func published(_ test: Case) throws {
        let cost = try #require(
            Scrypt.Cost(logN: test.logN, blockSize: test.blockSize, parallelization: test.parallelization))
        let (passphrase, salt) = (Array(test.passphrase.utf8), Array(test.salt.utf8))
        let expected = bytes(test.output)
        let key = try Scrypt.derive(
            passphrase: passphrase.span, salt: salt.span, cost: cost, byteCount: expected.count)
        #expect(contents(key) == expected)
    }

    @Test(
        "A cost out of bounds is none: the RFC's fourth vector with its 1 GiB, and what would overflow",
        arguments: [
            (20, 8, 1), (19, 9, 1), (19, 8, 2), (14, 64, 64), (0, 8, 1), (-1, 8, 1), (25, 1, 1), (63, 1, 1), (64, 8, 1),
            (14, 0, 1), (14, 8, 0), (14, -8, -1), (14, 65, 1), (14, .max, .max), (.max, 1, 1), (.min, 1, 1),
        ])
    func bounds(logN: Int, blockSize: Int, parallelization: Int) {
        #expect(Scrypt.Cost(logN: logN, blockSize: blockSize, parallelization: parallelization) == nil)
    }

    @Test("The greatest cost within the bounds takes 512 MiB, but for the blocks that are mixed")
    func greatest() throws {
        let cost = try #require(Scrypt.Cost(logN: 19, blockSize: 8, parallelization: 1))
        #expect(cost.byteCount - Scrypt.Cost.maximumByteCount == 3 * 8 * 128)
    }

    @Test("No bytes cannot be derived")
    func nothing() throws {
        let cost = try #require(Scrypt.Cost(logN: 4, blockSize: 1, parallelization: 1))
        let empty: [UInt8] = []
        #expect(
            refusal { () throws(CryptographyError) in
                try Scrypt.derive(passphrase: empty.span, salt: empty.span, cost: cost, byteCount: 0)
            } == .wrongLength)
    }

    @Test("A calibrated cost is the standard's, between 128 and 256 MiB")
    func calibration() throws {
        for (time, logN) in [(Duration.zero, 17), (.seconds(3_600), 18)] {
            let cost = try Scrypt.Cost.calibrated(to: time, on: ContinuousClock())
            #expect(cost == Scrypt.Cost(logN: logN, blockSize: 8, parallelization: 1))
        }
        // On this clock nothing takes any time.
        #expect(try Scrypt.Cost.calibrated(to: .zero, on: JumpingClock()).logN == 18)
    }
}
