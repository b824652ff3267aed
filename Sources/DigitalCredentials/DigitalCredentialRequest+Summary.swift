internal import JSON

extension DigitalCredentialRequest {
    /// What is asked for, a line for each option: for people who are to agree to it.
    ///
    /// Of OpenID4VP's queries in DCQL (OpenID for Verifiable Presentations 1.0, section 6) it names the kind of credential and the
    /// claims; of anything else, what was asked, cut. Most of it is the site's own words: whoever shows it must expect control
    /// characters and direction overrides.
    public var summary: [String] {
        options.prefix(Self.mostLines).map { $0.summary }
            + (options.count > Self.mostLines ? ["and \(options.count - Self.mostLines) more"] : [])
    }

    /// How many options are shown.
    private static let mostLines = 8
}

extension DigitalCredentialRequest.Option {
    /// How many characters of an option are shown.
    private static let longestSummary = 240

    fileprivate var summary: String {
        let words =
            queries ?? (data["request"]?.stringValue == nil ? data.text : "a signed request, which is not read here")
        let text = "\(exchangeProtocol): \(words)"
        return text.count > Self.longestSummary ? text.prefix(Self.longestSummary) + "…" : text
    }

    /// What a query in DCQL asks for; nil if there is none.
    private var queries: String? {
        guard let credentials = data["dcql_query"]?["credentials"]?.arrayValue, !credentials.isEmpty else { return nil }
        return credentials.map { credential in
            let meta = credential["meta"]
            let types = meta?["vct_values"]?.arrayValue?.compactMap(\.stringValue) ?? []
            let kind = meta?["doctype_value"]?.stringValue ?? types.first ?? credential["format"]?.stringValue
            let claims = (credential["claims"]?.arrayValue ?? []).map { claim in
                (claim["path"]?.arrayValue ?? []).map { $0.stringValue ?? $0.text }.joined(separator: ".")
            }
            return (kind ?? "any credential") + (claims.isEmpty ? "" : " (\(claims.joined(separator: ", ")))")
        }.joined(separator: ", ")
    }
}
