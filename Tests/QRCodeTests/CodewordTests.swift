import TestPeers
import Testing

@testable import QRCode

@Suite("Codewords")
struct CodewordTests {
    @Test("of 01234567 in version 1-M are those of the standard's worked example (Annex I)")
    func workedExample() {
        let contents = Array("01234567".utf8)
        let segments = [QRCode.Segment(mode: .numeric, bytes: 0..<8)]
        let data = dataCodewords(of: contents.span, segments: segments, count: 16, in: .small)
        #expect(hex(data) == "10200c566180ec11ec11ec11ec11ec11")
        let message = finalMessage(data: data, in: ErrorCorrectionBlocks(of: Version(number: 1), at: .medium))
        #expect(hex(message) == hex(data) + "a524d4c1ed36c7872c55")
    }

    @Test(
        "are corrected with the generator polynomials of Annex A",
        arguments: [
            7: [87, 229, 146, 149, 238, 102, 21],
            10: [251, 67, 46, 61, 118, 70, 64, 94, 32, 45],
            13: [74, 152, 176, 100, 86, 100, 106, 104, 130, 218, 206, 140, 78],
            17: [43, 139, 206, 78, 43, 239, 123, 206, 214, 147, 24, 99, 150, 39, 243, 163, 136],
            30: [
                41, 173, 145, 152, 216, 31, 179, 182, 50, 48, 110, 86, 239, 96, 222, 125, 42, 173, 226, 193, 224, 130,
                156, 37, 251, 216, 238, 40, 192, 180,
            ],
        ])
    func generatorPolynomials(degree: Int, exponents: [Int]) {
        let powers = sequence(first: Coefficients(1 << 56, 0, 0, 0)) { $0.timesAlpha }
        let exponentials = Array(powers.prefix(255).map(\.leading))
        let coefficients = (0..<degree).map { generators[degree][coefficient: $0] }
        #expect(coefficients == exponents.map { exponentials[$0] })
    }

    @Test("in blocks are interleaved, the longer blocks' last ones at the end")
    func interleaving() {
        // Version 5-Q: two blocks of 15 data codewords and two of 16, 18 corrections each (7.6, Table 15).
        let blocks = ErrorCorrectionBlocks(of: Version(number: 5), at: .quartile)
        #expect(blocks.shortBlockCount == 2 && blocks.shortBlockDataCount == 15 && blocks.blockCount == 4)
        let data = (0..<62).map { UInt8($0) }
        let message = finalMessage(data: data, in: blocks)
        #expect(Array(message.prefix(8)) == [0, 15, 30, 46, 1, 16, 31, 47])
        #expect(Array(message[56..<62]) == [14, 29, 44, 60, 45, 61])
        #expect(message.count == 134)
    }

    @Test("of a symbol are as many as Table 1 says")
    func counts() {
        let published = [
            1: 26, 2: 44, 5: 134, 6: 172, 7: 196, 13: 532, 14: 581, 21: 1_156, 28: 1_921, 35: 2_876, 40: 3_706,
        ]
        for (number, count) in published { #expect(Version(number: number).codewordCount == count) }
    }

    @Test("end with a terminator as long as there is room for")
    func terminators() {
        // Version 1-H holds 72 bits: 17 digits take 71, 16 take 68, so that three and four zeros would fit.
        for (count, last) in [(17, UInt8(0)), (16, UInt8(0))] {
            let contents = [UInt8](repeating: UInt8(ascii: "0"), count: count)
            let data = dataCodewords(
                of: contents.span, segments: [QRCode.Segment(mode: .numeric, bytes: 0..<count)], count: 9, in: .small)
            #expect(data.count == 9 && data.last == last)
        }
    }
}

@Suite("Format and version information")
struct InformationTests {
    @Test("are the words of Annexes C and D")
    func words() {
        for level in QRCode.ErrorCorrectionLevel.allCases {
            for mask in QRCode.Mask.allCases {
                let word = Int(FormatInformation(level: level, mask: mask).bits)
                #expect(word == PublishedTables.formatWords[Int(level.rawValue) << 3 | Int(mask.rawValue)])
            }
        }
        for (index, word) in PublishedTables.versionWords.enumerated() {
            #expect(Int(VersionInformation(Version(number: index + 7)).bits) == word)
        }
    }

    @Test("place the alignment patterns as Annex E does")
    func alignment() {
        for (index, line) in PublishedTables.alignmentLines.enumerated() {
            #expect(Version(number: index + 1).alignmentCentres == line)
        }
    }
}
