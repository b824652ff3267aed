import CTAP
import Cryptography
import Encodings
import Foundation
import Testing
import WebAuthnClient

/// WebAuthn Level 3 section 5.1.
@Suite struct ResponseJSONTests {
    static func object(_ json: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    static func registered(_ asked: RelyingParty.AttestationConveyance) throws -> (VerifiedRegistration, [UInt8]) {
        let registration = try Lab.site().beginRegistration(userName: "a", attestation: asked)
        let clientData = registration.clientDataJSON
        let answer = try TestAuthenticator().register(registration.request.clientDataHash)
        return (try registration.verify(answer), clientData)
    }

    @Test("A registration has the members of RegistrationResponseJSON, and no other")
    func registration() throws {
        let (verified, clientData) = try Self.registered(.direct)
        let json = try Self.object(verified.response.description)
        #expect(
            Set(json.keys) == [
                "id", "rawId", "response", "authenticatorAttachment", "clientExtensionResults", "type",
            ])
        #expect(json["id"] as? String == Base64URL.encode(verified.credential.id))
        #expect(json["rawId"] as? String == Base64URL.encode(verified.credential.id))
        #expect(json["type"] as? String == "public-key")
        #expect(json["authenticatorAttachment"] as? String == "cross-platform")
        #expect((json["clientExtensionResults"] as? [String: Any])?.isEmpty == true)
        let response = try #require(json["response"] as? [String: Any])
        #expect(
            Set(response.keys) == [
                "clientDataJSON", "authenticatorData", "transports", "publicKey", "publicKeyAlgorithm",
                "attestationObject",
            ])
        #expect(response["clientDataJSON"] as? String == Base64URL.encode(clientData))
        #expect(response["transports"] as? [String] == ["hybrid", "internal"])
        #expect(response["publicKeyAlgorithm"] as? Int == -7)
        let key = verified.credential.publicKey.subjectPublicKeyInfo
        #expect(response["publicKey"] as? String == Base64URL.encode(key))
        let data = try TestAuthenticator().data(TestAuthenticator().publicKey())
        #expect(response["authenticatorData"] as? String == Base64URL.encode(data))
    }

    @Test("A statement is passed on if it was asked for, and replaced by none if not")
    func attestation() throws {
        for (asked, format) in [(RelyingParty.AttestationConveyance.direct, "packed"), (.none, "none")] {
            let json = try Self.object(Self.registered(asked).0.response.description)
            let response = try #require(json["response"] as? [String: Any])
            let encoded = try #require((response["attestationObject"] as? String).flatMap(Base64URL.decode))
            let object = try AttestationObject(decoding: encoded.span)
            #expect(object.format == format && object.attestationStatement.isEmpty == (asked == .none))
            #expect(response["authenticatorData"] as? String == Base64URL.encode(object.authenticatorData))
        }
    }

    @Test("A sign-in has the members of AuthenticationResponseJSON, and no other", arguments: [Lab.user, nil])
    func signIn(user: [UInt8]?) throws {
        let authenticator = TestAuthenticator()
        let signIn = try Lab.site().beginSignIn(allow: user == nil ? [authenticator.credentialID] : [])
        let clientData = signIn.clientDataJSON
        let answer = try authenticator.signIn(signIn.request.clientDataHash, user: user)
        let record = try authenticator.record()
        let json = try Self.object(signIn.verify(answer) { _ in record }.response.description)
        #expect(
            Set(json.keys) == [
                "id", "rawId", "response", "authenticatorAttachment", "clientExtensionResults", "type",
            ])
        let response = try #require(json["response"] as? [String: String])
        var expected = [
            "clientDataJSON": Base64URL.encode(clientData), "signature": Base64URL.encode(answer.signature),
            "authenticatorData": Base64URL.encode(answer.authenticatorData),
        ]
        expected["userHandle"] = user.map { Base64URL.encode($0) }
        #expect(response == expected)
    }

    @Test("The JSON is one line of ASCII")
    func plain() throws {
        let text = try Self.registered(.direct).0.response.description
        #expect(text.utf8.allSatisfy { (0x20..<0x7f).contains($0) })
    }

    @Test("prf's output has the form that a browser gives a page, and is there only where it was asked for")
    func prf() throws {
        let values = try PRFValues(first: Lab.challenge, second: [UInt8](repeating: 1, count: 32))
        let authenticator = TestAuthenticator()
        let inputs = PRFInputs(first: [1], second: [2])
        for asked in [inputs, nil] {
            let registration = try Lab.site().beginRegistration(userName: "alice", userID: Lab.user, prf: asked)
            var made = try authenticator.register(registration.request.clientDataHash)
            made.unsignedExtensionOutputs = ["prf": PRFExtensionOutput(enabled: true, results: values).value]
            let verified = try registration.verify(made)
            #expect((verified.prf == .init(enabled: true, results: values)) == (asked != nil))
            let signIn = try Lab.site().beginSignIn(prf: asked)
            var got = try authenticator.signIn(signIn.request.clientDataHash, user: Lab.user)
            got.unsignedExtensionOutputs = ["prf": PRFExtensionOutput(results: values).value]
            let signedIn = try signIn.verify(got) { _ in verified.credential }
            #expect((signedIn.prf == values) == (asked != nil))
            let results = #""results":{"first":"\#(Base64URL.encode(values.first))","second":"AQEB"#
            #expect(verified.response.description.contains(#""prf":{"enabled":true,\#(results)"#) == (asked != nil))
            #expect(signedIn.response.description.contains(#""prf":{\#(results)"#) == (asked != nil))
        }
    }

    @Test("prf's inputs are hashed as browsers hash them")
    func salts() throws {
        let request = try Lab.site().beginSignIn(prf: PRFInputs(first: Array("hello".utf8))).request
        let hashed = Array("WebAuthn PRF".utf8) + [0] + Array("hello".utf8)
        let salt = SHA256.hash(hashed.span)
        #expect(try PRFExtensionInput(request.extensions) == .init(eval: PRFValues(first: salt)))
        #expect(try Lab.site().beginSignIn().request.extensions.isEmpty)
    }
}
