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
            throw DigitalCredentialError(.wrongType, reason: "what should have the member \(name) is not an object")
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
