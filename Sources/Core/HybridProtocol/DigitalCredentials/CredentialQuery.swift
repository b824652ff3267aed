internal import Encodings

/// The credentials that parameters of OpenID4VP ask for, in the Digital Credentials Query Language (DCQL).
///
/// A query that could be taken for another request than the one that is shown is refused: credentials that are named
/// outside of the query, sets that select among them, and restrictions of a format that the credential does not have.
///
/// Source: OpenID for Verifiable Presentations 1.0, section 6 and appendix B.
struct CredentialQuery {
    /// A credential, and the claims asked of it.
    struct Credential {
        /// The types, of which any one will do: at least one.
        let types: [String]
        /// The claims, each as its path.
        let claims: [[JSONValue]]
    }

    /// The credentials, at least one.
    let credentials: [Credential]

    /// Parameters that name credentials, or claims, outside of the query.
    private static let otherNames = ["scope", "presentation_definition", "presentation_definition_uri", "claims"]
    /// The member of `meta` that names the types, for each format that is read here; `vc+sd-jwt` is its older name.
    private static let typeMembers = [
        "dc+sd-jwt": "vct_values", "vc+sd-jwt": "vct_values", "mso_mdoc": "doctype_value",
    ]

    /// Reads the member `dcql_query`; nil if there is none.
    ///
    /// - Throws: `ambiguous`, `badQuery`.
    init?(_ parameters: JSONValue) throws(DigitalCredentialError) {
        let others = Self.otherNames.filter { parameters[$0] != nil }
        guard others.isEmpty else {
            throw .ambiguous("it names credentials by \(others.joined(separator: ", "))")
        }
        guard let query = parameters["dcql_query"] else { return nil }
        guard query["credential_sets"] == nil else { throw .ambiguous("sets select among its credentials") }
        guard let entries = query["credentials"]?.arrayValue, !entries.isEmpty else {
            throw .unreadable("it has no credentials")
        }
        var credentials: [Credential] = []
        for entry in entries { credentials.append(try Self.credential(entry)) }
        self.credentials = credentials
    }

    private static func credential(_ entry: JSONValue) throws(DigitalCredentialError) -> Credential {
        guard let format = entry["format"]?.stringValue, !format.isEmpty else {
            throw .unreadable("a credential has no format")
        }
        guard entry["claim_sets"] == nil else { throw .ambiguous("sets select among its claims") }
        return Credential(types: try types(entry["meta"], of: format), claims: try claims(entry["claims"]))
    }

    /// The types that `meta` names; the format if it names none, and with the whole of `meta` if that is not known.
    private static func types(
        _ meta: JSONValue?, of format: String
    ) throws(DigitalCredentialError) -> [String] {
        guard let meta else { return [format] }
        guard let members = meta.objectValue else { throw .unreadable("the meta of a credential is not an object") }
        guard let name = typeMembers[format] else {
            guard members.allSatisfy({ !typeMembers.values.contains($0.name) }) else {
                throw .ambiguous("the meta of a credential is of another format")
            }
            return [members.isEmpty ? format : "\(format) \(meta.text)"]
        }
        guard members.allSatisfy({ $0.name == name }) else {
            throw .ambiguous("the meta of a credential is of another format")
        }
        guard let value = meta[name] else { return [format] }
        let texts = name == "doctype_value" ? [value.stringValue] : (value.arrayValue ?? []).map(\.stringValue)
        let types = texts.compactMap(\.self).filter { !$0.isEmpty }
        guard !types.isEmpty, types.count == texts.count else {
            throw .unreadable("the type of a credential is not text")
        }
        return types
    }

    private static func claims(_ value: JSONValue?) throws(DigitalCredentialError) -> [[JSONValue]] {
        guard let value else { return [] }
        guard let entries = value.arrayValue, !entries.isEmpty else { throw .unreadable("it has no claims") }
        var claims: [[JSONValue]] = []
        for entry in entries {
            guard let path = entry["path"]?.arrayValue, !path.isEmpty, path.allSatisfy(isPart) else {
                throw .unreadable("a claim has no path")
            }
            // Drafts name a claim of a document so.
            guard entry["namespace"] == nil, entry["claim_name"] == nil else {
                throw .ambiguous("a claim is named in two ways")
            }
            claims.append(path)
        }
        return claims
    }

    /// True for a name, an index, and null, which is every element of a list.
    private static func isPart(_ value: JSONValue) -> Bool {
        switch value {
        case .string, .number, .null: true
        default: false
        }
    }
}

extension DigitalCredentialError {
    fileprivate static func unreadable(_ reason: String) -> Self {
        Self(.badQuery, reason: "a query for credentials cannot be read: \(reason)")
    }
}
