internal import Encodings
internal import HybridProtocol

extension FuzzTarget {
    /// The drawn bytes are those inside base64url: headers, payloads and CBOR.
    static let digitalCredential = FuzzTarget(
        "digital-credential", "signed requests for digital credentials, and requests for documents"
    ) { input in
        let header = Base64URL.encode(#"{"alg":"ES256","typ":"oauth-authz-req+jwt","client_id":"c"}"#.utf8)
        let payload = Base64URL.encode(#"{"client_id":"c","expected_origins":["https://a.b"]}"#.utf8)
        let kind = input.number(below: 6)
        let drawn = Base64URL.encode(input.rest())
        let (name, data): (String, JSONValue) =
            switch kind {
            case 0: ("openid4vp-v1-signed", ["request": .string("\(header).\(drawn).AA")])
            case 1: ("openid4vp-v1-signed", ["request": .string("\(drawn).\(payload).AA")])
            case 2: ("openid4vp-v1-multisigned", general(header, drawn))
            case 3: ("openid4vp-v1-multisigned", ["request": general(drawn, payload)])
            case 4: ("openid4vp", ["request": .string(drawn)])
            default: ("org-iso-mdoc", ["deviceRequest": .string(drawn)])
            }
        let digital: JSONValue = ["requests": [["protocol": .string(name), "data": data]]]
        guard let request = try? DigitalCredentialRequest(origin: "https://a.b", kind: .presentation, digital: digital)
        else { return expect(false, "a request is refused for its data") }
        expect(request.summary.count <= 3, "too much is shown")
        for line in request.summary { expect(line.unicodeScalars.count <= 512, "a line is too long") }
        guard let admitted = try? request.admitted() else { return }
        expect(admitted.request == request, "what was admitted is another request")
        expect(admitted.leftOut.isEmpty, "the only option was left out")
    }

    private static func general(_ header: String, _ payload: String) -> JSONValue {
        ["payload": .string(payload), "signatures": [["protected": .string(header), "signature": "AA"]]]
    }
}
