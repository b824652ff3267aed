import CTAP
import Encodings
import Testing

/// A client's reading of responses: lenient, and without ever trusting them.
@Suite struct ResponseDecodingTests {
    struct Sample: Decodable, Sendable {
        let makeCredentialRequest: String
        let makeCredentialPayload: String
    }

    @Test("A response with a certificate and extension outputs is read (webauthn-rs' sample)")
    func certifiedResponse() throws {
        let sample: Sample = try fixture("webauthn-rs.json")
        #expect(
            try hex(CTAPRequest(decoding: bytes(sample.makeCredentialRequest).span).encoded())
                == sample.makeCredentialRequest)
        let response = try MakeCredentialResponse(decoding: bytes(sample.makeCredentialPayload).span)
        #expect(hex(response.encoded()) == sample.makeCredentialPayload)
        #expect(response.attestationStatement["x5c"]?.arrayValue?.count == 1)
        let data = try AuthenticatorData(decoding: response.authenticatorData.span)
        #expect(data.extensions == ["hmac-secret": true])
        #expect(data.flags == [.userPresent, .userVerified, .attestedCredential, .extensions])
        #expect(data.encoded() == response.authenticatorData)
    }

    @Test("Every truncation of authenticator data, and a byte too many, is refused")
    func truncatedAuthenticatorData() throws {
        let sample: Sample = try fixture("webauthn-rs.json")
        let whole = try MakeCredentialResponse(decoding: bytes(sample.makeCredentialPayload).span).authenticatorData
        for count in 0..<whole.count {
            #expect(throws: CTAPError.self) { try AuthenticatorData(decoding: whole.span.extracting(first: count)) }
        }
        #expect(throws: CTAPError(.invalidLength, reason: "")) { try AuthenticatorData(decoding: (whole + [0]).span) }
    }

    @Test("A required field that is missing or of a wrong type is refused, an optional one passed over")
    func responseFields() throws {
        let make: CBORMap = [1: "none", 2: .bytes([1]), 3: [:], 4: 7, 5: "x", 6: 1, 7: .null, "x": 1]
        let made = try MakeCredentialResponse(decoding: make.encoded().span)
        #expect(made == .init(format: "none", authenticatorData: [1], attestationStatement: [:]))
        let get: CBORMap = [1: 4, 2: .bytes([1]), 3: .bytes([2]), 4: [:], 5: "x", 6: 1, 7: true, 8: 9]
        let got = try GetAssertionResponse(decoding: get.encoded().span)
        #expect(got == .init(credential: nil, authenticatorData: [1], signature: [2]))
        for (key, code) in [(1, CTAPError.Code.missingParameter), (2, .missingParameter)] {
            var map = make
            map[key] = nil
            #expect(throws: CTAPError(code, reason: "")) { try MakeCredentialResponse(decoding: map.encoded().span) }
            map[key] = .null
            #expect(throws: CTAPError(.unexpectedType, reason: "")) {
                try MakeCredentialResponse(decoding: map.encoded().span)
            }
        }
        for key in [2, 3] {
            var map = get
            map[key] = nil
            #expect(throws: CTAPError(.missingParameter, reason: "")) {
                try GetAssertionResponse(decoding: map.encoded().span)
            }
        }
    }

    @Test("Unsigned extension outputs and all else go both ways")
    func bothWays() throws {
        let made = MakeCredentialResponse(
            format: "packed", authenticatorData: [1, 2], attestationStatement: ["alg": -7],
            unsignedExtensionOutputs: ["prf": ["enabled": true]])
        #expect(try MakeCredentialResponse(decoding: made.encoded().span) == made)
        let got = GetAssertionResponse(
            credential: .init(id: [1]), authenticatorData: [1], signature: [2],
            user: .init(id: [3], name: "", displayName: ""), numberOfCredentials: 2, userSelected: true,
            unsignedExtensionOutputs: ["prf": ["results": ["first": .bytes([4])]]])
        #expect(try GetAssertionResponse(decoding: got.encoded().span) == got)
    }

    @Test("An empty response is refused")
    func emptyResponse() {
        let nothing: [UInt8] = []
        #expect(throws: CTAPError(.invalidLength, reason: "")) { try CTAPResponse(decoding: nothing.span) }
    }

    @Test("A key of another algorithm is kept but has no point")
    func otherKeys() throws {
        let ed25519 = try COSEKey([1: 1, 3: -8, -1: 6, -2: .bytes([1])])
        #expect(ed25519.algorithm == .edDSA && ed25519.es256Point == nil)
        #expect(throws: CTAPError(.missingParameter, reason: "")) { try COSEKey([1: 2]) }
        #expect(throws: CTAPError(.unexpectedType, reason: "")) { try COSEKey([1: 2, 3: "ES256"]) }
        #expect(throws: CTAPError(.invalidLength, reason: "")) { try COSEKey(es256: ([4, 1] as [UInt8]).span) }
    }

    @Test("Keys of every algorithm have one encoding, the canonical one")
    func keys() throws {
        let bytes32 = [UInt8](repeating: 0xab, count: 32)
        let ed25519 = try COSEKey(ed25519: bytes32)
        #expect(hex(ed25519.encoded()) == "a401010327200621" + "5820" + hex(bytes32))
        #expect(ed25519.algorithm == .edDSA && ed25519.ed25519 == bytes32 && ed25519.rs256 == nil)
        let modulus = [UInt8](repeating: 0xcd, count: 256)
        let rsa = COSEKey(rs256: modulus, exponent: [1, 0, 1])
        #expect(hex(rsa.encoded()) == "a401030339010020590100" + hex(modulus) + "2143010001")
        #expect(rsa.algorithm == .rs256 && rsa.rs256?.modulus == modulus && rsa.rs256?.exponent == [1, 0, 1])
        #expect(rsa.es256Point == nil && rsa.ed25519 == nil)
        #expect(throws: CTAPError(.invalidLength, reason: "")) { try COSEKey(ed25519: [1]) }
    }

    @Test("Parts of the wrong length cannot be made")
    func wrongLengths() throws {
        let key = try COSEKey([1: 2, 3: -7])
        #expect(throws: CTAPError.self) { try AuthenticatorData(rpIDHash: [1], flags: [], signCount: 0) }
        #expect(throws: CTAPError.self) { try AttestedCredential(aaguid: [1], credentialID: [], publicKey: key) }
        #expect(throws: CTAPError.self) {
            try AttestedCredential(
                aaguid: .init(repeating: 0, count: 16), credentialID: .init(repeating: 0, count: 1024), publicKey: key)
        }
    }
}
