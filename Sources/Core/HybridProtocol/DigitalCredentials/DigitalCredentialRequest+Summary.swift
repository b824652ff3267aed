internal import Encodings

extension DigitalCredentialRequest {
    /// The request in a line or two for each option, for the user who is asked to agree: all of it.
    ///
    /// It names each type of credential and each claim of OpenID4VP's queries in DCQL (OpenID for Verifiable
    /// Presentations 1.0, section 6), also of signed requests, and of requests for documents (ISO/IEC 18013-5); of
    /// anything else, the data. Of a signed request it says first that its signature is not checked, and whom it claims
    /// to be from (HT-DC-42). Of what ``admitted()`` returns, the lines have 8192 Unicode scalars at most. Padding is
    /// left out; apart from that, most of it is the site's own text: a program that shows it must show the whole, and
    /// expect control characters and direction overrides.
    public var summary: [String] {
        options.flatMap { option in
            do throws(DigitalCredentialError) {
                return option.lines(of: try option.contents()).map(Self.visible)
            } catch {
                return [Self.visible("\(option.exchangeProtocol): \(error.reason)")]
            }
        }
    }

    /// The most marks on one character that are shown; more would cover the lines around it.
    private static let maximumMarkCount = 2

    /// A line without its padding.
    private static func visible(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        var markCount = 0
        for scalar in text.collapsingPadding.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .spacingMark: markCount += 1
            default: markCount = 0
            }
            if markCount <= maximumMarkCount { shown.append(scalar) }
        }
        return String(shown)
    }
}

extension DigitalCredentialRequest.Option {
    private static let unchecked = "signed, and the signature is not checked here"

    /// The lines for the user, before anything is taken away that shows nothing.
    func lines(of contents: Contents) -> [String] {
        switch contents {
        case .unread: [line(data.text)]
        case .parameters(let parameters, let query): lines(of: parameters, query)
        case .signed(let request, let query):
            ["\(Self.unchecked); it says that it is of \(request.clientIDs.map(Self.name).joined(separator: ", "))"]
                + lines(of: request.parameters, query)
        case .documents(let request):
            (request.isSigned ? [Self.unchecked] : [])
                + [line(request.documents.map { Self.text([$0.type], $0.elements) }.joined(separator: ", "))]
        }
    }

    private func lines(of parameters: JSONValue, _ query: CredentialQuery?) -> [String] {
        let credentials = query?.credentials.map { credential in
            Self.text(credential.types, credential.claims.map { $0.map { $0.stringValue ?? $0.text } })
        }
        return Self.transactions(of: parameters) + [line(credentials?.joined(separator: ", ") ?? parameters.text)]
    }

    private func line(_ contents: String) -> String { "\(exchangeProtocol): \(contents)" }

    /// A document or a credential of one of these types, with the paths that are asked of it.
    private static func text(_ types: [String], _ paths: [[String]]) -> String {
        let claims = paths.map { $0.map(name).joined(separator: ".") }.joined(separator: ", ")
        return types.map(name).joined(separator: " or ") + (paths.isEmpty ? "" : " (\(claims))")
    }

    /// A name of the site's; in quotation marks if it could be taken for several, or for words of ours.
    private static func name(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.unicodeScalars.allSatisfy { !$0.isBlank && !separators.contains($0) }
        return isPlain ? text : JSONValue.string(text.collapsingPadding).text
    }

    /// The signs between names.
    private static let separators: Set<Unicode.Scalar> = [",", "(", ")", ";", "\""]

    /// A line with the kinds of transactions that the user agrees to by showing a credential (OpenID for Verifiable
    /// Presentations 1.0, section 8.4); none if there are none.
    private static func transactions(of parameters: JSONValue) -> [String] {
        guard let transactions = parameters["transaction_data"] else { return [] }
        let kinds = (transactions.arrayValue ?? []).map { transaction in
            let bytes = transaction.stringValue.flatMap { Base64URL.decode($0) }
            let type = bytes.flatMap { try? JSONValue(parsing: $0.span) }?["type"]?.stringValue
            return type.map(name) ?? "of an unknown kind"
        }
        let names = kinds.isEmpty ? "of an unknown kind" : kinds.joined(separator: ", ")
        return ["to show it agrees to a transaction: \(names)"]
    }
}
