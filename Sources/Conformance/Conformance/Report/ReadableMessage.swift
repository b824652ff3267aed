internal import Encodings

/// A message of a transcript as people read it: the head of HTTP as lines, JSON set in, CBOR in diagnostic notation
/// (RFC 8949 section 8).
///
/// The bytes are a peer's, and so is the text: it is put into a page as text alone.
struct ReadableMessage {
    let lines: [String]

    /// The most bytes that are read: more than an entry of our own has.
    private static let byteLimit = 4_096
    /// The most lines and bytes with which a nested value is set in; a longer one stands on one line.
    private static let lineLimit = 100
    private static let textLimit = 8_192
    private static let indent = 2
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")

    /// Reads an entry; nil for one without such a notation: a handshake message, an advert, bytes of any other kind.
    init?(_ entry: PublishedReport.Entry) {
        guard entry.hex.utf8.count <= Self.byteLimit * Hexadecimal.digitsPerByte,
            let bytes = Hexadecimal.decode(entry.hex), !bytes.isEmpty, !entry.what.contains("cut or changed")
        else { return nil }
        let lines =
            entry.channel.hasPrefix("HTTP")
            ? Self.head(bytes) : Self.message(bytes, entry.what, isCut: entry.more > 0)
        guard let lines, !lines.isEmpty else { return nil }
        self.lines = lines
    }

    /// A head of HTTP: its first line has nothing but ASCII that is seen.
    private static func head(_ bytes: [UInt8]) -> [String]? {
        let visible = UInt8(ascii: " ")...UInt8(ascii: "~")
        let first = bytes.prefix { $0 != carriageReturn && $0 != lineFeed }
        guard first.count < bytes.count, !first.isEmpty, first.allSatisfy(visible.contains) else { return nil }
        var lines = bytes.split(separator: lineFeed, omittingEmptySubsequences: false)
        while let last = lines.last, last.isEmpty || last.elementsEqual([carriageReturn]) { lines.removeLast() }
        return lines.map { String(decoding: $0.last == carriageReturn ? $0.dropLast() : $0, as: UTF8.self) }
    }

    /// A message of a session, by the kind that the transcript names.
    private static func message(_ bytes: [UInt8], _ what: String, isCut: Bool) -> [String]? {
        let kinds = ["first message", "CTAP", "update", "JSON message"]
        // Sealed in pieces, it has a few words before its kind.
        guard let kind = kinds.first(where: { what.hasPrefix($0) || what.contains(": \($0)") }) else { return nil }
        switch kind {
        case "first message": return value(bytes[...], isCut: isCut)
        // Behind the type, and the command or status.
        case "CTAP": return value(bytes.dropFirst(2), isCut: isCut)
        case "update": return value(bytes.dropFirst(), isCut: isCut)
        default: return json(bytes.dropFirst())
        }
    }

    private static func json(_ bytes: ArraySlice<UInt8>) -> [String]? {
        guard !bytes.isEmpty else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let value = try? JSONValue(parsing: text) else { return lines(text) }
        return bounded(lines(value.text(indent: indent))) ?? [value.text]
    }

    /// A CBOR item, and how many bytes are behind it, such as padding; of one that cannot be read, the reason.
    private static func value(_ bytes: ArraySlice<UInt8>, isCut: Bool) -> [String]? {
        guard !bytes.isEmpty else { return nil }
        let bytes = Array(bytes)
        do throws(CBORError) {
            let (value, byteCount) = try CBORValue.decodeLenientPrefix(bytes.span)
            let rest = bytes.count - byteCount
            return notation(value) + embedded(value) + (rest > 0 ? ["and \(rest) bytes behind it"] : [])
        } catch {
            return [isCut ? "CBOR that is cut here" : "no CBOR: \(error.reason)"]
        }
    }

    private static func notation(_ value: CBORValue) -> [String] {
        bounded(lines(value.diagnostic(indent: indent))) ?? [value.diagnostic()]
    }

    /// The maps that byte strings of a map hold, such as the answer to getInfo in the first message.
    private static func embedded(_ value: CBORValue) -> [String] {
        (value.mapValue?.entries ?? []).flatMap { entry -> [String] in
            guard let bytes = entry.value.bytesValue, let inner = try? CBORValue.decodeLenient(bytes.span),
                inner.mapValue != nil
            else { return [] }
            return ["\(entry.key.diagnostic()) holds"] + notation(inner)
        }
    }

    /// The lines, unless there are too many.
    private static func bounded(_ lines: [String]) -> [String]? {
        lines.count <= lineLimit && lines.map(\.utf8.count).reduce(0, +) <= textLimit ? lines : nil
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

extension JSONValue {
    /// The value with each member and each element on a line of its own, each level set in by so many spaces.
    fileprivate func text(indent: Int, level: Int = 0) -> String {
        func list(_ open: String, _ parts: [String], _ close: String) -> String {
            guard !parts.isEmpty else { return open + close }
            let margin = "\n" + String(repeating: " ", count: indent * level)
            let inner = margin + String(repeating: " ", count: indent)
            return open + parts.map { inner + $0 }.joined(separator: ",") + margin + close
        }
        return switch self {
        case .object(let members):
            list(
                "{",
                members.map { member in
                    "\(JSONValue.string(member.name).text): \(member.value.text(indent: indent, level: level + 1))"
                }, "}")
        case .array(let elements): list("[", elements.map { $0.text(indent: indent, level: level + 1) }, "]")
        case .null, .bool, .number, .string: text
        }
    }
}
