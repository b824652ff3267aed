/// Finds the text of a QR code in a program's standard output or error.
struct CodeReader {
    private var written: [PeerProgram.Piece.Stream: [UInt8]] = [:]
    /// The beginning of everything, for an error.
    private(set) var beginning: [UInt8] = []

    /// More than the longest text of a code: the bytes before it need not be kept.
    private static let kept = 1 << 14
    private static let beginningByteCount = 300

    /// Takes a piece, and gives the text of a code once it is there with the character after it.
    mutating func take(_ piece: PeerProgram.Piece) -> String? {
        if beginning.count < Self.beginningByteCount {
            beginning += piece.bytes.prefix(Self.beginningByteCount - beginning.count)
        }
        var bytes = written[piece.stream] ?? []
        bytes += piece.bytes
        if let code = Self.code(in: bytes) { return code }
        if bytes.count > Self.kept { bytes.removeFirst(bytes.count - Self.kept) }
        written[piece.stream] = bytes
        return nil
    }

    private static let scheme = Array("FIDO:/".utf8)
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// The first text of a code after which there is something that is not a digit.
    private static func code(in bytes: [UInt8]) -> String? {
        var rest = bytes[...]
        while let start = rest.firstIndex(of: scheme[0]) {
            rest = rest[start...]
            if rest.starts(with: scheme) {
                let number = rest.dropFirst(scheme.count).prefix(while: digits.contains)
                if !number.isEmpty, number.endIndex < rest.endIndex {
                    return String(decoding: rest[..<number.endIndex], as: UTF8.self)
                }
            }
            rest = rest.dropFirst()
        }
        return nil
    }
}
