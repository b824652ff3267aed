import Encodings
import Foundation
import HybridProtocol
import Testing

/// Requests written by hand.
private enum Written {
    /// A request in the compact form, of two texts.
    static func compact(
        _ header: String = #"{"alg":"ES256","typ":"oauth-authz-req+jwt"}"#, payload: String = payload,
        signature: String = "c2ln"
    ) -> String { "\(base64URL(header)).\(base64URL(payload)).\(signature)" }

    static let payload = #"{"client_id":"c","expected_origins":["https://verifier.example"],"nonce":"n"}"#

    static func base64URL(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=", with: "")
    }

    /// Its JSON form.
    static func general(
        _ payload: String = #"{"expected_origins":["https://verifier.example"]}"#, signatures: JSONValue? = nil
    ) -> JSONValue {
        let signature: JSONValue = [
            "protected": .string(base64URL(#"{"alg":"ES256","client_id":"c"}"#)), "signature": "c2ln",
        ]
        return ["payload": .string(base64URL(payload)), "signatures": signatures ?? [signature]]
    }

    /// A request for one document, with these items in hexadecimal digits, less than 256 bytes of them.
    ///
    /// - Parameter name: the name of a further member of the request, an empty map.
    static func documentsWith(items: String, and name: String? = nil) -> String {
        let digits = Array(items)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0]) + String(digits[$0 + 1]), radix: 16)
        }
        let head: [UInt8] =
            [name == nil ? 0xA1 : 0xA2, 0x6B] + Array("docRequests".utf8) + [0x81, 0xA1, 0x6C]
            + Array("itemsRequest".utf8)
        let tagged: [UInt8] = [0xD8, 0x18, 0x58, UInt8(bytes.count)] + bytes
        let member: [UInt8] = name.map { [0x60 + UInt8($0.utf8.count)] + Array($0.utf8) + [0xA0] } ?? []
        return Data(head + tagged + member).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}

/// Requests that somebody has signed, taken apart without a check of the signature (HT-DC-42, HT-DC-43, HT-DC-44).
@Suite("A signed digital-credential request")
struct SignedRequestTests {
    private static let asked = "org.iso.18013.5.1.mDL (org.iso.18013.5.1.family_name, org.iso.18013.5.1.age_over_21)"
    private static let unchecked = "signed, and the signature is not checked here"
    private static let client = "x509_san_dns:verifier.example"
    private static let otherClient = "x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk"

