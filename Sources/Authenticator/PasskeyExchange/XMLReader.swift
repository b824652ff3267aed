/// A reader of the XML that KeePass programs write: elements, attributes and texts in UTF-8, and nothing that could
/// grow or lead elsewhere. A document type declaration, CDATA, and entities but the five predefined ones are refused.
struct XMLReader {
    /// The next event.
    enum Event {
        case start(name: String, attributes: [String: String])
        case text(String)
        case end(name: String)
    }

    /// The deepest nesting, the most attributes of an element, and the longest name in bytes.
    static let maxDepth = 64
    private static let maxAttributes = 16
    private static let maxNameByteCount = 128
    private static let maxReferenceByteCount = 8
    /// The longest text: 16 MiB. A longer one would be held several times, and no attachment is a text.
    static let maxTextByteCount = 1 << 24
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let entities: [String: Unicode.Scalar] = [
        "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
    ]

    private let bytes: ArraySlice<UInt8>
    private var offset: Int
    /// The names of the open elements.
    private var open: [String] = []
    private var isEmptyElement = false
    private var hasRoot = false

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        offset = bytes.startIndex + (bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0)
    }

    /// The next event; nil at the end of the document.
    ///
    /// - Throws: ``PasskeyFormatError`` `malformed`, `too-large`.
    mutating func next() throws(PasskeyFormatError) -> Event? {
        if isEmptyElement {
            isEmptyElement = false
            return .end(name: open.removeLast())
        }
        while offset < bytes.endIndex {
            if starts(with: "<!--") {
                try skip(behind: "-->")
            } else if starts(with: "<?") {
                try skip(behind: "?>")
            } else if starts(with: "</") {
                offset += 2
                let name = try name()
                skipWhiteSpace()
                try take(">")
                guard open.popLast() == name else { throw malformed("an element ends that did not begin") }
                return .end(name: name)
            } else if bytes[offset] == UInt8(ascii: "<") {
                offset += 1
                return try element()
            } else {
                let text = try text(until: UInt8(ascii: "<"))
                guard open.isEmpty else { return .text(text) }
                guard text.utf8.allSatisfy(Self.isWhiteSpace) else { throw malformed("a text outside of the elements") }
            }
        }
        guard open.isEmpty, hasRoot else { throw malformed("the end is missing") }
        return nil
    }

    private mutating func element() throws(PasskeyFormatError) -> Event {
        guard open.count < Self.maxDepth, !open.isEmpty || !hasRoot else { throw malformed("an element too many") }
        hasRoot = true
        let name = try name()
        var attributes: [String: String] = [:]
        while true {
            skipWhiteSpace()
            if starts(with: ">") || starts(with: "/>") { break }
            let attribute = try self.name()
            skipWhiteSpace()
            try take("=")
            skipWhiteSpace()
            let quote: Unicode.Scalar = starts(with: "'") ? "'" : "\""
            try take(quote)
            let value = try text(until: UInt8(ascii: quote))
            try take(quote)
            guard attributes.updateValue(value, forKey: attribute) == nil, attributes.count <= Self.maxAttributes else {
                throw malformed("an attribute too many")
            }
        }
        isEmptyElement = starts(with: "/>")
        offset += isEmptyElement ? 2 : 1
        open.append(name)
        return .start(name: name, attributes: attributes)
    }

    private mutating func name() throws(PasskeyFormatError) -> String {
        let start = offset
        while offset < bytes.endIndex, Self.isOfName(bytes[offset]) { offset += 1 }
        guard (1...Self.maxNameByteCount).contains(offset - start) else { throw malformed("no name") }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// A text up to a byte, which stays, or to the end.
    private mutating func text(until end: UInt8) throws(PasskeyFormatError) -> String {
        var content: [UInt8] = []
        while offset < bytes.endIndex, bytes[offset] != end {
            if bytes[offset] == UInt8(ascii: "&") {
                content += String(try reference()).utf8
            } else {
                content.append(bytes[offset])
                offset += 1
            }
            guard content.count <= Self.maxTextByteCount else {
                throw PasskeyFormatError(.tooLarge, reason: "a text in it has more than \(Self.maxTextByteCount) bytes")
            }
        }
        guard let text = String(validating: content, as: UTF8.self) else { throw malformed("a text that is not UTF-8") }
        return text
    }

    private mutating func reference() throws(PasskeyFormatError) -> Unicode.Scalar {
        let body = bytes[(offset + 1)...].prefix(Self.maxReferenceByteCount + 1).prefix { $0 != UInt8(ascii: ";") }
        guard body.count <= Self.maxReferenceByteCount, offset + 1 + body.count < bytes.endIndex else {
            throw malformed("no end of a reference")
        }
        let name = String(decoding: body, as: UTF8.self)
        let number: UInt32? =
            if name.hasPrefix("#x") {
                UInt32(name.dropFirst(2), radix: 16)
            } else if name.hasPrefix("#") {
                UInt32(name.dropFirst())
            } else {
                Self.entities[name]?.value
            }
        guard let number, number != 0, let scalar = Unicode.Scalar(number) else {
            throw malformed("an unknown reference")
        }
        offset += 2 + body.count
        return scalar
    }

    private func starts(with text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

    private mutating func take(_ scalar: Unicode.Scalar) throws(PasskeyFormatError) {
        guard offset < bytes.endIndex, bytes[offset] == UInt8(ascii: scalar) else { throw malformed("no \(scalar)") }
        offset += 1
    }

    private mutating func skip(behind mark: String) throws(PasskeyFormatError) {
        while offset < bytes.endIndex, !starts(with: mark) { offset += 1 }
        guard offset < bytes.endIndex else { throw malformed("no end of a comment") }
        offset += mark.utf8.count
    }

    private mutating func skipWhiteSpace() {
        while offset < bytes.endIndex, Self.isWhiteSpace(bytes[offset]) { offset += 1 }
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private func malformed(_ what: String) -> PasskeyFormatError {
        PasskeyFormatError(.malformed, reason: "\(what), at byte \(offset - bytes.startIndex) of the XML")
    }
}
