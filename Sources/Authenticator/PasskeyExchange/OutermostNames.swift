/// The names in the outermost object of a text that may be JSON.
struct OutermostNames: ~Escapable {
    private static let longest = 64

    private let bytes: Span<UInt8>
    private var offset = 0
    private var depth = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// Tests if a name is among those that have not been read.
    consuming func contains(_ name: String) -> Bool {
        while let next = next() { if next == name { return true } }
        return false
    }

    /// The next name, or its first 64 bytes; nil at the end, and behind a byte that cannot be JSON.
    @_lifetime(self: copy self)
    mutating func next() -> String? {
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                let text = text()
                if depth == 1, isName { return text }
            default: if depth == 0, !isWhiteSpace(byte) { return nil }
            }
        }
        return nil
    }

    /// True if a colon follows, or nothing.
    private var isName: Bool {
        for index in offset..<max(offset, bytes.count) where !isWhiteSpace(bytes[index]) {
            return bytes[index] == UInt8(ascii: ":")
        }
        return true
    }

    private func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    @_lifetime(self: copy self)
    private mutating func text() -> String {
        var text: [UInt8] = []
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            if bytes[offset] == UInt8(ascii: "\\") { offset += 1 }
            if depth == 1, text.count < Self.longest, offset < bytes.count { text.append(bytes[offset]) }
            offset += 1
        }
        offset += 1
        return String(decoding: text, as: UTF8.self)
    }
}
