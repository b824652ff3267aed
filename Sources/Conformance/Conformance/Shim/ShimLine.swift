internal import Encodings

/// A line of a shim.
enum ShimLine: Sendable, Equatable {
    case hello(ShimHello)
    case qr(String)
    case open(url: String)
    case advert([UInt8])
    case message([UInt8])
    case closed
    case ctap([UInt8])
    case end(isGood: Bool, reason: String?)
    case answer(ShimAnswer)

    /// The longest line, in bytes: 4 MiB, since a message of 1 MiB has 2 MiB of digits.
    static let longest = 4 << 20
    private static let limits = JSONLimits(byteCount: longest, depth: 64)

    /// Reads a line, without its end.
    ///
    /// - Throws: ``ShimFault`` without its line's number.
    init(_ bytes: [UInt8]) throws(ShimFault) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: bytes.span, limits: Self.limits) } catch {
            throw ShimFault("it is not JSON: \(error.reason)")
        }
        let members = try ShimMembers(value)
        switch members.type {
        case "hello": self = .hello(try ShimHello(members))
        case "qr": self = .qr(try members.text("text"))
        case "open": self = .open(url: try members.text("url"))
        case "advert": self = .advert(try members.bytes("data"))
        case "message": self = .message(try members.bytes("data"))
        case "closed":
            _ = members["code"]
            self = .closed
        case "ctap": self = .ctap(try members.bytes("data"))
        case "end": self = .end(isGood: try members.bool("ok"), reason: try members.textIfAny("reason"))
        case "result":
            guard let output = members["output"]?.objectValue else { throw members.lacks("output", "an object") }
            self = .answer(.result(CaseFields(output)))
        case "error":
            let (kind, reason) = (try members.textIfAny("kind"), try members.textIfAny("reason"))
            self = .answer(.error(kind: kind, reason: reason))
        case "unsupported":
            _ = try members.textIfAny("reason")
            self = .answer(.unsupported)
        default: throw ShimFault("the type \(ShimFault.shown(members.type)) is not known")
        }
        try members.checkAllRead()
    }

    /// The type, for a message.
    var type: String {
        switch self {
        case .hello: "hello"
        case .qr: "qr"
        case .open: "open"
        case .advert: "advert"
        case .message: "message"
        case .closed: "closed"
        case .ctap: "ctap"
        case .end: "end"
        case .answer: "answer"
        }
    }
}

/// An answer of a shim to one operation.
enum ShimAnswer: Sendable, Equatable {
    case result(CaseFields)
    case error(kind: String?, reason: String?)
    case unsupported
}

extension ShimFault {
    /// Foreign text, cut and in quotation marks.
    static func shown(_ text: String) -> String { CBORValue.text(String(text.prefix(40))).diagnostic() }
}

extension ShimHello {
    fileprivate init(_ members: ShimMembers) throws(ShimFault) {
        let version: Int? = members["shim"]?.integer()
        guard version == Self.protocolVersion else {
            throw ShimFault("\"shim\" is not \(Self.protocolVersion), the version of the protocol that is spoken here")
        }
        name = try members.label("name")
        self.version = members["version"] == nil ? nil : try members.label("version")
        var roles: [ConformanceCase.Role] = []
        for text in try members.texts("roles") {
            guard let role = ConformanceCase.Role(rawValue: text), role != .tunnelService else {
                throw ShimFault("the role \(ShimFault.shown(text)) is not known")
            }
            roles.append(role)
        }
        var features: Set<Feature> = []
        for text in try members.texts("features") {
            guard let feature = Feature(rawValue: text) else {
                throw ShimFault("the feature \(ShimFault.shown(text)) is not known")
            }
            features.insert(feature)
        }
        self.roles = roles
        self.features = features
        operations = try members.texts("operations")
    }
}

/// The members of a shim's line, of which each must be read.
private final class ShimMembers {
    let type: String
    private let value: JSONValue
    private var read: Set<String> = ["type"]

    init(_ value: JSONValue) throws(ShimFault) {
        guard case .object = value else { throw ShimFault("it is not an object") }
        guard let type = value["type"]?.stringValue else { throw ShimFault("it has no \"type\"") }
        self.type = type
        self.value = value
    }

    /// A member; nil if it is missing or null.
    subscript(name: String) -> JSONValue? {
        read.insert(name)
        guard let member = value[name], member != .null else { return nil }
        return member
    }

    func lacks(_ name: String, _ what: String) -> ShimFault { ShimFault("\"\(name)\" of \(type) is not \(what)") }

    func text(_ name: String) throws(ShimFault) -> String {
        guard let text = self[name]?.stringValue else { throw lacks(name, "a string") }
        return text
    }

    func textIfAny(_ name: String) throws(ShimFault) -> String? { self[name] == nil ? nil : try text(name) }

    /// A text that stands in reports.
    func label(_ name: String) throws(ShimFault) -> String {
        let text = try text(name)
        let isPlain = text.unicodeScalars.allSatisfy { $0.isASCII && $0.properties.generalCategory != .control }
        guard (1...100).contains(text.utf8.count), isPlain else {
            throw lacks(name, "a text of 1 to 100 characters of ASCII")
        }
        return text
    }

    func bool(_ name: String) throws(ShimFault) -> Bool {
        guard case .bool(let bool)? = self[name] else { throw lacks(name, "true or false") }
        return bool
    }

    func bytes(_ name: String) throws(ShimFault) -> [UInt8] {
        guard let bytes = Hexadecimal.decode(try text(name)) else { throw lacks(name, "hexadecimal") }
        return bytes
    }

    /// A list of strings; empty if it is missing.
    func texts(_ name: String) throws(ShimFault) -> [String] {
        guard let member = self[name] else { return [] }
        guard let texts = member.arrayValue?.compactMap(\.stringValue), texts.count == member.arrayValue?.count else {
            throw lacks(name, "a list of strings")
        }
        return texts
    }

    func checkAllRead() throws(ShimFault) {
        let unknown = (value.objectValue ?? []).first { !read.contains($0.name) }
        if let unknown { throw ShimFault("\(type) has no member \(ShimFault.shown(unknown.name))") }
    }
}
