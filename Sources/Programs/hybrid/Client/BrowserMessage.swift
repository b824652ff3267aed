import Encodings
import Glibc
import HybridProtocol
import WebAuthnClient

/// A message as Chromium exchanges it with a native-messaging host: its length, 4 bytes, little-endian, and JSON in
/// UTF-8. The socket between two machines carries the same. Source: Chrome for Developers, "Native messaging".
struct BrowserMessage {
    /// The longest JSON, in bytes: Chromium takes no more from a host.
    static let maxByteCount = 1 << 20
    private static let lengthByteCount = 4
    private static let chunk = 1 << 16

    private var bytes: [UInt8] = []

    /// A state of the reading of a message.
    enum State {
        case partial
        /// The JSON, not read yet.
        case complete([UInt8])
        /// The end of the file, or bytes that are no message: too long, empty, or followed by more.
        case ended
    }

    /// A message of JSON.
    static func encoded(_ json: String) -> [UInt8] {
        let count = UInt32(clamping: json.utf8.count)
        return (0..<lengthByteCount).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + json.utf8
    }

    /// Reads the available bytes of a file that is ready.
    mutating func read(from file: Int32) -> State {
        var buffer = [UInt8](repeating: 0, count: Self.chunk)
        let count = buffer.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
        if count < 0, [EAGAIN, EINTR].contains(errno) { return .partial }
        guard count > 0 else { return .ended }
        return take(buffer[..<count])
    }

    /// Takes some bytes more.
    mutating func take(_ more: ArraySlice<UInt8>) -> State {
        bytes += more
        guard bytes.count >= Self.lengthByteCount else { return .partial }
        let length = bytes.prefix(Self.lengthByteCount).reversed().reduce(0) { $0 << 8 | Int($1) }
        let expected = Self.lengthByteCount + length
        guard (1...Self.maxByteCount).contains(length), bytes.count <= expected else { return .ended }
        return bytes.count < expected ? .partial : .complete(Array(bytes.dropFirst(Self.lengthByteCount)))
    }
}

/// A request of a page, as the browser's machine states it.
struct BrowserRequest: Sendable {
    /// The kind of ceremony.
    enum Kind: String {
        case create
        case get
    }

    let kind: Kind
    /// The page's origin, by the word of the browser's machine.
    let origin: String
    /// The options, JSON.
    let options: String
    /// The RP ID, unless it is the origin's host.
    let relyingPartyID: String?
    /// The account that a new passkey is for.
    let account: String?

    private static let members: Set = ["type", "origin", "sameOriginWithAncestors", "options"]

    /// Reads a request. Of its options only the members that are shown are read here.
    ///
    /// - Throws: ``WebAuthnClientError`` `TypeError` for bytes that are none, `NotAllowedError` for a page
    ///   in another's frame.
    init(parsing json: [UInt8]) throws(WebAuthnClientError) {
        guard let request = try? JSONValue(parsing: json.span),
            let names = request.objectValue?.map(\.name), names.allSatisfy(Self.members.contains),
            let kind = request["type"]?.stringValue.flatMap(Kind.init),
            let origin = request["origin"]?.stringValue, let options = request["options"], options.objectValue != nil,
            case .bool(let isSameOrigin)? = request["sameOriginWithAncestors"]
        else { throw WebAuthnClientError(.type, reason: "this is not a request of the browser's extension") }
        guard isSameOrigin else {
            throw WebAuthnClientError(.notAllowed, reason: "the page is in a frame of another origin's page")
        }
        self.kind = kind
        self.origin = origin
        self.options = options.text
        relyingPartyID = (kind == .create ? options["rp"]?["id"] : options["rpId"])?.stringValue
        account = options["user"]?["name"]?.stringValue
    }
}

/// An answer to a request: `{"response":…}` or `{"error":{"name":…,"message":…}}`.
enum BrowserAnswer {
    case response(String)
    /// The name of the exception that the page sees, and a sentence.
    case error(WebAuthnExceptionName, String)

    /// The answer as a message. A response that is too long for one is refused.
    var message: [UInt8] {
        let json =
            switch self {
            case .response(let response): "{\"response\":\(response)}"
            case .error(let name, let text):
                JSONValue.object([
                    .init("error", ["name": .string(name.rawValue), "message": .string(text)])
                ]).text
            }
        guard json.utf8.count <= BrowserMessage.maxByteCount else {
            return Self.error(.unknown, "the response is too long").message
        }
        return BrowserMessage.encoded(json)
    }

    /// The refusal that a page is told no more of. Source: WebAuthn Level 3 sections 14.5.1 and 14.5.2.
    static let refusal = Self.error(.notAllowed, "the request was refused, or ended")

    /// The answer to a request that failed: the reason is given where it is the request's.
    init(_ error: any Error) {
        let name = WebAuthnExceptionName(of: error)
        guard name != .notAllowed, let error = error as? WebAuthnClientError else {
            self = name == .notAllowed ? Self.refusal : .error(name, "the request was ended")
            return
        }
        self = .error(name, error.reason)
    }

    /// The word for it: `answered`, or the exception's name.
    var outcome: String {
        switch self {
        case .response: "answered"
        case .error(let name, _): name.rawValue
        }
    }
}
