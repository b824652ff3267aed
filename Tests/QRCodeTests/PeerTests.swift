import Foundation
import QRCode
import TestPeers
import Testing

@Suite("Other programs")
struct PeerTests {
    static func isInstalled(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    static let zbarimg = ["zbarimg", "--nodbus", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable"]

    @Test(
        "read every version and level from a PNG picture: zbarimg",
        .enabled(if: isInstalled("zbarimg"), "needs zbarimg (Debian: zbar-tools)"),
        arguments: QRCode.ErrorCorrectionLevel.allCases)
    func zbar(level: QRCode.ErrorCorrectionLevel) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var texts: [String] = []
        var files: [String] = []
        for version in 1...40 {
            let text = "\(version) says FIDO:/0123456789 at level \(level.letter)".prefix(version < 4 ? 6 : 100)
            let file = directory.appendingPathComponent("\(version).png")
            let code = try QRCode(text: String(text), level: level, minimumVersion: version)
            try Data(code.png(scale: 3)).write(to: file)
            texts.append(String(text))
            files.append(file.path)
        }
        let output = try await ChildProcess.run(Self.zbarimg + files)
        #expect(output.status == 0)
        #expect(output.lines == texts)
    }

    @Test(
        "read a text that is declared as UTF-8, in any script: zbarimg",
        .enabled(if: isInstalled("zbarimg"), "needs zbarimg (Debian: zbar-tools)"),
        arguments: ["Schlüssel", "鍵と錠", "🔑 naïve café", "Москва", "Äpfel für Öl 0123456789"])
    func declaredUTF8(text: String) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(QRCode(text: text, declaresUTF8: true).png(scale: 4)).write(to: file)
        let output = try await ChildProcess.run(Self.zbarimg + [file.path])
        #expect(output.lines == [text])
    }

    @Test(
        "unpack the PNG picture and find its checksums right: Python's zlib",
        .enabled(if: isInstalled("python3"), "needs python3"),
        arguments: [(1, 40), (2, 12), (3, 7), (8, 5), (64, 1)])
    func zlib(scale: Int, version: Int) async throws {
        let code = try QRCode(text: "HELLO", minimumVersion: version)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(code.png(scale: scale)).write(to: file)
        let output = try await ChildProcess.run(["python3", "-c", Self.unpack, file.path, "\(scale)"])
        let expected = code.modules.map { row in row.map { $0 ? "1" : "0" }.joined() }
        #expect(output.lines == expected)
    }

    /// Reads a PNG picture by the letter, checks every checksum, and prints the modules inside the quiet zone.
    private static let unpack = """
        import struct, sys, zlib
        file, scale = open(sys.argv[1], "rb").read(), int(sys.argv[2])
        assert file[:8] == b"\\x89PNG\\r\\n\\x1a\\n"
        place, chunks = 8, []
        while place < len(file):
            length, = struct.unpack(">I", file[place:place + 4])
            kind, data = file[place + 4:place + 8], file[place + 8:place + 8 + length]
            assert struct.unpack(">I", file[place + 8 + length:place + 12 + length])[0] == zlib.crc32(kind + data)
            chunks.append((kind, data))
            place += 12 + length
        assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
        width, height, depth, colour, _, _, _ = struct.unpack(">IIBBBBB", chunks[0][1])
        assert (depth, colour) == (1, 0) and width == height
        stride, above, rows = (width + 7) // 8, None, []
        pixels = zlib.decompress(chunks[1][1])
        assert len(pixels) == height * (stride + 1)
        for y in range(height):
            line = pixels[y * (stride + 1):(y + 1) * (stride + 1)]
            row = bytearray(line[1:])
            if line[0] == 2:
                row = bytearray((a + b) & 255 for a, b in zip(row, above))
            else:
                assert line[0] == 0
            above = row
            rows.append([1 - (row[x // 8] >> (7 - x % 8) & 1) for x in range(width)])
        for y in range(height):
            for x in range(width):
                assert rows[y][x] == rows[y // scale * scale][x // scale * scale]
        modules = [row[::scale] for row in rows[::scale]]
        assert not any(modules[y][x] for y in range(len(modules)) for x in range(len(modules))
            if not (4 <= x < len(modules) - 4 and 4 <= y < len(modules) - 4))
        for row in modules[4:-4]:
            print("".join(map(str, row[4:-4])))
        """

    @Test(
        "parse the SVG picture and paint the same modules: Python's XML parser",
        .enabled(if: isInstalled("python3"), "needs python3"), arguments: [1, 7, 40])
    func xml(version: Int) async throws {
        let code = try QRCode(text: "HELLO", minimumVersion: version)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).svg")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(code.svg(title: "\u{7}<&>\"'").utf8).write(to: file)
        let output = try await ChildProcess.run(["python3", "-c", Self.paint, file.path])
        #expect(output.lines == code.modules.map { row in row.map { $0 ? "1" : "0" }.joined() })
    }

    /// Parses an SVG document, paints the rectangles of its path, and prints the modules inside the quiet zone.
    private static let paint = """
        import re, sys, xml.etree.ElementTree as tree
        root = tree.parse(sys.argv[1]).getroot()
        _, _, side, height = map(int, root.get("viewBox").split())
        assert side == height
        space = "{http://www.w3.org/2000/svg}"
        assert root.find(space + "title").text == "\\ufffd<&>\\"'"
        ground, path = root.find(space + "rect"), root.find(space + "path")
        assert (ground.get("width"), ground.get("height"), ground.get("fill")) == (str(side), str(side), "#fff")
        modules = [[0] * side for _ in range(side)]
        shapes = re.findall(r"M(\\d+) (\\d+)h(\\d+)v1H(\\d+)z", path.get("d"))
        assert "".join("M%s %sh%sv1H%sz" % shape for shape in shapes) == path.get("d")
        for x, y, width, back in (map(int, shape) for shape in shapes):
            assert back == x and not any(modules[y][x:x + width])
            modules[y][x:x + width] = [1] * width
        for row in modules[4:-4]:
            print("".join(map(str, row[4:-4])))
        """
}