    @Test("of another implementation is shown with what it asks for, that it is not checked, and whom it says it is of")
    func compact() throws {
        let request = try request(("openid4vp-v1-signed", fixture("compact")))
        #expect(
            request.summary
                == ["\(Self.unchecked); it says that it is of \(Self.client)", "openid4vp-v1-signed: \(Self.asked)"])
        let (admitted, leftOut) = try request.admitted()
        #expect(admitted == request && leftOut.isEmpty)
    }

    @Test("with several signatures names them all, whether it is the data or a member of it", arguments: [false, true])
    func general(asMember: Bool) throws {
        let data = try asMember ? ["request": fixture("general")] : fixture("general")
        let request = try request(("openid4vp-v1-multisigned", data))
        #expect(request.summary.count == 2)
        #expect(
            request.summary[0]
                == "\(Self.unchecked); it says that it is of \(Self.client), \(Self.otherClient)")
        #expect(request.summary[1] == "openid4vp-v1-multisigned: \(Self.asked)")
        #expect(try request.admitted().request == request)
    }

    @Test("for a transaction says so before what it asks for")
    func transaction() throws {
        let summary = try request(("openid4vp-v1-signed", fixture("transaction"))).summary
        #expect(summary.count == 3)
        #expect(summary[1] == "to show it agrees to a transaction: payment")
    }

    @Test("for documents is shown with their data elements")
    func documents() throws {
        let request = try request(("org-iso-mdoc", fixture("documents")))
        // In the canonical order of CBOR.
        let asked = "org.iso.18013.5.1.mDL (org.iso.18013.5.1.age_over_21, org.iso.18013.5.1.family_name)"
        #expect(request.summary == [Self.unchecked, "org-iso-mdoc: \(asked)"])
        #expect(try request.admitted().request == request)
    }

    @Test(
        "for another origin is left out, by bytes",
        arguments: [
            "https://evil.example", "https://verifier.example:8443", "https://www.verifier.example",
            "https://sub.verifier.example",
        ])
    func otherOrigin(origin: String) throws {
        for (name, data) in [("openid4vp-v1-signed", "compact"), ("openid4vp-v1-multisigned", "general")] {
            let request = try request((name, fixture(data)), from: origin)
            #expect(throws: DigitalCredentialError(.otherOrigin, reason: "")) { try request.admitted() }
        }
        #expect(throws: Never.self) {
            try request(("openid4vp-v1-signed", fixture("compact")), from: "https://www.verifier.example:8443")
                .admitted()
        }
    }

    @Test("that is left out leaves the other options, and all else that the site has sent")
    func leftOut() throws {
        let unsigned: JSONValue = ["dcql_query": ["credentials": [["format": "dc+sd-jwt"]]]]
        let request = try request(
            ("openid4vp-v1-signed", fixture("compact")), ("openid4vp-v1-unsigned", unsigned), ("future", 1),
            from: "https://evil.example")
        let (admitted, leftOut) = try request.admitted()
        #expect(leftOut == [DigitalCredentialError(.otherOrigin, reason: "")])
        #expect(admitted.options.map(\.exchangeProtocol) == ["openid4vp-v1-unsigned", "future"])
        #expect(admitted.digital["other"] == 1 && admitted.digital["requests"]?.arrayValue?.count == 2)
        #expect(admitted.summary == ["openid4vp-v1-unsigned: dc+sd-jwt", "future: 1"])
    }

    @Test(
        "is left out if it could be read in two ways",
        arguments: [
            ("openid4vp-v1-signed", ["request": "a.b.c", "dcql_query": ["credentials": []]]),
            ("openid4vp-v1-multisigned", ["request": "a.b.c", "payload": "e30", "signatures": []]),
            ("openid4vp-v1-unsigned", ["request": "a.b.c"]), ("openid4vp-v1-unsigned", ["payload": "e30"]),
            ("openid4vp-v1-signed", ["dcql_query": ["credentials": []]]),
            ("openid4vp-v1-multisigned", ["request": "a.b.c"]),
            ("openid4vp-v1-signed", ["request": ["payload": "e30", "signatures": []]]), ("openid4vp", ["request": 7]),
            ("openid4vp-v1-signed", 7), ("openid4vp-v2", ["request_uri": "https://verifier.example/request"]),
        ] as [(String, JSONValue)])
    func ambiguous(name: String, data: JSONValue) throws {
        let request = try request((name, data))
        #expect(throws: DigitalCredentialError(.ambiguous, reason: "")) { try request.admitted() }
        #expect(
            request.summary.count == 1 && request.summary[0].hasPrefix("\(name): a request could be read in two ways"))
    }

    @Test(
        "is left out if it cannot be taken apart without doubt",
        arguments: [
            "", "..", "a.b", Written.compact() + ".", Written.compact().replacing(".", with: " ."),
            Written.compact() + "\n", Written.compact(signature: ""),
            Written.compact(signature: "c2l"), Written.compact(signature: "c2ln="), Written.compact(signature: "c2ln+"),
            Written.compact("null"), Written.compact("{"),
            Written.compact(#"{"typ":"oauth-authz-req+jwt"}"#),
            Written.compact(#"{"alg":"none","typ":"oauth-authz-req+jwt"}"#),
            Written.compact(#"{"alg":"NONE","typ":"oauth-authz-req+jwt"}"#), Written.compact(#"{"alg":"ES256"}"#),
            Written.compact(#"{"alg":"ES256","typ":"JWT"}"#),
            Written.compact(#"{"alg":7,"typ":"oauth-authz-req+jwt"}"#),
            Written.compact(#"{"alg":"ES256","typ":"oauth-authz-req+jwt","crit":["b64"],"b64":false}"#),
            Written.compact(#"{"alg":"ES256","alg":"ES256","typ":"oauth-authz-req+jwt"}"#),
            Written.compact(payload: "[]"), Written.compact(payload: Written.payload + Written.payload),
            Written.compact(payload: "\u{FEFF}" + Written.payload),
            Written.compact(payload: Written.payload.replacing(#""client_id":"c","#, with: "")),
            Written.compact(payload: Written.payload.replacing(#""c""#, with: #""""#)),
            Written.compact(payload: Written.payload.replacing(#""c""#, with: "7")),
            Written.compact(payload: Written.payload.replacing(#"["https://verifier.example"]"#, with: "[]")),
            Written.compact(
                payload: Written.payload.replacing(
                    #"["https://verifier.example"]"#, with: #""https://verifier.example""#)),
            Written.compact(payload: Written.payload.replacing("expected_origins", with: "expected-origins")),
            Written.compact(payload: Written.payload.replacing("nonce", with: "request")),
            Written.compact(payload: Written.payload.replacing("nonce", with: "request_uri")),
            Written.compact(payload: Written.payload.replacing("nonce", with: "client_id")),
            Written.compact(payload: String(repeating: "[", count: 100_000)),
            Written.compact(
                payload: #"{"client_id":"c","expected_origins":"# + String(repeating: "[", count: 100) + "}"),
            // Encrypted rather than signed: five parts.
            "eyJ.eyJ.eyJ.eyJ.eyJ",
        ])
    func unreadable(text: String) throws {
        let request = try request(("openid4vp-v1-signed", ["request": .string(text)]))
        #expect(throws: DigitalCredentialError(.badSignedRequest, reason: "")) { try request.admitted() }
        #expect(request.summary.count == 1 && request.summary[0].contains("a signed request cannot be read: "))
        #expect(throws: Never.self) {
            try DigitalCredentialsTests.request(("openid4vp-v1-signed", ["request": .string(Written.compact())]))
                .admitted()
        }
    }

    @Test(
        "in JSON is left out if it cannot be taken apart without doubt",
        arguments: [
            Written.general("[]"),
            Written.general(#"{"client_id":"c","expected_origins":["https://verifier.example"]}"#),
            Written.general("{}"),
            Written.general(signatures: []), Written.general(signatures: 7), Written.general(signatures: [7]),
            Written.general(signatures: [["protected": "e30", "signature": "c2ln"]]),
            Written.general(signatures: [["header": ["alg": "ES256", "client_id": "c"], "signature": "c2ln"]]),
            Written.general(signatures: [
                ["protected": .string(Written.base64URL(#"{"alg":"ES256"}"#)), "signature": "c2ln"]
            ]),
            Written.general(signatures: [["protected": .string(Written.base64URL(#"{"alg":"ES256","client_id":"c"}"#))]]
            ),
            Written.general(
                signatures: .array(
                    Array(
                        repeating: [
                            "protected": .string(Written.base64URL(#"{"alg":"ES256","client_id":"c"}"#)),
                            "signature": "c2ln",
                        ], count: 17))),
        ])
    func unreadableGeneral(data: JSONValue) throws {
        let request = try request(("openid4vp-v1-multisigned", data))
        #expect(throws: DigitalCredentialError(.badSignedRequest, reason: "")) { try request.admitted() }
        #expect(throws: Never.self) {
            try DigitalCredentialsTests.request(("openid4vp-v1-multisigned", Written.general())).admitted()
        }
    }

    @Test(
        "for documents is left out if it cannot be read without doubt",
        arguments: [
            "", "!", "oA", "gA", "oWtkb2NSZXF1ZXN0c4A", "oWtkb2NSZXF1ZXN0c4Gg",
            // itemsRequest not in a tagged string; an element twice; a name that is a number.
            "oWtkb2NSZXF1ZXN0c4GhbGl0ZW1zUmVxdWVzdKA",
            Written.documentsWith(items: "a267646f635479706561646a6e616d65537061636573a1616ea26165f46165f5"),
            Written.documentsWith(items: "a267646f635479706561646a6e616d65537061636573a1616ea101f4"),
            Written.documentsWith(items: "a267646f635479706561646a6e616d65537061636573a1616e80"),
            Written.documentsWith(items: "a167646f63547970656164"),
        ])
    func unreadableDocuments(text: String) throws {
        let request = try request(("org-iso-mdoc", ["deviceRequest": .string(text)]))
        #expect(throws: DigitalCredentialError(.badDeviceRequest, reason: "")) { try request.admitted() }
        let good = Written.documentsWith(items: "a267646f635479706561646a6e616d65537061636573a1616ea16165f4")
        #expect(
            try DigitalCredentialsTests.request(("org-iso-mdoc", ["deviceRequest": .string(good)])).summary
                == ["org-iso-mdoc: d (n.e)"])
    }

    @Test("for documents is left out if something selects among them, or names others in their place")
    func documentSets() throws {
        let items = "67646f635479706561646a6e616d65537061636573a1616ea16165f4"
        // requestInfo, with alternativeDataElements.
        let others = "6b72657175657374496e666fa177616c7465726e617469766544617461456c656d656e747380"
        for text in [
            Written.documentsWith(items: "a2" + items, and: "deviceRequestInfo"),
            Written.documentsWith(items: "a3" + items + others),
        ] {
            let request = try request(("org-iso-mdoc", ["deviceRequest": .string(text)]))
            #expect(throws: DigitalCredentialError(.ambiguous, reason: "")) { try request.admitted() }
        }
        for text in [
            Written.documentsWith(items: "a2" + items, and: "version"),
            Written.documentsWith(items: "a3" + items + "6b72657175657374496e666fa0"),
        ] {
            let request = try request(("org-iso-mdoc", ["deviceRequest": .string(text)]))
            #expect(try request.admitted().request.summary == ["org-iso-mdoc: d (n.e)"])
        }
    }

    @Test("is left out if it is too long to be shown, whatever it is made long by")
    func tooLong() throws {
        let long = String(repeating: "\u{202e}x", count: 5_000)
        let marks = "a" + String(repeating: "\u{301}", count: 10_000)
        for name in [long, marks] {
            let payload = Written.payload.replacing(#""c""#, with: "\"\(name)\"")
            let request = try request(("openid4vp-v1-signed", ["request": .string(Written.compact(payload: payload))]))
            #expect(throws: DigitalCredentialError(.tooLarge, reason: "")) { try request.admitted() }
        }
    }

    @Test(
        "or any other comes from an https origin, or from localhost, as browsers write it",
        arguments: [
            ("https://verifier.example", true), ("https://localhost:8000", true),
            ("https://xn--mnchen-3ya.example", true),
            ("https://[2001:db8::1]", true), ("https://[2001:db8::1]:8443", true), ("https://192.0.2.1", true),
            ("https://a_b.example", true), ("http://verifier.example", false), ("https://", false),
            ("HTTPS://a.example", false),
            ("https://A.example", false), ("https://a.example/", false), ("https://a.example:443", false),
            ("https://a.example:", false), ("https://a.example:08443", false), ("https://a.example:65536", false),
            ("https://a.example:+1", false), ("https://user@a.example", false), ("https://a..example", false),
            ("https://a.example?b", false), ("https://a.example#b", false), ("https://m\u{fc}nchen.example", false),
            ("https://a.example\n", false), ("https://a.ex\u{202e}ample", false), ("https://[::1", false),
            ("https://[1]", false), ("https://[::1]x", false), ("null", false), ("verifier.example", false),
            ("android:apk-key-hash:7d1D9F7Mfz8TJ0Wv9yD1YcDJ2VqBWZBPaXpTu2oY3vM", false), ("file://", false),
            ("http://localhost", true), ("http://localhost:8000", true), ("http://a.localhost", true),
            ("http://localhost:80", false), ("http://localhost.example", false), ("http://evillocalhost", false),
            ("http://127.0.0.1", false), ("http://[::1]", false), ("http://.localhost", false), ("http://", false),
        ])
    func origins(origin: String, isAdmitted: Bool) throws {
        let request = try request(("p", 1), from: origin)
        if isAdmitted {
            #expect(try request.admitted().request == request)
        } else {
            #expect(throws: DigitalCredentialError(.badOrigin, reason: "")) { try request.admitted() }
        }
    }
}
