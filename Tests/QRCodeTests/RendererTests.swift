import Encodings
import Foundation
import QRCode
import Testing

@Suite("A picture of a symbol")
struct RendererTests {
    static let code = Result { () throws(QRCodeError) in try QRCode(text: "HELLO", level: .low, mask: .pattern2) }

    /// The symbol as libqrencode draws it.
    static let drawing = """
        █▀▀▀▀▀█ ▄▀ ▄▀ █▀▀▀▀▀█
        █ ███ █ ▄▀ ▄  █ ███ █
        █ ▀▀▀ █ ▄▄█▀█ █ ▀▀▀ █
        ▀▀▀▀▀▀▀ ▀ █▄█ ▀▀▀▀▀▀▀
        █▀█▀▀▄▀▀▀▀  █▀ █ █▄█▄
         ▄▄▄▄▄▀▄▀▀█▀ ▀ ▄█▀  ▀
         ▀▀  ▀▀ ██▀█▄█▄ ▀▄▀▄▄
        █▀▀▀▀▀█ ▀▄█▄█▄█▀ ▄▀ █
        █ ███ █ █ ▄ █  █  █
        █ ▀▀▀ █ █ ▄▀ ▀ ▄█ █ ▄
        ▀▀▀▀▀▀▀ ▀  ▀ ▀  ▀ ▀
        """

    @Test("in characters is half blocks within a quiet zone of four modules")
    func plain() throws {
        let lines = try Self.code.get().terminal(.plainOnLight).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 15 + 1 && lines.last == "")
        #expect(lines.dropLast().allSatisfy { $0.count == 29 })
        let blank = String(repeating: " ", count: 29)
        #expect(lines[0..<2].allSatisfy { $0 == blank } && lines[13..<15].allSatisfy { $0 == blank })
        #expect(lines[2..<13].map { trimmed($0) } == Self.drawing.split(separator: "\n").map { trimmed($0) })
    }

    /// A line without the spaces on its right, and without the quiet zone if it has one.
    private func trimmed(_ line: Substring) -> String {
        var line = line.hasPrefix("    ") && line.count == 29 ? line.dropFirst(4) : line
        while line.last == " " { line.removeLast() }
        return String(line)
    }

    @Test("for a dark terminal has the light modules as characters")
    func inverted() throws {
        let opposite: [Character: Character] = [" ": "█", "█": " ", "▀": "▄", "▄": "▀"]
        let onLight = try Self.code.get().terminal(.plainOnLight)
        let onDark = try Self.code.get().terminal(.plainOnDark)
        #expect(onDark == String(onLight.map { opposite[$0] ?? $0 }))
    }

    @Test("in colours sets both on each line, resets them before it ends, and in between shows the same modules")
    func coloured() throws {
        let plain = try Self.code.get().terminal(.plainOnLight).split(separator: "\n")
        let coloured = try Self.code.get().terminal().split(separator: "\n")
        #expect(coloured.count == plain.count)
        for (coloured, plain) in zip(coloured, plain) {
            let (start, end) = ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[0m")
            #expect(coloured.hasPrefix(start) && coloured.hasSuffix(end))
            // In reverse, the paper is dark: a space is a full block, a lower half block is an upper one.
            let parts = coloured.dropFirst(start.count).dropLast(end.count).split(
                separator: "\u{1B}[7m", omittingEmptySubsequences: false)
            let shown = parts.enumerated().map { index, part in
                guard index > 0, let end = part.range(of: "\u{1B}[27m") else { return String(part) }
                let opposite: [Character: Character] = [" ": "█", "▄": "▀"]
                return String(part[..<end.lowerBound].map { opposite[$0] ?? "?" }) + part[end.upperBound...]
            }
            #expect(shown.joined() == plain)
        }
    }

    @Test("as SVG is one path on white, a rectangle for each run of dark modules")
    func svg() throws {
        let code = try Self.code.get()
        let document = code.svg(title: "a < b & c\u{0}")
        #expect(
            document.hasPrefix(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <svg xmlns="http://www.w3.org/2000/svg" version="1.1" role="img" width="232" height="232" \
                viewBox="0 0 29 29" shape-rendering="crispEdges">
                <title>a &lt; b &amp; c\u{FFFD}</title>
                <rect width="29" height="29" fill="#fff"/>
                <path d="M4 4h7v1H4zM13 4h1v1H13zM16 4h1v1H16zM18 4h7v1H18zM4 5h1v1H4z
                """))
        #expect(document.hasSuffix("\" fill=\"#000\"/>\n</svg>\n"))
        #expect(document.split(separator: "<path").count == 2)
        #expect(document.split(separator: "M").count - 1 == darkRuns(of: code))
    }

    private func darkRuns(of code: QRCode) -> Int {
        code.modules.map { row in row.indices.count { row[$0] && ($0 == 0 || !row[$0 - 1]) } }.reduce(0, +)
    }

    @Test("as PNG has the size asked for, and refuses scales that it does not draw")
    func png() throws {
        let code = try Self.code.get()
        for scale in [1, 3, 64] {
            let file = try code.png(scale: scale)
            #expect(Array(file.prefix(16)) == [137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82])
            let side = UInt32(29 * scale)
            let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) }
            #expect(Array(file[16..<29]) == bytes + bytes + [1, 0, 0, 0, 0])
        }
        for scale in [Int.min, -1, 0, 65, Int.max] {
            #expect(throws: QRCodeError(.invalidScale, reason: "")) { try code.png(scale: scale) }
        }
    }
}
