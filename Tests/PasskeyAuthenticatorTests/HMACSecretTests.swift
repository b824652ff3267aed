import CTAP
import Cryptography
import Encodings
import Testing

@testable import PasskeyAuthenticator

/// The extension hmac-secret under PIN/UV auth protocol two (CTAP 2.2 sections 6.5.7 and 12.7). python-fido2's end of
/// it is in ``PeerTests``.
@Suite("hmac-secret") struct HMACSecretTests {
    let store = InMemoryCredentialStore()
    static let salts = [UInt8](repeating: 1, count: 32) + [UInt8](repeating: 2, count: 32)

    /// The client's end of the protocol.
    private struct Client {
        let point: [UInt8]
        let hmacKey: [UInt8]
        let aesKey: [UInt8]

        init(_ authenticator: PasskeyAuthenticator) async throws {
            let request = CTAPRequest.clientPIN(.init(subcommand: 2, pinUvAuthProtocol: 2))
            let payload = await authenticator.response(request).payload
            let theirs = try #require(try KeyAgreementResponse(decoding: payload.span).keyAgreement.keyAgreementPoint)
            let key = try P256.PrivateKey.generate()
            point = key.publicKey.uncompressed
            let shared = try key.sharedSecret(with: P256.PublicKey(x963: theirs.span))
            hmacKey = try Self.derive(shared, "CTAP2 HMAC key")
            aesKey = try Self.derive(shared, "CTAP2 AES key")
        }

        private static func derive(_ shared: borrowing SecretBytes, _ info: String) throws -> [UInt8] {
            let salt = [UInt8](repeating: 0, count: 32)
            let info = Array(info.utf8)
            let key = HKDFSHA256.derive(secret: shared.span, salt: salt.span, info: info.span, byteCount: 32)
            return key.span.withUnsafeBufferPointer { [UInt8]($0) }
        }

        func input(_ salts: [UInt8], version: UInt64? = 2) throws -> CBORMap {
            let vector = [UInt8](repeating: 7, count: 16)
            let saltEnc = try vector + AES256CBC.encrypt(salts.span, key: aesKey.span, vector: vector.span)
            var function = HMACSHA256(key: hmacKey.span)
            let saltAuth = function.authenticationCode(for: saltEnc.span)
            var input: CBORMap = [
                1: .map(try COSEKey(keyAgreement: point.span).parameters), 2: .bytes(saltEnc), 3: .bytes(saltAuth),
            ]
            input[4] = version.map(CBORValue.unsigned)
            return input
        }

        func values(_ response: GetAssertionResponse) throws -> [UInt8]? {
            let data = try AuthenticatorData(decoding: response.authenticatorData.span)
            guard let output = data.extensions?["hmac-secret"]?.bytesValue else { return nil }
            let vector = Array(output.prefix(16))
            let blocks = Array(output.dropFirst(16))
            let values = try AES256CBC.decrypt(blocks.span, key: aesKey.span, vector: vector.span)
            return values.span.withUnsafeBufferPointer { [UInt8]($0) }
        }
    }

    private func authenticator(_ approval: ScriptedApproval = .init(.yes)) -> PasskeyAuthenticator {
        PasskeyAuthenticator(store: store, approval: approval)
    }

    private func register() async throws -> AttestedCredential {
        var request = Ceremony.registration()
        request.extensions = ["hmac-secret": true]
        let (made, credential) = try await authenticator().register(request)
        #expect(try AuthenticatorData(decoding: made.authenticatorData.span).extensions == ["hmac-secret": true])
        return credential
    }

