internal import Encodings

/// The origins that a relying party lists as its own beside those of its domain: the file `/.well-known/webauthn`.
///
/// Source: WebAuthn Level 3 section 5.11 (related origin requests). Where that leaves something open this does as
/// Chromium does: at most 2^18 bytes, 10 seconds, 20 redirects, 5 registrable labels.
public struct RelatedOrigins: Sendable, Hashable {
    /// The most bytes of a file.
    public static let maxByteCount = 1 << 18
    /// The longest time for a file to come, redirects included.
    public static let timeout = Duration.seconds(10)
    /// The most redirects, each of which has to be to `https`.
    public static let maxRedirectCount = 20
    /// The most different registrable labels; entries with a further one count for nothing.
    ///
    /// The label is the one before the public suffix: `example` for `www.example.co.uk` and `example.com` alike.
    public static let maxLabelCount = 5

    /// An entry of the file.
    public struct Entry: Sendable, Hashable {
        /// The text in the file; nil if it is not text.
        public let text: String?
        /// The entry's standing.
        public let standing: Standing
    }

    /// Standing of an entry.
    public enum Standing: Sendable, Hashable {
        /// An origin, with its registrable label.
        case counts(label: String)
        /// An origin whose label is one too many.
        case overLimit(label: String)
        /// Text that is not a URL; it is passed over.
        case noURL
        /// A URL without a name of several labels, or with a public suffix; it is passed over.
        case noRegistrableName
        /// No text: the file is refused, unless the origin asked for stands further up.
        case noText
    }

    /// The entries, in their order.
    public let entries: [Entry]
    private let origins: [HostOrigin?]

    private static let memberName = "origins"
    private static let mediaType = "application/json"
    private static let successes = 200...299
    /// The successes without a body, whatever follows. Source: Fetch section 2.2.3, null body status.
    private static let emptySuccesses: Set<Int> = [204, 205]
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// The deepest nesting that Chromium's reader takes.
    private static let maxDepth = 199

    /// The address of the file.
    ///
    /// - Parameter relyingPartyID: a domain name.
    public static func url(of relyingPartyID: String) -> String { "https://\(relyingPartyID)/.well-known/webauthn" }

    /// Reads an answer to the request for the file.
    ///
    /// - Parameters:
    ///   - response: the answer.
    ///   - suffixes: the list of public suffixes.
    /// - Throws: ``RelyingPartyError`` `related-origins-unavailable`, `related-origins-content-type` or
    ///   `related-origins-malformed`.
    public init(_ response: RelatedOriginsResponse, suffixes: PublicSuffixList) throws(RelyingPartyError) {
        guard Self.successes.contains(response.status) else {
            throw RelyingPartyError(.relatedOriginsUnavailable, reason: "the answer has the status \(response.status)")
        }
        let type = MediaType.last(of: response.contentTypes)
        guard type == Self.mediaType else {
            throw RelyingPartyError(
                .relatedOriginsContentType, reason: "the content type is \(type ?? "missing"), not \(Self.mediaType)")
        }
        let isEmpty = Self.emptySuccesses.contains(response.status)
        try self.init(file: isEmpty ? [] : response.body, suffixes: suffixes)
    }

    /// Reads the file itself.
    ///
    /// - Throws: ``RelyingPartyError`` `related-origins-unavailable` if it is too long, or `related-origins-malformed`.
    public init(file: [UInt8], suffixes: PublicSuffixList) throws(RelyingPartyError) {
        guard file.count <= Self.maxByteCount else {
            throw RelyingPartyError(
                .relatedOriginsUnavailable, reason: "the file has more than \(Self.maxByteCount) bytes")
        }
        let text = file.starts(with: Self.byteOrderMark) ? Array(file.dropFirst(Self.byteOrderMark.count)) : file
        var limits = JSONLimits(byteCount: Self.maxByteCount, depth: Self.maxDepth)
        limits.takesLastDuplicate = true
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue(parsing: text.span, limits: limits)
        } catch {
            throw RelyingPartyError(
                .relatedOriginsMalformed, reason: "the file is not JSON: \(error.reason)", place: error.place)
        }
        guard case .array(let elements)? = document[Self.memberName] else {
            throw RelyingPartyError(
                .relatedOriginsMalformed, reason: "the file is not an object with an array \"\(Self.memberName)\"")
        }
        var labels: Set<String> = []
        var (entries, origins): ([Entry], [HostOrigin?]) = ([], [])
        for element in elements {
            let (standing, origin) = Self.standing(of: element, suffixes, &labels)
            entries.append(Entry(text: element.stringValue, standing: standing))
            origins.append(origin)
        }
        (self.entries, self.origins) = (entries, origins)
    }

    private static func standing(
        of element: JSONValue, _ suffixes: PublicSuffixList, _ labels: inout Set<String>
    ) -> (Standing, HostOrigin?) {
        guard let text = element.stringValue else { return (.noText, nil) }
        let url: ListedURL
        do throws(ListedURL.Fault) {
            url = try ListedURL(text)
        } catch {
            return (error == .noURL ? .noURL : .noRegistrableName, nil)
        }
        let name = url.labels.drop(while: \.isEmpty)
        guard let label = name.dropLast(suffixes.suffixLabelCount(of: name)).last else {
            return (.noRegistrableName, nil)
        }
        guard labels.contains(label) || labels.count < maxLabelCount else { return (.overLimit(label: label), nil) }
        labels.insert(label)
        return (.counts(label: label), HostOrigin(url))
    }

    /// Demands that an origin is listed: the first entries with at most 5 labels name it.
    ///
    /// - Throws: ``RelyingPartyError`` `related-origins-malformed`, `related-origins-over-limit` or
    ///   `origin-not-listed`.
    func check(_ origin: Origin) throws(RelyingPartyError) {
        let wanted = HostOrigin(origin)
        var isOverLimit = false
        for (entry, origin) in zip(entries, origins) {
            switch entry.standing {
            case .counts where origin == wanted: return
            case .noText:
                throw RelyingPartyError(.relatedOriginsMalformed, reason: "an entry of the file is not text")
            case .overLimit: isOverLimit = true
            default: break
            }
        }
        guard !isOverLimit else {
            throw RelyingPartyError(
                .relatedOriginsOverLimit,
                reason: "\(origin.text) is not among the entries of the first \(Self.maxLabelCount) labels")
        }
        throw RelyingPartyError(.originNotListed, reason: "\(origin.text) is not listed")
    }
}

/// Scheme, host and port in the form in which two origins are compared.
struct HostOrigin: Sendable, Hashable {
    let scheme: String
    let labels: [String]
    let port: UInt16?

    /// The origin of a URL; nil if its host ends with a dot, which no origin here has.
    init?(_ url: ListedURL) {
        guard !url.endsWithDot else { return nil }
        (scheme, labels, port) = (url.scheme, url.labels, url.port)
    }

    init(_ origin: Origin) {
        (scheme, labels, port) = (origin.scheme, HostName.labels(of: origin.host.text), origin.port)
    }
}
