/// An answer to the request for a relying party's list of related origins.
public struct RelatedOriginsResponse: Sendable, Hashable {
    /// The status, after redirects.
    public let status: Int
    /// The values of the headers `Content-Type`, in their order.
    public let contentTypes: [String]
    /// The body.
    public let body: [UInt8]

    /// Makes an answer.
    public init(status: Int, contentTypes: [String], body: [UInt8]) {
        self.status = status
        self.contentTypes = contentTypes
        self.body = body
    }
}

/// Gets relying parties' lists of related origins from the network.
public protocol RelatedOriginsFetcher: Sendable {
    /// Gets a file: without cookies or other credentials and without a referrer, over verified TLS only, redirects too.
    ///
    /// Nothing may exceed ``RelatedOrigins/maxByteCount``, ``RelatedOrigins/timeout`` and
    /// ``RelatedOrigins/maxRedirectCount``.
    ///
    /// - Parameter url: `https://` and the rest.
    /// - Throws: ``RelyingPartyError`` `related-origins-unavailable`.
    func fetch(_ url: String) async throws(RelyingPartyError) -> RelatedOriginsResponse
}

/// Source: MIME Sniffing Standard section 4.4; Fetch section 3.5 (extracting a type from several headers).
enum MediaType {
    private static let anyType = "*/*"

    /// The last type that the headers name, in lower case and without parameters; nil if there is none.
    static func last(of headers: [String]) -> String? {
        headers.flatMap { $0.split(separator: ",") }.compactMap(essence).last
    }

    private static func essence(of value: Substring) -> String? {
        let text = value.drop(while: isSpace).prefix { !isSpace($0) && $0 != ";" }
        guard text.split(separator: "/", omittingEmptySubsequences: false).count > 1, text != anyType else {
            return nil
        }
        return text.lowercased()
    }

    private static func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
}
