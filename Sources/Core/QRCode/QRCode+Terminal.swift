extension QRCode {
    /// The characters and colours for a terminal.
    public enum TerminalStyle: Sendable, CaseIterable {
        /// Black and white by escape sequences, whatever colours the terminal has by itself.
        case coloured
        /// Likewise without any other character than the space, for a terminal that has no half blocks.
        case colouredSpaces
        /// Characters only, for a terminal that writes light on dark.
        case plainOnDark
        /// Characters only, for a terminal that writes dark on light.
        case plainOnLight
    }

    /// The symbol in half blocks, two modules a character, or in spaces, two a module, with a quiet zone.
    ///
    /// Each line ends with a line feed. Where it is coloured, it sets its colours at its start and resets them at its
    /// end, so that broken or indented output leaves no colour behind. ``terminalSize(_:quietZone:)`` says how large it
    /// is.
    ///
    /// - Parameters:
    ///   - style: the characters and colours.
    ///   - quietZone: the light modules on each side, 0 or more. The standard wants 4 (5.3.8); with fewer some readers
    ///     fail on a dark terminal.
    public func terminal(_ style: TerminalStyle = .coloured, quietZone: Int = Self.quietZone) -> String {
        let visible = -quietZone..<size + quietZone
        var text = ""
        guard style != .colouredSpaces else {
            for y in visible { text += spacesLine(visible.map { x in self[x, y] }) + "\n" }
            return text
        }
        for y in stride(from: visible.lowerBound, to: visible.upperBound, by: 2) {
            let pairs = visible.map { x in (upper: self[x, y], lower: self[x, y + 1]) }
            switch style {
            case .coloured, .colouredSpaces: text += colouredLine(pairs)
            case .plainOnLight: for pair in pairs { text += halfBlock(pair.upper, pair.lower) }
            case .plainOnDark: for pair in pairs { text += halfBlock(!pair.upper, !pair.lower) }
            }
            text += "\n"
        }
        return text
    }

    /// The columns and lines that ``terminal(_:quietZone:)`` takes.
    public func terminalSize(
        _ style: TerminalStyle = .coloured, quietZone: Int = Self.quietZone
    ) -> (columns: Int, lines: Int) {
        let side = size + 2 * quietZone
        return style == .colouredSpaces ? (2 * side, side) : (side, (side + 1) / 2)
    }
}

/// A line in which the paper is dark or light.
private func spacesLine(_ modules: [Bool]) -> String {
    var line = blackOnWhite
    var isReversed = false
    for isDark in modules {
        if isDark != isReversed {
            line += isDark ? reverse : notReverse
            isReversed = isDark
        }
        line += "  "
    }
    return line + reset
}

/// A line in which the paper has the colour of the upper module, and a half block the other where the lower differs.
///
/// Terminals paint paper without gaps. Many fonts leave a hairline between full blocks, and some readers then see no
/// symbol.
private func colouredLine(_ pairs: [(upper: Bool, lower: Bool)]) -> String {
    var line = blackOnWhite
    var isReversed = false
    for (upper, lower) in pairs {
        if upper != isReversed {
            line += upper ? reverse : notReverse
            isReversed = upper
        }
        line += upper == lower ? " " : "▄"
    }
    return line + reset
}

/// The character that fills the upper half, the lower half, both or neither.
private func halfBlock(_ upper: Bool, _ lower: Bool) -> String {
    switch (upper, lower) {
    case (true, true): "█"
    case (true, false): "▀"
    case (false, true): "▄"
    case (false, false): " "
    }
}

// Select Graphic Rendition (ECMA-48, 8.3.117). The colours are of the 256-colour cube: unlike the first sixteen,
// themes leave these as they are.
private let blackOnWhite = "\u{1B}[38;5;16;48;5;231m"
private let reverse = "\u{1B}[7m"
private let notReverse = "\u{1B}[27m"
private let reset = "\u{1B}[0m"
