import CTAP
import Cryptography
import Testing
import WebAuthnClient

/// Client data that a browser wrote. Source: WebAuthn Level 3 section 7.1 steps 5–11, section 7.2 steps 7–13.
@Suite struct ClientDataTests {
    static let challenge = "QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkI"

    static func json(
        type: String = "webauthn.create", challenge: String = challenge, origin: String = "https://example.com",
        rest: String = ""
    ) -> String {
        "{\"type\":\"\(type)\",\"challenge\":\"\(challenge)\",\"origin\":\"\(origin)\"\(rest)}"
    }

    /// Outcome of a registration and of a sign-in with these client data.
    static func outcomes(_ json: [UInt8], _ signInJSON: [UInt8]) throws -> [RelyingPartyError.Code?] {
        let authenticator = TestAuthenticator()
        let registration = try Lab.site().beginRegistration(userName: "a", challenge: Lab.challenge)
        let made = try authenticator.register(SHA256.hash(json.span))
        let signIn = try Lab.site().beginSignIn(challenge: Lab.challenge)
        let answer = try authenticator.signIn(SHA256.hash(signInJSON.span), user: Lab.user)
        let record = try authenticator.record()
        return [
            registration.refusal(made, clientDataJSON: json),
            signIn.refusal(answer, clientDataJSON: signInJSON, known: record),
        ]
    }

    static func outcomes(_ json: String) throws -> [RelyingPartyError.Code?] {
        let signIn = json.replacing("webauthn.create", with: "webauthn.get")
        return try outcomes([UInt8](json.utf8), [UInt8](signIn.utf8))
    }

    @Test(
        "Client data may have other members, another order, escapes and white space",
        arguments: [
            json(), json(rest: ",\"crossOrigin\":false"), json(rest: ",\"crossOrigin\":null,\"topOrigin\":null"),
            json(rest: ",\"other_keys_can_be_added_here\":\"do not compare clientDataJSON against a template\""),
            json(rest: ",\"tokenBinding\":{\"status\":\"supported\"}"), " \n" + json(origin: "https:\\/\\/example.com"),
            "{\"origin\":\"https://example.com\",\"challenge\":\"\(challenge)\",\"type\":\"webauthn.create\"}",
        ])
    func right(json: String) throws {
        #expect(try Self.outcomes(json) == [nil, nil])
    }

    @Test(
        "Client data that are wrong in one thing are refused for that",
        arguments: [
            (json(type: "payment.get"), RelyingPartyError.Code.typeMismatch),
            (json(type: ""), .typeMismatch),
            (json(challenge: "QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkM"), .challengeMismatch),
            (json(challenge: challenge + "="), .challengeMismatch),
            (json(challenge: ""), .challengeMismatch),
            (json(origin: "https://login.example.com"), .originMismatch),
            (json(origin: "https://example.com/"), .originMismatch),
            (json(origin: "http://example.com"), .originMismatch),
            (json(origin: "https://example.com:443"), .originMismatch),
            (json(rest: ",\"crossOrigin\":true"), .crossOrigin),
            (json(rest: ",\"crossOrigin\":false,\"topOrigin\":\"https://example.org\""), .crossOrigin),
            (json(rest: ",\"crossOrigin\":0"), .malformedResponse),
            ("{}", .malformedResponse), ("", .malformedResponse), ("[]", .malformedResponse),
            (json() + "x", .malformedResponse), (String(json().dropLast()), .malformedResponse),
            ("{\"type\":1,\"challenge\":\"\",\"origin\":\"\"}", .malformedResponse),
            (json(rest: ",\"x\":\"\(String(repeating: "x", count: 1 << 16))\""), .malformedResponse),
            (json(rest: ",\"x\":" + String(repeating: "[", count: 30000)), .malformedResponse),
        ])
    func wrong(json: String, code: RelyingPartyError.Code) throws {
        #expect(try Self.outcomes(json) == [code, code])
    }

    @Test("Client data of one ceremony are refused in the other")
    func ceremonies() throws {
        let (create, get) = ([UInt8](Self.json().utf8), [UInt8](Self.json(type: "webauthn.get").utf8))
        #expect(try Self.outcomes(get, create) == [.typeMismatch, .typeMismatch])
    }

    @Test("JSON in another encoding than UTF-8 is refused")
    func encodings() throws {
        let utf16 = Self.json().utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let notUTF8 = [UInt8](Self.json(rest: ",\"x\":\"").utf8.dropLast()) + [0xff] + [UInt8]("\"}".utf8)
        for bytes in [utf16, [0xff, 0xfe] + utf16, notUTF8] {
            #expect(try Self.outcomes(bytes, bytes) == [.malformedResponse, .malformedResponse])
        }
    }
}
