internal import Encodings

extension DigitalCredentialRequest {
    /// The request in a line or two for each option, for the user who is asked to agree.
    ///
    /// It names the kind of credential and the claims of OpenID4VP's queries in DCQL (OpenID for Verifiable
    /// Presentations 1.0, section 6), also of signed requests, and of requests for documents (ISO/IEC 18013-5); of
    /// anything else, the data, cut. Of a signed request it says first that its signature is not checked, and whom it
    /// claims to be from (HT-DC-42). Most of it is the site's own text: a program that shows it must expect control
    /// characters and direction overrides.
    public var summary: [String] {
        options.prefix(Self.maximumOptionCount).flatMap(\.summary)
            + (options.count > Self.maximumOptionCount ? ["and \(options.count - Self.maximumOptionCount) more"] : [])
    }

    /// The most options that are shown.
    private static let maximumOptionCount = 8
}

extension DigitalCredentialRequest.Option {
    /// The most Unicode scalars of a line that are shown: a character may have any number of them.
    private static let maximumScalarCount = 240
    /// The most Unicode scalars of the names of those who have signed.
    private static let maximumSignerScalarCount = 96
    /// The most marks on one character that are shown; more would cover the lines around it.
    private static let maximumMarkCount = 2
    private static let unchecked = "signed, and the signature is not checked here"

    fileprivate var summary: [String] {
        do throws(DigitalCredentialError) {
            return switch try contents() {
            case .unread: [line(data.text)]
            case .parameters(let parameters): lines(of: parameters)
            case .signed(let request): [Self.mark(request.clientIDs)] + lines(of: request.parameters)
            case .documents(let request): (request.isSigned ? [Self.unchecked] : []) + [line(Self.text(of: request))]
            }
        } catch {
            return [line(error.reason)]
        }
    }

    private func lines(of parameters: JSONValue) -> [String] {
        Self.transactions(of: parameters) + [line(Self.queries(of: parameters) ?? parameters.text)]
    }

    private func line(_ contents: String) -> String {
        Self.shortened("\(exchangeProtocol): \(contents)", to: Self.maximumScalarCount)
    }

    /// The line that a signed request has before its contents.
    private static func mark(_ clientIDs: [String]) -> String {
        "\(unchecked); it says that it is of "
            + shortened(clientIDs.joined(separator: ", "), to: maximumSignerScalarCount)
    }

    private static func shortened(_ text: String, to maximumScalarCount: Int) -> String {
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

    private static func text(of request: DeviceRequest) -> String {
        request.documents.map { text(of: $0.type, $0.elements) }.joined(separator: ", ")
    }

    /// The credentials and claims of a query in DCQL; nil if there is none.
    private static func queries(of parameters: JSONValue) -> String? {
        guard let credentials = parameters["dcql_query"]?["credentials"]?.arrayValue, !credentials.isEmpty else {
            return nil
        }
        return credentials.map { credential in
            let meta = credential["meta"]
            let types = meta?["vct_values"]?.arrayValue?.compactMap(\.stringValue) ?? []
            let kind = meta?["doctype_value"]?.stringValue ?? types.first ?? credential["format"]?.stringValue
            let claims = (credential["claims"]?.arrayValue ?? []).map { claim in
                (claim["path"]?.arrayValue ?? []).map { $0.stringValue ?? $0.text }.joined(separator: ".")
            }
            return text(of: kind ?? "any credential", claims)
        }.joined(separator: ", ")
    }

    private static func text(of kind: String, _ claims: [String]) -> String {
        kind + (claims.isEmpty ? "" : " (\(claims.joined(separator: ", ")))")
    }

    /// A line with the kinds of transactions that the user agrees to by showing a credential (OpenID for Verifiable
    /// Presentations 1.0, section 8.4); none if there are none.
    private static func transactions(of parameters: JSONValue) -> [String] {
        guard let transactions = parameters["transaction_data"] else { return [] }
        let kinds = (transactions.arrayValue ?? []).map { transaction in
            let bytes = transaction.stringValue.flatMap { Base64URL.decode($0) }
            let type = bytes.flatMap { try? JSONValue(parsing: $0.span) }?["type"]?.stringValue
            return type ?? "of an unknown kind"
        }
        let names = kinds.isEmpty ? "of an unknown kind" : kinds.joined(separator: ", ")
        return [shortened("to show it agrees to a transaction: \(names)", to: maximumScalarCount)]
    }
}
