internal import Encodings

/// The messages about digital credentials: JSON of type 3 (HT-DC-9; Chromium's
/// `cross_device_request_dispatcher.cc`).
enum DigitalCredentialMessages {
    /// The feature under which it is offered.
    static let feature = "dc"
    /// A protocol that wallets know: OpenID for Verifiable Presentations 1.0.
    static let knownProtocol = "openid4vp-v1-unsigned"

    /// A request, right until a case changes it.
    struct Request: Sendable {
        var origin: JSONValue? = "https://conformance.example"
        var requestType: JSONValue? = "credential.get"
        var requests: JSONValue? = [option(knownProtocol)]
        /// Further members of the message.
        var others: [JSONValue.Member] = []

        /// The message as it is sent.
        var text: String {
            var members = [JSONValue.Member("request", .object([JSONValue.Member("digital", digital)]))]
            if let requestType { members.insert(JSONValue.Member("requestType", requestType), at: 0) }
            if let origin { members.insert(JSONValue.Member("origin", origin), at: 0) }
            return JSONValue.object(members + others).text
        }

        private var digital: JSONValue { .object(requests.map { [JSONValue.Member("requests", $0)] } ?? []) }
    }

    /// One way in which a request can be answered.
    static func option(_ name: String) -> JSONValue {
        [
            "protocol": .string(name),
            "data": [
                "nonce": "conformance",
                "dcql_query": ["credentials": [["id": "any", "format": "dc+sd-jwt", "claims": [["path": ["name"]]]]]],
            ],
        ]
    }

    /// A credential that the runner's authenticator gives.
    static let credential: JSONValue = ["protocol": .string(knownProtocol), "data": ["vp_token": ["any": ["made-up"]]]]

    /// An answer, with the value of `digital`.
    static func answer(_ digital: JSONValue) -> String { (["response": ["digital": digital]] as JSONValue).text }

    /// The answer of an authenticator.
    enum Reply: Sendable {
        case credential(protocolName: String)
        case error(String)
    }

    /// Reads an authenticator's answer.
    ///
    /// - Throws: ``Deviation`` if it is none.
    static func reply(_ bytes: [UInt8]) throws -> Reply {
        guard let answer = try? JSONValue(parsing: bytes.span) else { throw Deviation("its answer is not JSON") }
        guard let digital = answer["response"]?["digital"] else {
            throw Deviation("its answer has no member response.digital")
        }
        if let error = digital["error"] {
            guard let name = error.stringValue else { throw Deviation("the error in its answer is not text") }
            return .error(name)
        }
        guard let name = digital["data"]?["protocol"]?.stringValue, digital["data"]?["data"] != nil else {
            throw Deviation("its answer has neither an error nor a credential with protocol and data")
        }
        return .credential(protocolName: name)
    }
}
