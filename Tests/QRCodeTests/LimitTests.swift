import Encodings
import QRCode
import Testing

@Suite("The limits of a symbol")
struct LimitTests {
    @Test(
        "are those of Table 7, one character more takes the next version",
        arguments: QRCode.ErrorCorrectionLevel.allCases)
    func digits(level: QRCode.ErrorCorrectionLevel) throws {
        for (index, count) in PublishedTables.digits(at: level).enumerated() {
            #expect(
                try QRCode(text: String(repeating: "7", count: count), level: level, mask: .pattern0).version == index
                    + 1)
            let oneMore = Result { () throws(QRCodeError) in
                try QRCode(text: String(repeating: "7", count: count + 1), level: level, mask: .pattern0).version
            }
            #expect(oneMore == (index + 1 == 40 ? .failure(QRCodeError(.tooLong, reason: "")) : .success(index + 2)))
        }
    }

    @Test(
        "of version 40 are the published ones",
        arguments: [
            (QRCode.ErrorCorrectionLevel.low, 7_089, 4_296, 2_953), (.medium, 5_596, 3_391, 2_331),
            (.quartile, 3_993, 2_420, 1_663), (.high, 3_057, 1_852, 1_273),
        ])
    func version40(level: QRCode.ErrorCorrectionLevel, digits: Int, alphanumerics: Int, bytes: Int) throws {
        for (character, count) in [("0", digits), ("A", alphanumerics), ("a", bytes)] {
            #expect(try QRCode(text: String(repeating: character, count: count), level: level).version == 40)
            #expect(throws: QRCodeError(.tooLong, reason: "")) {
                try QRCode(text: String(repeating: character, count: count + 1), level: level)
            }
        }
    }

    @Test("are told apart as errors with a code and a reason that does not quote the contents")
    func errors() {
        #expect(throws: QRCodeError(.empty, reason: "")) { try QRCode(text: "") }
        #expect(throws: QRCodeError(.empty, reason: "")) { try QRCode(bytes: [UInt8]().span) }
        for version in [Int.min, -1, 0, 41, Int.max] {
            #expect(throws: QRCodeError(.invalidVersion, reason: "")) { try QRCode(text: "A", minimumVersion: version) }
        }
        let secret = String(repeating: "secret", count: 1_000)
        #expect { try QRCode(text: secret) } throws: { error in
            let error = error as? QRCodeError
            return error?.code == .tooLong && error?.description.hasPrefix("too-long: ") == true
                && error?.description.contains("secret") == false
        }
    }

    @Test("refuse ten megabytes at once", .timeLimit(.minutes(1)))
    func tenMegabytes() {
        let contents = [UInt8](repeating: UInt8(ascii: "1"), count: 10_000_000)
        let text = String(decoding: contents, as: UTF8.self)
        let clock = ContinuousClock()
        let elapsed = clock.measure {
            for _ in 0..<1_000 {
                #expect(throws: QRCodeError(.tooLong, reason: "")) { try QRCode(bytes: contents.span) }
                #expect(throws: QRCodeError(.tooLong, reason: "")) { try QRCode(text: text) }
            }
        }
        // Two thousand refusals: reading ten megabytes even once in each would take far longer.
        #expect(elapsed < .seconds(5))
    }

    @Test("hold for contents that change mode with every character")
    func alternating() throws {
        for count in [2_000, 2_953, 7_089] {
            let contents = (0..<count).map { [UInt8(ascii: "1"), UInt8(ascii: "A"), UInt8(ascii: "a")][$0 % 3] }
            if count <= 2_953 {
                #expect(try QRCode(bytes: contents.span, level: .low).segments.map(\.mode) == [.byte])
            } else {
                #expect(throws: QRCodeError(.tooLong, reason: "")) { try QRCode(bytes: contents.span, level: .low) }
            }
        }
    }

    @Test("leave a higher level free where the version has room")
    func raisedLevel() throws {
        let code = try QRCode(text: "HELLO", level: .low, raisesLevel: true)
        #expect(code.version == 1 && code.level == .high)
        #expect(try SymbolReader(code).level == .high)
        #expect(try QRCode(text: "HELLO", level: .low).level == .low)
        let full = try QRCode(text: String(repeating: "7", count: 41), level: .low, raisesLevel: true)
        #expect(full.version == 1 && full.level == .low)
        let between = try QRCode(text: String(repeating: "7", count: 27), level: .low, raisesLevel: true)
        #expect(between.version == 1 && between.level == .quartile)
    }
}
