/// Text in the lines of the Assuan protocol.
///
/// Source: the libassuan manual, "Client requests" and "Server responses".
enum AssuanText {
    /// The longest line without its end, in bytes.
    static let longestLine = 1_000
    private static let cut = " (and more)"
    private static let escapedByteCount = 3

    /// A command with a text as its argument, in one line: percent, line feed and carriage return are escaped, other
    /// control characters become spaces, and a text that is too long is cut between two characters, with a note.
    static func line(_ command: String, _ text: String) -> String {
        let limit = longestLine - command.utf8.count - 1
        let whole = escaped(text, limit: limit)
        guard whole.isCut else { return "\(command) \(whole.text)" }
        return "\(command) \(escaped(text, limit: limit - cut.utf8.count).text)\(cut)"
    }

    private static func escaped(_ text: String, limit: Int) -> (text: String, isCut: Bool) {
        var escaped = ""
        for scalar in text.unicodeScalars {
            let piece =
                switch scalar {
                case "%": "%25"
                case "\n": "%0A"
                case "\r": "%0D"
                case ..<" ", "\u{7F}": " "
                default: String(scalar)
                }
            guard escaped.utf8.count + piece.utf8.count <= limit else { return (escaped, true) }
            escaped += piece
        }
        return (escaped, false)
    }

    /// Decodes the data of a line.
    ///
    /// - Parameters:
    ///   - line: holds the data at its end.
    ///   - start: the index of its first byte, behind `D` and a space.
    ///   - buffer: gets the bytes from `count` on, which is raised.
    /// - Returns: false if the bytes do not fit, or an escape is malformed.
    static func decode(
        _ line: Span<UInt8>, from start: Int, into buffer: inout [UInt8], at count: inout Int
    ) -> Bool {
        let end = line.count
        var index = start
        while index < end {
            var byte = line[index]
            index += 1
            if byte == UInt8(ascii: "%") {
                guard end - index >= escapedByteCount - 1, let high = digit(line[index]),
                    let low = digit(line[index + 1])
                else { return false }
                byte = high << 4 | low
                index += escapedByteCount - 1
            }
            guard count < buffer.count else { return false }
            buffer[count] = byte
            count += 1
        }
        return true
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
