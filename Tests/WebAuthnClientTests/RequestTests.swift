import CTAP
import Cryptography
import Encodings
import Testing
import WebAuthnClient

@Suite struct RequestTests {
    @Test("The client data is written in the order and form of the limited verification algorithm")
    func clientData() throws {
        let site = try RelyingParty(id: "localhost", origin: "http://localhost:8000")
        let challenge = [UInt8](0..<32)
        let registration = try site.beginRegistration(userName: "a", challenge: challenge)
        #expect(
            String(decoding: registration.clientDataJSON, as: UTF8.self) == """
                {"type":"webauthn.create","challenge":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",\
                "origin":"http://localhost:8000","crossOrigin":false}
                """)
        let signIn = try site.beginSignIn(challenge: challenge)
        #expect(
            String(decoding: signIn.clientDataJSON, as: UTF8.self) == """
                {"type":"webauthn.get","challenge":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",\
                "origin":"http://localhost:8000","crossOrigin":false}
                """)
    }

    @Test("A registration asks for what phones need: names, ES256, a resident key and user verification")
    func registration() throws {
        let registration = try Lab.site().beginRegistration(userName: "alice@example.com")
        let request = registration.request
        #expect(request.rp == .init(id: "example.com", name: "Example"))
        #expect(request.user.name == "alice@example.com" && request.user.displayName == "alice@example.com")
        #expect(request.user.id.count == RelyingParty.userHandleByteCount)
        #expect(request.parameters == [.init(algorithm: .es256)])
        #expect(request.options == .init(residentKey: true, userVerification: true))
        #expect(request.excludeList.isEmpty && request.extensions.isEmpty && request.pinUvAuthParam == nil)
        #expect(registration.challenge.count == RelyingParty.challengeByteCount)
        let json = registration.clientDataJSON
        #expect(request.clientDataHash == SHA256.hash(json.span))
    }

    @Test("A registration asks as it is told to")
    func choices() throws {
        let registration = try Lab.site().beginRegistration(
            userName: "a", displayName: "Alice", userID: Lab.user, exclude: [[1], [2, 3]], discoverable: false,
            userVerification: .discouraged)
        let request = registration.request
        #expect(request.user == .init(id: Lab.user, name: "a", displayName: "Alice"))
        #expect(request.excludeList == [.init(id: [1]), .init(id: [2, 3])])
        #expect(request.options == .init(residentKey: false))
        let preferred = try Lab.site().beginSignIn(userVerification: .preferred)
        #expect(preferred.request.options == .init(userVerification: true))
    }

    @Test("A sign-in names the credentials that will do, without their transports")
    func signIn() throws {
        let signIn = try Lab.site().beginSignIn(allow: [[9, 9]])
        #expect(signIn.request.rpID == "example.com")
        #expect(signIn.request.allowList == [.init(id: [9, 9])])
        #expect(signIn.request.options == .init(userVerification: true))
        let encoded = CTAPRequest.getAssertion(signIn.request).encoded()
        let decoded = try CBORValue.decode(encoded.span.extracting(droppingFirst: 1))
        #expect(decoded.mapValue?[3] == [["id": .bytes([9, 9]), "type": "public-key"]])
        let json = signIn.clientDataJSON
        #expect(signIn.request.clientDataHash == SHA256.hash(json.span))
    }

    @Test("No two challenges and no two user handles are the same")
    func random() throws {
        let site = try Lab.site()
        var seen: Set<[UInt8]> = []
        for _ in 0..<20 {
            let registration = try site.beginRegistration(userName: "a")
            let signIn = try site.beginSignIn()
            #expect(seen.insert(registration.challenge).inserted && seen.insert(signIn.challenge).inserted)
            #expect(seen.insert(registration.request.user.id).inserted)
        }
    }

    @Test("User handles have 1 to 64 bytes", arguments: [(0, false), (1, true), (64, true), (65, false)])
    func userHandles(count: Int, isValid: Bool) throws {
        let handle = [UInt8](repeating: 1, count: count)
        let refusal = try code { _ = try Lab.site().beginRegistration(userName: "a", userID: handle) }
        #expect(refusal == (isValid ? nil : .invalidUserHandle))
    }

    @Test(
        "Listed credential IDs have 1 to 1023 bytes", arguments: [(0, false), (1, true), (1023, true), (1024, false)])
    func credentialIDs(count: Int, isValid: Bool) throws {
        let id = [UInt8](repeating: 1, count: count)
        let expected: RelyingPartyError.Code? = isValid ? nil : .invalidCredentialID
        #expect(try code { _ = try Lab.site().beginRegistration(userName: "a", exclude: [[7], id]) } == expected)
        #expect(try code { _ = try Lab.site().beginSignIn(allow: [id]) } == expected)
    }

    @Test(
        "A challenge from elsewhere has 16 to 1024 bytes",
        arguments: [(15, false), (16, true), (1024, true), (1025, false)])
    func challenges(count: Int, isValid: Bool) throws {
        let challenge = [UInt8](repeating: 1, count: count)
        let expected: RelyingPartyError.Code? = isValid ? nil : .invalidChallenge
        #expect(try code { _ = try Lab.site().beginRegistration(userName: "a", challenge: challenge) } == expected)
        #expect(try code { _ = try Lab.site().beginSignIn(challenge: challenge) } == expected)
    }
}
