internal import Encodings

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
