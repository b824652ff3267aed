extension QRCode {
    /// How a terminal is told which modules are dark.
    public enum TerminalStyle: Sendable, CaseIterable {
        /// Black on white by escape sequences, whatever colours the terminal has by itself.
        case coloured
        /// Characters only, for a terminal that writes light on dark.
        case plainOnDark
        /// Characters only, for a terminal that writes dark on light.
        case plainOnLight
    }

    /// The symbol in half blocks, two modules a character, with its quiet zone.
    ///
    /// Each line ends with a line feed and, where it is coloured, sets its colours at its start and resets them
    /// at its end, so that a broken or indented output leaves no colour behind. The picture is `size + 8` columns
    /// wide.
    public func terminal(_ style: TerminalStyle = .coloured) -> String {
        let visible = -Self.quietZone..<size + Self.quietZone
        var text = ""
        for y in stride(from: visible.lowerBound, to: visible.upperBound, by: 2) {
            if style == .coloured { text += blackOnWhite }
            for x in visible {
                let (upper, lower) = (self[x, y], self[x, y + 1])
                text += style == .plainOnDark ? halfBlock(!upper, !lower) : halfBlock(upper, lower)
            }
            if style == .coloured { text += reset }
            text += "\n"
        }
        return text
    }
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

/// Select Graphic Rendition (ECMA-48, 8.3.117) with colours of the 256-colour cube: unlike the first sixteen,
/// themes leave these as they are.
private let blackOnWhite = "\u{1B}[38;5;16;48;5;231m"
private let reset = "\u{1B}[0m"
