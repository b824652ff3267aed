internal import Encodings

/// A signed request of OpenID4VP, taken apart. **Its signatures are not checked**: the signer it names is a claim.
///
/// Source: OpenID for Verifiable Presentations 1.0, appendix A.3.2; RFC 7515 sections 4, 7.1 and 7.2.1.
struct SignedRequest {
    /// The parameters of the request: the payload, an object.
    let parameters: JSONValue
    /// The client IDs, one for each signature, 1 to 16: `x509_san_dns:verifier.example`, for instance.
    let clientIDs: [String]
    /// The origins that may make this request (HT-DC-43).
    private let expectedOrigins: [JSONValue]

    /// Parts of the compact form: header, payload, signature.
    private static let partCount = 3
    private static let mostSignatures = 16
    private static let mediaType = "oauth-authz-req+jwt"
    /// Members of a payload that would have a wallet read another request than this one.
    private static let otherRequests = ["request", "request_uri"]

    /// Reads the compact form.
    ///
    /// - Throws: `badSignedRequest`.
    init(compact text: String) throws(DigitalCredentialError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == Self.partCount else {
            throw .unsigned("it has \(parts.count) parts, not \(Self.partCount)")
        }
        let header = try Self.header(parts[0])
        guard header["typ"]?.stringValue == Self.mediaType else {
            throw .unsigned("its type is not \(Self.mediaType)")
        }
        try Self.checkSignature(parts[2])
        let parameters = try Self.object(parts[1], "payload")
        try self.init(parameters, clientIDs: [Self.clientID(in: parameters)])
    }

    /// Reads the JSON form, in which each signature's header names its client.
    ///
    /// - Throws: `badSignedRequest`.
    init(general value: JSONValue) throws(DigitalCredentialError) {
        guard let payload = value["payload"]?.stringValue, let signatures = value["signatures"]?.arrayValue else {
            throw .unsigned("the payload or the signatures are missing")
        }
        guard (1...Self.mostSignatures).contains(signatures.count) else {
            throw .unsigned("it has \(signatures.count) signatures; 1 to \(Self.mostSignatures) are taken")
        }
        var clientIDs: [String] = []
        for signature in signatures {
            guard let protected = signature["protected"]?.stringValue, let code = signature["signature"]?.stringValue
            else { throw .unsigned("a signature has no header, or no value") }
            try Self.checkSignature(code)
            clientIDs.append(try Self.clientID(in: try Self.header(protected)))
        }
        let parameters = try Self.object(payload, "payload")
        guard parameters["client_id"] == nil else { throw .unsigned("its payload names a client, as each header does") }
        try self.init(parameters, clientIDs: clientIDs)
    }

    private init(_ parameters: JSONValue, clientIDs: [String]) throws(DigitalCredentialError) {
        guard let origins = parameters["expected_origins"]?.arrayValue, !origins.isEmpty else {
            throw .unsigned("it does not say which origins may make it")
        }
        guard Self.otherRequests.allSatisfy({ parameters[$0] == nil }) else {
            throw .unsigned("it refers to another request")
        }
        self.parameters = parameters
        self.clientIDs = clientIDs
        expectedOrigins = origins
    }

    /// True if the request may come from this origin, compared byte for byte.
    func isExpected(from origin: String) -> Bool {
        expectedOrigins.contains { $0.stringValue?.utf8.elementsEqual(origin.utf8) == true }
    }

    private static func header(_ part: some StringProtocol) throws(DigitalCredentialError) -> JSONValue {
        let header = try object(part, "header")
        guard let algorithm = header["alg"]?.stringValue, !algorithm.isEmpty, algorithm.lowercased() != "none" else {
            throw .unsigned("its header names no algorithm")
        }
        // A critical parameter might give the payload another meaning.
        guard header["crit"] == nil else { throw .unsigned("its header has an extension that is not known here") }
        return header
    }

    private static func clientID(in object: JSONValue) throws(DigitalCredentialError) -> String {
        guard let clientID = object["client_id"]?.stringValue, !clientID.isEmpty else {
            throw .unsigned("it does not name its client")
        }
        return clientID
    }

    private static func checkSignature(_ part: some StringProtocol) throws(DigitalCredentialError) {
        guard let bytes = Base64URL.decode(part), !bytes.isEmpty else {
            throw .unsigned("its signature is not base64url")
        }
    }

    private static func object(
        _ part: some StringProtocol, _ name: String
    ) throws(DigitalCredentialError) -> JSONValue {
        guard let bytes = Base64URL.decode(part) else { throw .unsigned("its \(name) is not base64url") }
        guard let value = try? JSONValue(parsing: bytes.span), value.objectValue != nil else {
            throw .unsigned("its \(name) is not a JSON object")
        }
        return value
    }
}

extension DigitalCredentialError {
    fileprivate static func unsigned(_ reason: String) -> Self {
        Self(.badSignedRequest, reason: "a signed request cannot be read: \(reason)")
    }
}