    @Test("Values are those of prf for the same salts, and come encrypted and signed")
    func values() async throws {
        let credential = try await register()
        let authenticator = authenticator()
        let client = try await Client(authenticator)
        var request = Ceremony.signIn()
        request.extensions = [
            "hmac-secret": .map(try client.input(Self.salts)),
            "prf": [
                "eval": ["first": .bytes(Array(Self.salts.prefix(32))), "second": .bytes(Array(Self.salts.suffix(32)))]
            ],
        ]
        let response = try await authenticator.signIn(request)
        let values = try #require(try client.values(response))
        let prf = try #require(PRFExtensionOutput(response.unsignedExtensionOutputs)?.results)
        #expect(values == prf.first + (prf.second ?? []))
        #expect(
            try credential.publicKey.verifies(response.signature, response.authenticatorData, Ceremony.hash))
        request.extensions = ["hmac-secret": .map(try client.input(Array(Self.salts.prefix(32))))]
        #expect(try await client.values(authenticator.signIn(request)) == prf.first)
    }

    @Test("With up false there are no values, and nobody is asked", arguments: [true, false])
    func withoutPresence(_ named: Bool) async throws {
        let credential = try await register()
        let approval = ScriptedApproval(.yes)
        let authenticator = authenticator(approval)
        var request = Ceremony.signIn(allow: named ? [credential.credentialID] : [])
        request.options = .init(userPresence: false)
        request.extensions = ["hmac-secret": .map(try await Client(authenticator).input(Self.salts))]
        #expect(await authenticator.status(.getAssertion(request)) == .unsupportedOption)
        #expect(approval.questions.isEmpty)
    }

    @Test("An input that cannot be met is refused before anybody is asked")
    func impossible() async throws {
        _ = try await register()
        let approval = ScriptedApproval(.yes)
        let authenticator = authenticator(approval)
        let client = try await Client(authenticator)
        let good = try client.input(Self.salts)
        let wrongTag = CBORValue.bytes([UInt8](repeating: 0, count: 32))
        let shortTag = CBORValue.bytes(Array(try #require(good[3]?.bytesValue).prefix(16)))
        let offCurve = CBORValue.map([1: 2, 3: -25, -1: 1, -2: wrongTag, -3: wrongTag])
        let changes: [(CTAPStatus, CBORMap)] = [
            (.invalidParameter, try client.input(Self.salts, version: nil)),
            (.invalidParameter, try client.input(Self.salts, version: 1)),
            (.invalidLength, try client.input(Array(Self.salts.prefix(48)))),
            (.pinAuthInvalid, good.with(3, wrongTag)), (.pinAuthInvalid, good.with(3, shortTag)),
            (.pinAuthInvalid, good.with(2, .bytes([]))), (.missingParameter, good.with(1, nil)),
            (.missingParameter, good.with(2, nil)), (.missingParameter, good.with(3, nil)),
            (.unexpectedType, good.with(1, 1)), (.unexpectedType, good.with(4, "2")),
            (.invalidParameter, good.with(1, offCurve)),
            (.invalidParameter, good.with(1, [1: 2, 3: -7, -1: 1, -2: wrongTag, -3: wrongTag])),
        ]
        for (status, input) in changes {
            var request = Ceremony.signIn()
            request.extensions = ["hmac-secret": .map(input)]
            #expect(await authenticator.status(.getAssertion(request)) == status)
        }
        #expect(approval.questions.isEmpty)
    }

    @Test(
        "authenticatorClientPIN gives the public key of protocol two, and nothing else",
        arguments: [
            (2, 2, .ok), (2, 1, .invalidParameter), (2, nil, .missingParameter), (1, 2, .invalidSubcommand),
            (6, 2, .invalidSubcommand), (9, 2, .invalidSubcommand),
        ] as [(UInt64, UInt64?, CTAPStatus)])
    func clientPIN(_ subcommand: UInt64, _ version: UInt64?, _ status: CTAPStatus) async {
        let request = CTAPRequest.clientPIN(.init(subcommand: subcommand, pinUvAuthProtocol: version))
        let approval = ScriptedApproval(.yes)
        #expect(await authenticator(approval).status(request) == status)
        #expect(await authenticator(.init(canVerify: false, .yes)).status(request) == .invalidCommand)
        #expect(approval.questions.isEmpty)
    }
}

extension CBORMap {
    /// The map with another value for a key, or without the key.
    fileprivate func with(_ key: Int, _ value: CBORValue?) -> CBORMap {
        var map = self
        map[key] = value
        return map
    }
}
