import Encodings
import QRCode
import Testing

@Suite("A symbol")
struct SymbolTests {
    /// All versions, with contents that fill them for different parts.
    static let versions = Array(1...40)

    @Test("says its contents in every version, level and mask", arguments: versions)
    func everyVersionLevelAndMask(version: Int) throws {
        for level in QRCode.ErrorCorrectionLevel.allCases {
            for mask in QRCode.Mask.allCases {
                let text = String(("\(version)\(level.letter)\(mask.rawValue) says Äpfel 0123456789 FIDO:/").prefix(7))
                let code = try QRCode(text: text, level: level, minimumVersion: version, mask: mask)
                let read = try SymbolReader(code)
                #expect(read.version == version && code.version == version && code.size == 17 + 4 * version)
                #expect(read.level == level && code.level == level)
                #expect(read.mask == mask.rawValue && code.mask == mask)
                #expect(read.contents == Array(text.utf8))
            }
        }
    }

    @Test("filled to the last bit says its contents", arguments: QRCode.ErrorCorrectionLevel.allCases)
    func full(level: QRCode.ErrorCorrectionLevel) throws {
        for (index, count) in PublishedTables.digits(at: level).enumerated() {
            let text = String((0..<count).map { Character(String($0 % 10)) })
            let code = try QRCode(text: text, level: level)
            #expect(code.version == index + 1)
            #expect(try SymbolReader(code).contents == Array(text.utf8))
        }
    }

    @Test("of all 256 byte values says them as they are")
    func allBytes() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(try SymbolReader(QRCode(bytes: bytes.span)).contents == bytes)
    }

    @Test("of every pair of alphanumeric characters says them, in that mode")
    func alphanumericPairs() throws {
        let characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")
        for first in characters {
            // 45 pairs of 11 bits, and 13 of header, are 508 bits; 90 bytes would be more than version 4-L has, 640.
            let text = characters.map { "\(first)\($0)" }.joined()
            let code = try QRCode(text: text, level: .low)
            #expect(try SymbolReader(code).contents == Array(text.utf8))
            #expect(code.version <= 4)
        }
    }

    @Test("of random bytes, in any level and from any version on, says them as they are", arguments: 0..<60)
    func randomBytes(_: Int) throws {
        let bytes = (0..<Int.random(in: 1...400)).map { _ in UInt8.random(in: UInt8.min...UInt8.max) }
        let level = QRCode.ErrorCorrectionLevel.allCases.randomElement() ?? .low
        let minimumVersion = Int.random(in: 1...25)
        let code = try QRCode(bytes: bytes.span, level: level, minimumVersion: minimumVersion)
        #expect(code.version >= minimumVersion)
        #expect(try SymbolReader(code).contents == bytes)
    }

    @Test("of a text says it as UTF-8")
    func unicode() throws {
        let text = "Schlüssel 鍵 🔑 e\u{301}"
        #expect(try SymbolReader(QRCode(text: text)).contents == Array(text.utf8))
    }

    @Test("that declares UTF-8 takes twelve bits more")
    func declaredUTF8() throws {
        // Version 1-L holds 152 bits: 17 bytes with their header of 12 bits fill 148.
        let text = "ä" + String(repeating: "x", count: 15)
        #expect(try QRCode(text: text, level: .low).version == 1)
        let declared = try QRCode(text: text, level: .low, declaresUTF8: true)
        #expect(declared.version == 2)
        #expect(try SymbolReader(declared).contents == Array(text.utf8))
        let longest = String(repeating: "x", count: 2_953 - 1)
        #expect(try QRCode(text: longest, level: .low, declaresUTF8: true).version == 40)
        #expect(throws: QRCodeError(.tooLong, reason: "")) {
            try QRCode(text: longest + "x", level: .low, declaresUTF8: true)
        }
    }

    @Test("is light outside its edges")
    func outside() throws {
        let code = try QRCode(text: "A")
        for place in [-1, code.size, Int.min, Int.max] {
            #expect(!code[place, 0] && !code[0, place] && !code[place, place])
        }
        #expect(code[0, 0])
    }

    @Test("gives its matrix as rows from the top")
    func matrix() throws {
        let code = try QRCode(text: "A", minimumVersion: 20)
        let modules = code.modules
        #expect(modules.count == code.size)
        for y in 0..<code.size { #expect(modules[y] == (0..<code.size).map { code[$0, y] }) }
    }

    @Test("equals one of the same contents and options, and no other")
    func equality() throws {
        let code = try QRCode(text: "FIDO:/1")
        #expect(try code == QRCode(text: "FIDO:/1"))
        #expect(try code != QRCode(text: "FIDO:/2"))
        #expect(try code != QRCode(text: "FIDO:/1", level: .low))
    }

    @Test("describes itself without its contents")
    func description() throws {
        let code = try QRCode(text: "FIDO:/12345", level: .quartile, minimumVersion: 3, mask: .pattern6)
        #expect(code.description == "QR code 3-Q, mask 6")
        #expect("\(code)" == code.description)
    }
}
