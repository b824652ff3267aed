import CTAP
import Encodings
import Testing

/// The recorded Chromium sessions, byte for byte in both directions.
@Suite struct ChromiumSessionTests {
    @Test("Each request is read and written back to the same bytes")
    func requests() throws {
        let sessions = try ChromiumSession.all()
        #expect(sessions.count == 3)
        for session in sessions {
            let request = try CTAPRequest(decoding: bytes(session.request).span)
            #expect(hex(request.encoded()) == session.request, "\(session.name)")
        }
    }

    @Test("A makeCredential request says what Chromium's page asked for")
    func makeCredential() throws {
        for session in try ChromiumSession.creations() {
            guard case .makeCredential(let request) = try CTAPRequest(decoding: bytes(session.request).span) else {
                Issue.record("not a makeCredential request: \(session.name)")
                continue
            }
            let expected = MakeCredentialRequest(
                clientDataHash: bytes(session.clientDataHash), rp: .init(id: "localhost", name: "Lab"),
                user: .init(id: [1, 2, 3, 4, 5, 6, 7, 8], name: "alice@example.com", displayName: "Alice"),
                parameters: [.init(algorithm: .es256), .init(algorithm: .rs256)],
                options: .init(residentKey: true, userVerification: true))
            #expect(request == expected)
            #expect(hex(CTAPRequest.makeCredential(expected).encoded()) == session.request)
        }
    }

    @Test("A getAssertion request says what Chromium's page asked for")
    func getAssertion() throws {
        let session = try #require(try ChromiumSession.signIn())
        let expected = GetAssertionRequest(
            rpID: "localhost", clientDataHash: bytes(session.clientDataHash), options: .init(userVerification: true))
        #expect(try CTAPRequest(decoding: bytes(session.request).span) == .getAssertion(expected))
        #expect(hex(CTAPRequest.getAssertion(expected).encoded()) == session.request)
    }

    @Test("A makeCredential response is read and written back, and becomes the page's attestation object")
    func attestationObject() throws {
        for session in try ChromiumSession.creations() {
            let response = try CTAPResponse(decoding: bytes(session.response).span)
            #expect(response.status == .ok)
            #expect(hex(response.encoded()) == session.response)
            let made = try MakeCredentialResponse(decoding: response.payload.span)
            #expect(made.encoded() == response.payload)
            #expect(made.format == AttestationObject.packedFormat)
            let whole = made.attestationObject
            let page = try #require(session.attestationObject)
            let expected = page.hasPrefix(hex(whole.withoutAttestation.encoded())) ? whole.withoutAttestation : whole
            #expect(hex(expected.encoded()) == page)
            #expect(try AttestationObject(decoding: bytes(page).span) == expected)
        }
    }

    @Test("The authenticator data of a new credential is read and written back")
    func newCredential() throws {
        for session in try ChromiumSession.creations() {
            let payload = try CTAPResponse(decoding: bytes(session.response).span).payload
            let raw = try MakeCredentialResponse(decoding: payload.span).authenticatorData
            let data = try AuthenticatorData(decoding: raw.span)
            #expect(data.encoded() == raw)
            #expect(data.flags == [.userPresent, .userVerified, .attestedCredential])
            #expect(data.signCount == 0)
            let credential = try #require(data.attestedCredential)
            #expect(hex(credential.aaguid) == "cab1e000cab1e000cab1e000cab1e000")
            #expect(hex(credential.credentialID) == session.credentialID)
            #expect(credential.publicKey.es256Point.map(hex) == session.publicKey)
            #expect(try COSEKey(es256: bytes(session.publicKey ?? "").span) == credential.publicKey)
        }
    }

    @Test("A getAssertion response is read and written back")
    func assertion() throws {
        let session = try #require(try ChromiumSession.signIn())
        let payload = try CTAPResponse(decoding: bytes(session.response).span).payload
        let response = try GetAssertionResponse(decoding: payload.span)
        #expect(response.encoded() == payload)
        #expect(hex(response.signature) == session.signature)
        #expect(hex(response.authenticatorData) == session.authenticatorData)
        #expect((response.user?.id).map(hex) == session.userHandle)
        #expect((response.credential?.id).map(hex) == session.credentialID)
        #expect(response.userSelected == nil && response.numberOfCredentials == nil)
        let data = try AuthenticatorData(decoding: response.authenticatorData.span)
        #expect(data.encoded() == response.authenticatorData)
        #expect(data.flags == [.userPresent, .userVerified])
    }
}
