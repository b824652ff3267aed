import Foundation
import QRCode
import TestPeers
import Testing

@Suite("A symbol in a terminal")
struct TerminalPeerTests {
    /// A terminal as it looks: two grey values a character, one above the other.
    struct Screen {
        let background: UInt8
        let foreground: UInt8
        private(set) var rows: [[UInt8]] = []

        init(background: UInt8, foreground: UInt8) {
            self.background = background
            self.foreground = foreground
        }

        /// Writes lines, obeying the colours of the 256-colour cube that stand for black and white, and reverse.
        mutating func write(_ text: String, columnCount: Int) {
            for line in text.split(separator: "\n") {
                var (paper, ink) = (background, foreground)
                var (upper, lower): ([UInt8], [UInt8]) = ([], [])
                var rest = line
                while let character = rest.popFirst() {
                    if character == "\u{1B}" {
                        let sequence = rest.prefix { $0 != "m" }
                        rest = rest.dropFirst(sequence.count + 1)
                        switch sequence {
                        case "[0": (paper, ink) = (background, foreground)
                        case "[38;5;16;48;5;231": (paper, ink) = (0xFF, 0x00)
                        default: (paper, ink) = (ink, paper)
                        }
                        continue
                    }
                    upper.append("█▀".contains(character) ? ink : paper)
                    lower.append("█▄".contains(character) ? ink : paper)
                }
                let margin = [UInt8](repeating: background, count: columnCount - upper.count)
                rows += [upper + margin, lower + margin]
            }
        }

        /// The screen as a portable grey map with margins in its own background, `scale` pixels a half character.
        func picture(scale: Int) -> Data {
            let margin = 8
            let width = (rows.first?.count ?? 0) + 2 * margin
            let empty = [UInt8](repeating: background, count: width)
            let side = [UInt8](repeating: background, count: margin)
            let framed =
                Array(repeating: empty, count: margin) + rows.map { side + $0 + side }
                + Array(repeating: empty, count: margin)
            var picture = Data("P5 \(width * scale) \(framed.count * scale) 255\n".utf8)
            for row in framed {
                let line = row.flatMap { [UInt8](repeating: $0, count: scale) }
                for _ in 0..<scale { picture.append(contentsOf: line) }
            }
            return picture
        }
    }

    @Test(
        "is read off a dark and off a light one: zbarimg",
        .enabled(if: PeerTests.isInstalled("zbarimg"), "needs zbarimg (Debian: zbar-tools)"),
        arguments: [
            (QRCode.TerminalStyle.coloured, 4, true), (.coloured, 4, false), (.coloured, 2, true), (.coloured, 1, true),
            (.coloured, 1, false), (.colouredSpaces, 2, true), (.plainOnDark, 4, true), (.plainOnLight, 4, false),
        ])
    func scans(style: QRCode.TerminalStyle, quietZone: Int, isDark: Bool) async throws {
        for text in InvitationTests.urls {
            let code = try QRCode(text: text)
            var screen =
                isDark ? Screen(background: 0x18, foreground: 0xD0) : Screen(background: 0xF8, foreground: 0x20)
            let size = code.terminalSize(style, quietZone: quietZone)
            let columnCount = size.columns + 20
            screen.write("$ hybrid client register\n", columnCount: columnCount)
            screen.write(code.terminal(style, quietZone: quietZone), columnCount: columnCount)
            #expect(screen.rows.count == 2 * (size.lines + 1))
            screen.write("waiting for the phone\n", columnCount: columnCount)
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).pgm")
            defer { try? FileManager.default.removeItem(at: file) }
            try screen.picture(scale: 4).write(to: file)
            #expect(try await ChildProcess.run(PeerTests.zbarimg + [file.path]).lines == [text])
        }
    }
}
