internal import NIOHTTP1

/// The authentication schemes that a proxy offers with the status 407.
///
/// Source: RFC 9110 sections 11.3 and 11.7.1.
enum ProxyChallenge {
    /// The scheme of a name and a password, in lower case.
    private static let supported = "basic"
    /// The most schemes that are named, and the most characters of each.
    private static let maxCount = 4
    private static let maxLength = 24
    private static let symbols = Array("!#$%&'*+-.^_`|~".utf8)

    /// The schemes in words, printable and bounded; nil if one of them is supported, or if the answer names none.
    static func unsupportedSchemes(in headers: HTTPHeaders) -> String? {
        let schemes = headers["Proxy-Authenticate"].flatMap { Self.schemes(of: $0) }
        guard !schemes.isEmpty, !schemes.contains(where: { $0.lowercased() == supported }) else { return nil }
        let named = schemes.prefix(maxCount).map { $0.count > maxLength ? "\($0.prefix(maxLength))…" : $0 }
        return (named + (schemes.count > maxCount ? ["…"] : [])).joined(separator: ", ")
    }

    /// The schemes of a header's challenges, whose parameters are left out.
    private static func schemes(of value: String) -> [String] {
        elements(of: value).compactMap { element in
            let name = element.prefix(while: isTokenByte)
            let rest = element.dropFirst(name.count)
            // A parameter of the challenge before it has its equals sign behind its name, and perhaps white space.
            guard !name.isEmpty, rest.first.map(isBlank) ?? true,
                rest.first(where: { !isBlank($0) }) != UInt8(ascii: "=")
            else { return nil }
            return String(decoding: name, as: UTF8.self)
        }
    }

    /// The elements of a list between its commas, of which those in quotation marks separate nothing.
    private static func elements(of value: String) -> [ArraySlice<UInt8>] {
        var elements: [[UInt8]] = [[]]
        var isQuoted = false
        var isEscaped = false
        for byte in value.utf8 {
            if byte == UInt8(ascii: ","), !isQuoted {
                elements.append([])
                continue
            }
            elements[elements.count - 1].append(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\"), isQuoted {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            }
        }
        return elements.map { $0.drop(while: isBlank) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// True for the bytes of a token: RFC 9110 section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: symbols.contains(byte)
        }
    }
}
