import CTAP
import Encodings
import Testing

/// The messages of hmac-secret: authenticatorClientPIN for the authenticator's key, and the extension's inputs.
@Suite struct HMACSecretMessageTests {
    static let point = [0x04] + [UInt8](repeating: 0xA1, count: 32) + [UInt8](repeating: 0xB2, count: 32)
    /// A key as CTAP 2.2 section 6.5.6 has it.
    static let key: CBORMap = [
        1: 2, 3: -25, -1: 1, -2: .bytes([UInt8](repeating: 0xA1, count: 32)),
        -3: .bytes([UInt8](repeating: 0xB2, count: 32)),
    ]

    static func input(_ change: (inout CBORMap) -> Void = { _ in }) throws -> HMACSecretExtension.Input? {
        var input: CBORMap = [1: .map(key), 2: .bytes([1, 2]), 3: .bytes([3]), 4: 2]
        change(&input)
        return try HMACSecretExtension.Input(["hmac-secret": .map(input)])
    }

    @Test("A request for the key is written and read")
    func request() throws {
        let request = CTAPRequest.clientPIN(
            ClientPINRequest(subcommand: ClientPINRequest.getKeyAgreement, pinUvAuthProtocol: 2))
        #expect(request.encoded() == bytes("06a201020202"))
        #expect(try CTAPRequest(decoding: bytes("06a201020202").span) == request)
        #expect(
            try CTAPRequest(decoding: bytes("06a10205").span)
                == .clientPIN(ClientPINRequest(subcommand: 5, pinUvAuthProtocol: nil)))
        #expect(throws: CTAPError(.missingParameter, reason: "")) {
            try CTAPRequest(decoding: bytes("06a10102").span)
        }
    }

    @Test("The answer to it is written and read")
    func response() throws {
        let response = KeyAgreementResponse(keyAgreement: try COSEKey(keyAgreement: Self.point.span))
        let written = response.encoded()
        #expect(written == ([1: .map(Self.key)] as CBORMap).encoded())
        #expect(try KeyAgreementResponse(decoding: written.span) == response)
        #expect(response.keyAgreement.keyAgreementPoint == Self.point && response.keyAgreement.es256Point == nil)
        #expect(throws: CTAPError(.missingParameter, reason: "")) {
            try KeyAgreementResponse(decoding: bytes("a0").span)
        }
    }

    @Test("makeCredential asks for it with a truth value")
    func wanted() throws {
        #expect(try !HMACSecretExtension.isWanted([:]))
        #expect(try HMACSecretExtension.isWanted(["hmac-secret": true]))
        #expect(try !HMACSecretExtension.isWanted(["hmac-secret": false]))
        #expect(throws: CTAPError(.unexpectedType, reason: "")) {
            try HMACSecretExtension.isWanted(["hmac-secret": 1])
        }
    }

    @Test("getAssertion's input is read, with protocol 1 where it names none")
    func salts() throws {
        let input = try #require(try Self.input())
        #expect(input.keyAgreement == Self.point && input.saltEnc == [1, 2] && input.saltAuth == [3])
        #expect(input.pinUvAuthProtocol == 2)
        #expect(try Self.input { $0[4] = nil }?.pinUvAuthProtocol == 1)
        #expect(try HMACSecretExtension.Input([:]) == nil)
    }

    @Test(
        "getAssertion's input is refused without a part of it, or with one of another kind",
        arguments: [
            (1, nil, .missingParameter), (2, nil, .missingParameter), (3, nil, .missingParameter),
            (1, 7, .unexpectedType), (2, "x", .unexpectedType), (3, 7, .unexpectedType), (4, "2", .unexpectedType),
            (1, [1: 2, 3: -7, -1: 1, -2: .bytes([]), -3: .bytes([])], .invalidParameter),
            (1, [1: 2, 3: -25, -1: 2, -2: .bytes([]), -3: .bytes([])], .invalidParameter),
        ] as [(CBORValue, CBORValue?, CTAPError.Code)])
    func refused(_ key: CBORValue, _ value: CBORValue?, _ code: CTAPError.Code) {
        #expect(throws: CTAPError(code, reason: "")) { try Self.input { $0[key] = value } }
    }
}
