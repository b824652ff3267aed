import CommandLine
import Encodings
import HybridProtocol
import LinuxSupport

/// A subject to explain.
enum Subject: Equatable {
    case qr(url: String)
    case contents([UInt8])
    case advert([UInt8])
    case plaintext([UInt8])
    case cbor([UInt8])
    case domain(String)
    case rule(String)
    case relatedOrigins([UInt8])
    case appSiteAssociation([UInt8])

    /// A kind of subject.
    enum Kind: String, CaseIterable {
        case qr, contents, advert, plaintext, cbor, domain, rule
        case relatedOrigins = "related-origins"
        case appSiteAssociation = "app-site-association"
    }

    private static let qrPrefix = "fido:"
    private static let domainPrefix = "cable."
    private static let rulePrefixes = ["ht-", "px-", "ts-"]
    private static let objectMark = UInt8(ascii: "{")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let longestNumber = 5

    /// Takes a text for the kind that is given, or for the one that it looks like.
    ///
    /// - Throws: ``Failure`` for bytes that are not hexadecimal.
    init(_ text: String, as kind: Kind?) throws {
        switch kind {
        case .qr: self = .qr(url: text)
        case .domain: self = .domain(text)
        case .rule: self = .rule(text)
        case .contents: self = .contents(try Self.bytes(text))
        case .advert: self = .advert(try Self.bytes(text))
        case .plaintext: self = .plaintext(try Self.bytes(text))
        case .cbor: self = .cbor(try Self.bytes(text))
        case .relatedOrigins: self = .relatedOrigins(Array(text.utf8))
        case .appSiteAssociation: self = .appSiteAssociation(Array(text.utf8))
        case nil where Self.isObject(Array(text.utf8)): self = Self.guess(object: Array(text.utf8))
        case nil where Self.begins(text, with: Self.qrPrefix): self = .qr(url: text)
        case nil where Self.begins(text, with: Self.domainPrefix) || Self.isNumber(text): self = .domain(text)
        case nil where Self.rulePrefixes.contains(where: { Self.begins(text, with: $0) }): self = .rule(text)
        case nil: self = Self.guess(try Self.bytes(text))
        }
    }

    /// Takes the contents of a file for the kind that is given, or for the one that they look like.
    init(file: [UInt8], as kind: Kind?) {
        switch kind {
        case .relatedOrigins: self = .relatedOrigins(file)
        case .appSiteAssociation: self = .appSiteAssociation(file)
        default: self = Self.guess(object: file)
        }
    }

    /// True if bytes begin as a JSON object does.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        let text = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
        return text.first { !" \t\r\n".utf8.contains($0) } == objectMark
    }

    /// A domain's file of one kind or the other; the one that browsers read if it is unclear.
    private static func guess(object: [UInt8]) -> Self {
        let document = try? JSONValue(parsing: object.span)
        return document.map(Explanation.isAppSiteAssociation) == true
            ? .appSiteAssociation(object) : .relatedOrigins(object)
    }

    private static func begins(_ text: String, with prefix: String) -> Bool {
        text.prefix(prefix.count).lowercased() == prefix
    }

    private static func isNumber(_ text: String) -> Bool { text.utf8.count <= longestNumber && UInt16(text) != nil }

    private static func guess(_ bytes: [UInt8]) -> Self {
        let advertByteCount = AdvertKey.advertByteCount
        if let map = (try? CBORValue.decodeLenient(bytes.span))?.mapValue, Invitation.isLikelyContents(map) {
            return .contents(bytes)
        }
        if bytes.count == advertByteCount { return .advert(bytes) }
        if bytes.count == AdvertPlaintext.byteCount, bytes.first == 0 { return .plaintext(bytes) }
        // A suffix is a map behind an advert, which is random and so hardly ever an item with it.
        let suffix = bytes.dropFirst(advertByteCount).map(\.self)
        if !suffix.isEmpty, (try? CBORValue.decodeLenient(bytes.span)) == nil,
            (try? CBORValue.decode(suffix.span))?.mapValue != nil
        {
            return .advert(bytes)
        }
        return .cbor(bytes)
    }

    private static func bytes(_ text: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 where !" \t:".utf8.contains(character) {
            let scalar = Character(Unicode.Scalar(character))
            guard scalar.isASCII, let digit = scalar.hexDigitValue.map(UInt8.init) else {
                throw Failure.usage(
                    "neither a FIDO:/ URL, nor hexadecimal bytes, nor a tunnel domain", hint: Hint.explainable)
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil, !bytes.isEmpty else {
            throw Failure.usage("hexadecimal bytes have two digits each", hint: Hint.explainable)
        }
        return bytes
    }

    /// The explanation of the subject.
    ///
    /// - Parameter qr: the QR code whose session an advert may belong to.
    /// - Throws: ``HybridProtocolError``, ``CBORError`` or ``Failure`` for a malformed subject.
    func explanation(qr: String?) throws -> Explanation {
        switch self {
        case .qr(let url): try .qrCode(url)
        case .contents(let cbor): try .contents(cbor)
        case .advert(let bytes): try .advert(bytes, qr: qr)
        case .plaintext(let bytes): try .plaintext(AdvertPlaintext(bytes))
        case .cbor(let bytes): try .cbor(bytes)
        case .domain(let text): try .tunnelDomain(text)
        case .rule(let id): try .rule(id)
        case .relatedOrigins(let file): try .relatedOrigins(file)
        case .appSiteAssociation(let file): try .appSiteAssociation(file)
        }
    }
}

extension Invitation {
    /// True if a map has the public key and the secret of a QR code's contents, so that not all of it may be printed.
    static func isLikelyContents(_ map: CBORMap) -> Bool {
        map[0]?.bytesValue != nil && map[1]?.bytesValue?.count == secretByteCount
    }
}
