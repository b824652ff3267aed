import Encodings
import HybridProtocol
import Testing

/// The requests of a client (HT-DC-17, HT-DC-18, HT-DC-19).
@Suite("A digital-credential request")
struct DigitalCredentialRequestTests {
    /// As Chromium writes it, with the members in its order: by their names.
    static let chromium =
        #"{"origin":"https://shop.example","request":{"digital":{"requests":[{"data":{"dcql_query":{"credentials":[{"claims":[{"path":["org.iso.18013.5.1","age_over_21"]}],"format":"mso_mdoc","id":"mdl","meta":{"doctype_value":"org.iso.18013.5.1.mDL"}}]},"nonce":"n-1","response_type":"vp_token"},"protocol":"openid4vp-v1-unsigned"}]}},"requestType":"credential.get"}"#

    @Test("is read as Chromium writes it")
    func chromium() throws {
        let request = try DigitalCredentialRequest(parsing: Self.chromium)
        #expect(request.origin == "https://shop.example")
        #expect(request.kind == .presentation)
        #expect(request.options.map(\.exchangeProtocol) == ["openid4vp-v1-unsigned"])
        #expect(request.options[0].data["nonce"]?.stringValue == "n-1")
        #expect(
            request.summary == ["openid4vp-v1-unsigned: org.iso.18013.5.1.mDL (org.iso.18013.5.1.age_over_21)"])
    }

    @Test("says the same when it is written again, and keeps members that it does not know")
    func rewritten() throws {
        let text =
            #"{"origin":"o","requestType":"credential.create","request":{"digital":{"requests":[{"protocol":"p","data":1.50,"x":2}],"y":[]}}}"#
        let request = try DigitalCredentialRequest(parsing: text)
        #expect(request.kind == .issuance)
        #expect(request.json == text)
        #expect(try DigitalCredentialRequest(parsing: request.json) == request)
    }

    private static let valid =
        #"{"origin":"o","requestType":"credential.get","request":{"digital":{"requests":[{"protocol":"p","data":{}}]}}}"#

    @Test(
        "is refused by name if a part of it is missing or of another type",
        arguments: [
            (#""origin":"o","#, "", .missingMember), (#""o""#, "1", .wrongType), (#""o""#, #""""#, .wrongType),
            ("credential.get", "credential.store", .unknownRequestType), (#""credential.get""#, "null", .wrongType),
            (#""request":"#, #""r":"#, .missingMember), (#"{"digital""#, #"{"publicKey""#, .missingMember),
            (#"{"requests":[{"protocol":"p","data":{}}]}"#, "[]", .wrongType),
            (#"[{"protocol":"p","data":{}}]"#, "{}", .wrongType), (#"[{"protocol":"p","data":{}}]"#, "[]", .wrongType),
            (#"{"protocol":"p","data":{}}"#, "7", .wrongType), (#""protocol":"p","#, "", .missingMember),
            (#""p""#, "[]", .wrongType), (#""p""#, #""""#, .wrongType), (#","data":{}"#, "", .missingMember),
            (#"{"origin""#, #"{"origin":"evil.example","origin""#, .invalidJSON), (#"}"#, "", .invalidJSON),
        ] as [(String, String, DigitalCredentialError.Code)])
    func refused(part: String, replacement: String, code: DigitalCredentialError.Code) throws {
        #expect(throws: Never.self) { try DigitalCredentialRequest(parsing: Self.valid) }
        let text = Self.valid.replacing(part, with: replacement, maxReplacements: 1)
        #expect(text != Self.valid)
        #expect(throws: DigitalCredentialError(code, reason: "")) { try DigitalCredentialRequest(parsing: text) }
    }

    @Test(
        "is refused by name if it is not JSON, not an object, or too large",
        arguments: [
            ("", .invalidJSON), ("not json", .invalidJSON), ("null", .wrongType), ("[]", .wrongType),
            ("{}", .missingMember),
            (String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000), .tooLarge),
            (valid.replacing("{}", with: deep), .tooLarge),
            ("\"" + String(repeating: "x", count: 1 << 20) + "\"", .tooLarge),
            (valid.replacing(#""o""#, with: "\"" + String(repeating: "x", count: 513) + "\""), .wrongType),
            (valid.replacing(#""p""#, with: "\"" + String(repeating: "x", count: 257) + "\""), .wrongType),
            (valid.replacing("[", with: "[" + many), .tooLarge),
        ] as [(String, DigitalCredentialError.Code)])
    func tooMuch(text: String, code: DigitalCredentialError.Code) {
        #expect(throws: DigitalCredentialError(code, reason: "")) { try DigitalCredentialRequest(parsing: text) }
    }

    private static let deep = String(repeating: #"{"a":"#, count: 10_000) + "1" + String(repeating: "}", count: 10_000)
    private static let many = String(repeating: #"{"protocol":"p","data":{}},"#, count: 64)

    @Test("of 1 MiB less a little is read")
    func large() throws {
        let text = Self.valid.replacing("{}", with: "\"" + String(repeating: "x", count: (1 << 20) - 200) + "\"")
        #expect(try DigitalCredentialRequest(parsing: text).json.utf8.count > (1 << 20) - 200)
    }

    @Test("is summed up in a line for each way to answer it, and shown as it is where it is not known")
    func summary() throws {
        let query = #"{"dcql_query":{"credentials":[{"format":"dc+sd-jwt","claims":[{"path":["a",null,0]}]}]}}"#
        let empty = #"{"dcql_query":{"credentials":[]}}"#
        let options = [
            ("p", #"{"request":"eyJ.e30.c2ln"}"#), ("openid4vp-v1-unsigned", query), ("openid4vp-v1-unsigned", empty),
            ("openid4vp-v1-unsigned", #"{"nonce":"n"}"#),
        ]
        let list = options.map { #"{"protocol":"\#($0.0)","data":\#($0.1)}"# }.joined(separator: ",")
        let request = try DigitalCredentialRequest(
            origin: "o", kind: .issuance, digital: JSONValue(parsing: #"{"requests":[\#(list)]}"#))
        #expect(
            request.summary == [
                #"p: {"request":"eyJ.e30.c2ln"}"#, "openid4vp-v1-unsigned: dc+sd-jwt (a.null.0)",
                "openid4vp-v1-unsigned: a query for credentials cannot be read: it has no credentials",
                #"openid4vp-v1-unsigned: {"nonce":"n"}"#,
            ])
    }

    @Test("is summed up with two marks on a character at most: more would hide what else is asked")
    func marks() throws {
        let covered = "a" + String(repeating: "\u{301}", count: 400_000) + "b"
        let request = try DigitalCredentialRequest(
            origin: "o", kind: .presentation,
            digital: JSONValue(parsing: #"{"requests":[{"protocol":"p","data":"\#(covered)"}]}"#))
        #expect(request.summary.map { Array($0.unicodeScalars) } == [Array("p: \"a\u{301}\u{301}b\"".unicodeScalars)])
    }
}
