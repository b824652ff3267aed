internal import JSON

extension DigitalCredentialRequest {
    /// The request in a line for each option, for the user who is asked to agree.
    ///
    /// Of OpenID4VP's queries in DCQL (OpenID for Verifiable Presentations 1.0, section 6) it names the kind of
    /// credential and the claims; of anything else, the data, cut. Most of it is the site's own text: a program that
    /// shows it must expect control characters and direction overrides.
    public var summary: [String] {
        options.prefix(Self.maximumLineCount).map { $0.summary }
            + (options.count > Self.maximumLineCount ? ["and \(options.count - Self.maximumLineCount) more"] : [])
    }

    /// The most options that are shown.
    private static let maximumLineCount = 8
}

extension DigitalCredentialRequest.Option {
    /// The most Unicode scalars of an option that are shown: a character may have any number of them.
    private static let maximumScalarCount = 240
    /// The most marks on one character that are shown; more would cover the lines around it.
    private static let maximumMarkCount = 2

    fileprivate var summary: String {
        let contents =
            queries ?? (data["request"]?.stringValue == nil ? data.text : "a signed request, which is not read here")
        return Self.shortened("\(exchangeProtocol): \(contents)")
    }

    private static func shortened(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        var (scalarCount, markCount) = (0, 0)
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .spacingMark: markCount += 1
            default: markCount = 0
            }
            guard markCount <= maximumMarkCount else { continue }
            guard scalarCount < maximumScalarCount else { return String(shown) + "…" }
            shown.append(scalar)
            scalarCount += 1
        }
        return String(shown)
    }

    /// The credentials and claims of a query in DCQL; nil if there is none.
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
