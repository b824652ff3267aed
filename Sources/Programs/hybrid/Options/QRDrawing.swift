import CommandLine
import Glibc
import QRCode

/// The way in which a QR code is drawn on standard error.
enum QRDrawing {
    /// A picture, with so many light modules around the symbol, and with or without room for a sentence below it.
    case picture(QRCode.TerminalStyle, quietZone: Int, hasRoom: Bool)
    /// The code's text alone: the terminal shows no picture.
    case text
    /// Nothing: the terminal has fewer columns or lines than the smallest picture needs.
    case tooLarge(need: Size, terminal: Size)

    typealias Size = (columns: Int, lines: Int)

    /// Light modules around the symbol that readers get by with, the best first.
    private static let quietZones = [QRCode.quietZone, 2, 1]
    /// Lines below the picture with a whole quiet zone: the next step, the stage, and the expectation.
    private static let wholeLinesBelow = 3
    /// Lines below another one: the stage, the expectation, and the cursor's own, so that nothing scrolls away.
    private static let fewLinesBelow = 3

    /// Chooses the best that this terminal has room for.
    init(of code: QRCode) {
        // A picture in a file is shown later, by something that knows its size.
        guard isatty(STDERR_FILENO) == 1 else {
            self = .picture(.plainOnDark, quietZone: QRCode.quietZone, hasRoom: true)
            return
        }
        guard StandardStreams.showsColours(STDERR_FILENO) else {
            self = .text
            return
        }
        let style: QRCode.TerminalStyle = StandardStreams.isUTF8 ? .coloured : .colouredSpaces
        guard let terminal = StandardStreams.size(of: STDERR_FILENO) else {
            self = .picture(style, quietZone: QRCode.quietZone, hasRoom: true)
            return
        }
        let fitting = Self.quietZones.first { zone in
            let need = Self.need(of: code, style, zone)
            return terminal.columns >= need.columns && terminal.lines >= need.lines
        }
        if let fitting {
            self = .picture(style, quietZone: fitting, hasRoom: fitting == QRCode.quietZone)
        } else {
            // Spaces take so much room that few terminals have it.
            self = style == .colouredSpaces ? .text : .tooLarge(need: Self.smallest(of: code), terminal: terminal)
        }
    }

    /// The size of the smallest terminal on which a code can be scanned.
    static func smallest(of code: QRCode) -> Size { need(of: code, .coloured, quietZones.last ?? QRCode.quietZone) }

    private static func need(of code: QRCode, _ style: QRCode.TerminalStyle, _ zone: Int) -> Size {
        let picture = code.terminalSize(style, quietZone: zone)
        return (picture.columns, picture.lines + (zone == QRCode.quietZone ? wholeLinesBelow : fewLinesBelow))
    }
}
