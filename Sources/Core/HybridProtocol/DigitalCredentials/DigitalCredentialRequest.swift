public import Encodings

/// The request of a client to a wallet: to present a digital credential to a site, or to accept one from it.
///
/// Its JSON is `{"origin":…,"requestType":…,"request":{"digital":{"requests":[{"protocol":…,"data":…},…]}}}`. Source:
/// Chromium's `cross_device_request_dispatcher.cc` and `digital_identity_request_impl.cc`; W3C Digital Credentials,
/// section 3 (`DigitalCredentialRequestOptions`, `DigitalCredentialGetRequest`). Rules: HT-DC-17, HT-DC-18, HT-DC-19.
/// Members beyond these are passed on as they are.
public struct DigitalCredentialRequest: Sendable, Hashable {
    /// The direction of the credential; there is no other (HT-DC-22).
    public enum Kind: String, Sendable, CaseIterable {
        /// A credential is shown to the site (`navigator.credentials.get`).
        case presentation = "credential.get"
        /// A credential is taken from the site (`navigator.credentials.create`).
        case issuance = "credential.create"
    }

    /// One of several ways in which the site could be answered.
    public struct Option: Sendable, Hashable {
        /// The name of the protocol that ``data`` is of: `openid4vp-v1-unsigned`, for instance.
        public let exchangeProtocol: String
        /// The contents, as the protocol has them.
        public let data: JSONValue
    }

    /// The origin of the site, as the client states it, which is trusted in this as browsers are: 1 to 512 bytes
    /// (HT-DC-21, HT-DC-25). Its form is not checked.
    public let origin: String
    /// The direction of the credential.
    public let kind: Kind
    /// The whole object that the site handed to its browser, with the member `requests`.
    public let digital: JSONValue
    /// The ways in which it can be answered, 1 to 64 (HT-DC-23, HT-DC-24, HT-DC-25).
    public let options: [Option]

    /// The longest origin, in bytes: a host name has 253 at most, and the user is shown the whole.
    static let longestOrigin = 512
    /// The most options: a site offers one for each protocol.
    static let mostOptions = 64
    /// The longest name of a protocol, in bytes.
    static let longestProtocol = 256

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - origin: the site's origin, `https://` and a host, or `http://localhost`.
    ///   - kind: the direction of the credential.
    ///   - digital: the object that a page hands to `navigator.credentials` as `digital`.
    /// - Throws: `missingMember`, `wrongType`, `tooLarge`.
    public init(origin: String, kind: Kind, digital: JSONValue) throws(DigitalCredentialError) {
        guard (1...Self.longestOrigin).contains(origin.utf8.count) else {
            throw DigitalCredentialError(.wrongType, reason: "an origin has 1 to \(Self.longestOrigin) bytes")
        }
        let requests = try digital.member("requests", \.arrayValue)
        guard !requests.isEmpty else { throw DigitalCredentialError(.wrongType, reason: "requests is empty") }
        guard requests.count <= Self.mostOptions else {
            throw DigitalCredentialError(
                .tooLarge, reason: "\(requests.count) requests, of at most \(Self.mostOptions)")
        }
        var options: [Option] = []
        for request in requests {
            let name = try request.member("protocol", \.stringValue)
            guard (1...Self.longestProtocol).contains(name.utf8.count) else {
                throw DigitalCredentialError(.wrongType, reason: "a protocol has 1 to \(Self.longestProtocol) bytes")
            }
            options.append(Option(exchangeProtocol: name, data: try request.member("data", \.self)))
        }
        self.origin = origin
        self.kind = kind
        self.digital = digital
        self.options = options
    }

    /// Reads a request as it comes from a client.
    ///
    /// - Parameter json: of at most 1 MiB and 64 levels (HT-DC-11, HT-DC-14).
    /// - Throws: `invalidJSON`, `tooLarge`, `missingMember`, `wrongType`, `unknownRequestType`.
    public init(parsing json: String) throws(DigitalCredentialError) {
        let message = try JSONValue(message: json)
        let origin = try message.member("origin", \.stringValue)
        guard let kind = Kind(rawValue: try message.member("requestType", \.stringValue)) else {
            throw DigitalCredentialError(.unknownRequestType, reason: "the type of the request is unknown")
        }
        try self.init(origin: origin, kind: kind, digital: message.member("request", \.self).member("digital", \.self))
    }

