/// Finds the text of a QR code in what a program writes to standard output or error.
struct CodeReader {
    private var written: [ChildProgram.Piece.Stream: String] = [:]
    /// The beginning of everything, for an error.
    private(set) var beginning: [UInt8] = []

    /// More than the longest text of a code: what precedes it need not be kept.
    private static let kept = 1 << 14
    private static let beginningByteCount = 300

    /// Takes a piece, and gives the text of a code once it is there with the character after it.
    mutating func take(_ piece: ChildProgram.Piece) -> String? {
        if beginning.count < Self.beginningByteCount {
            beginning += piece.bytes.prefix(Self.beginningByteCount - beginning.count)
        }
        var text = written[piece.stream] ?? ""
        text += String(decoding: piece.bytes, as: UTF8.self)
        if let match = text.firstMatch(of: /FIDO:\/[0-9]+(?=[^0-9])/) { return String(match.0) }
        if text.utf8.count > Self.kept { text = String(text.suffix(Self.kept)) }
        written[piece.stream] = text
        return nil
    }
}