    /// The request as it is sent: the checked members only.
    public var json: String {
        let message: JSONValue = [
            "origin": .string(origin), "requestType": .string(kind.rawValue), "request": ["digital": digital],
        ]
        return message.text
    }
}

extension JSONValue {
    /// Reads a message.
    init(message text: String) throws(DigitalCredentialError) {
        do { try self.init(parsing: text) } catch { throw DigitalCredentialError(error) }
    }

    /// A member that must be there, and of one type.
    func member<Value>(
        _ name: String, _ read: (JSONValue) -> Value?
    ) throws(DigitalCredentialError) -> Value {
        guard objectValue != nil else {
            throw DigitalCredentialError(.wrongType, reason: "the parent of the member \(name) is not an object")
        }
        guard let value = self[name] else {
            throw DigitalCredentialError(.missingMember, reason: "the member \(name) is missing")
        }
        guard let found = read(value) else {
            throw DigitalCredentialError(.wrongType, reason: "the member \(name) is of a wrong type")
        }
        return found
    }
}

extension DigitalCredentialRequest.Option {
    /// The request of an option, as far as it is read here.
    enum Contents {
        /// Data of a protocol that is not read here.
        case unread
        /// Parameters of OpenID4VP that nobody has signed, and the query among them, if there is one.
        case parameters(JSONValue, CredentialQuery?)
        /// Parameters of OpenID4VP that somebody has signed, and their query; the signature is not checked.
        case signed(SignedRequest, CredentialQuery?)
        /// Documents by ISO/IEC 18013-5.
        case documents(DeviceRequest)
    }

    private static let openID4VP = "openid4vp"
    private static let mobileDocuments = "org-iso-mdoc"
    /// The members of which each is a request by itself.
    private static let requests = ["dcql_query", "request", "request_uri", "payload"]

    /// Reads the data (HT-DC-42, HT-DC-44).
    ///
    /// - Throws: `ambiguous`, `badQuery`, `badSignedRequest`, `badDeviceRequest`.
    func contents() throws(DigitalCredentialError) -> Contents {
        if exchangeProtocol == Self.mobileDocuments { return .documents(try DeviceRequest(data)) }
        guard exchangeProtocol.hasPrefix(Self.openID4VP) else { return .unread }
        let found = Self.requests.filter { data[$0] != nil }
        guard found.count <= 1, data["request_uri"] == nil else {
            throw .ambiguous("it has \(found.joined(separator: ", "))")
        }
        // The JSON form of a signed request is the data itself, or its member `request`: readers take the one or the
        // other.
        let signed = data["request"] ?? (data["payload"] == nil ? nil : data)
        // Early drafts name the protocol without the kind of request.
        switch (exchangeProtocol.split(separator: "-").last, signed) {
        case ("unsigned", nil): return .parameters(data, try CredentialQuery(data))
        case ("unsigned", _?), ("signed", nil), ("multisigned", nil):
            throw .ambiguous("its protocol is for another kind")
        case (let kind, .string(let text)?) where kind != "multisigned":
            return try Self.signed(SignedRequest(compact: text))
        case (let kind, .object?) where kind != "signed":
            return try Self.signed(SignedRequest(general: signed ?? data))
        case (_, nil): return .parameters(data, try CredentialQuery(data))
        default: throw .ambiguous("its protocol is for another kind")
        }
    }

    private static func signed(_ request: SignedRequest) throws(DigitalCredentialError) -> Contents {
        .signed(request, try CredentialQuery(request.parameters))
    }
}

extension DigitalCredentialError {
    static func ambiguous(_ reason: String) -> Self {
        Self(.ambiguous, reason: "a request could be read in two ways: \(reason)")
    }
}

extension DigitalCredentialRequest {
    /// The request in a line or two for each option, for the user who is asked to agree: all of it.
    ///
    /// It names each type of credential and each claim of OpenID4VP's queries in DCQL (OpenID for Verifiable
    /// Presentations 1.0, section 6), also of signed requests, and of requests for documents (ISO/IEC 18013-5); of
    /// anything else, the data. Of a signed request it says first that its signature is not checked, and whom it claims
    /// to be from (HT-DC-42). The lines of a request from ``admitted()`` have 8192 Unicode scalars at most. Padding is
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
