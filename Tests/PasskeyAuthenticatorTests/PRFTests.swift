import CTAP
import Cryptography
import Encodings
import Testing
import UserVerification

@testable import PasskeyAuthenticator

/// The extension prf (WebAuthn Level 3 section 10.1.4; HT-CTAP-31, HT-CTAP-32).
@Suite struct PRFTests {
    let store = InMemoryCredentialStore()
    static let salts = [UInt8(1), 2, 3].map { [UInt8](repeating: $0, count: PRFValues.byteCount) }

    private func authenticator(canVerify: Bool = true) -> PasskeyAuthenticator {
        PasskeyAuthenticator(store: store, approval: ScriptedApproval(canVerify: canVerify, .yes))
    }

    private func register(
        _ input: PRFExtensionInput?, canVerify: Bool = true, user: UInt8 = 1
    ) async throws -> (PRFExtensionOutput?, [UInt8]) {
        var request = Ceremony.registration(user: user)
        request.options.userVerification = nil
        request.extensions["prf"] = input?.value
        let (made, credential) = try await authenticator(canVerify: canVerify).register(request)
        #expect(try AuthenticatorData(decoding: made.authenticatorData.span).extensions == nil)
        return (PRFExtensionOutput(made.unsignedExtensionOutputs), credential.credentialID)
    }

    private func signIn(
        _ input: PRFExtensionInput?, canVerify: Bool = true, allow: [[UInt8]] = []
    ) async throws -> PRFValues? {
        var request = Ceremony.signIn(allow: allow)
        request.options.userVerification = nil
        request.extensions["prf"] = input?.value
        let response = try await authenticator(canVerify: canVerify).signIn(request)
        #expect(try AuthenticatorData(decoding: response.authenticatorData.span).extensions == nil)
        let output = PRFExtensionOutput(response.unsignedExtensionOutputs)
        #expect(output?.enabled == nil)
        return output?.results
    }

    @Test("The presence of prf enables it, and salts give values at once")
    func registration() async throws {
        #expect(try await register(nil).0 == nil)
        #expect(try await register(.init()).0 == .init(enabled: true))
        let (output, id) = try await register(.init(eval: PRFValues(first: Self.salts[0], second: Self.salts[1])))
        let results = try #require(output?.results)
        #expect(output?.enabled == true && results.first != results.second)
        let secret = try #require(await store.credentials().first { $0.id == id }?.prf)
        let (key, salt) = (Self.bytes(of: secret), Self.salts[0])
        var function = HMACSHA256(key: key.span)
        let code = function.authenticationCode(for: salt.span)
        #expect(code == results.first)
    }

    private static func bytes(of secret: PRFSecret) -> [UInt8] {
        let bytes = secret.bytes()
        return bytes.span.withUnsafeBufferPointer { Array($0) }
    }

    @Test("The same salt gives the same value, on create and on get, and another salt another")
    func values() async throws {
        let (made, _) = try await register(.init(eval: PRFValues(first: Self.salts[0])))
        let both = PRFExtensionInput(eval: try PRFValues(first: Self.salts[0], second: Self.salts[1]))
        let first = try #require(try await signIn(both))
        #expect(try await signIn(both) == first)
        #expect(first.first == made?.results?.first)
        #expect(first.second != first.first && first.second != nil)
        let swapped = try await signIn(.init(eval: PRFValues(first: Self.salts[1])))
        #expect(swapped?.first == first.second && swapped?.second == nil)
    }

    @Test("Another credential has another function, also if none was requested when it was made")
    func secrets() async throws {
        let (_, first) = try await register(.init())
        let (_, second) = try await register(nil, user: 2)
        let input = PRFExtensionInput(eval: try PRFValues(first: Self.salts[0]))
        let values = try await [signIn(input, allow: [first]), signIn(input, allow: [second])]
        #expect(values[0] != nil && values[1] != nil && values[0] != values[1])
    }

    @Test("Salts for the credential by name go before the others")
    func byCredential() async throws {
        let (_, id) = try await register(.init())
        let named = try await signIn(
            .init(
                eval: PRFValues(first: Self.salts[0]),
                evalByCredential: [id: PRFValues(first: Self.salts[1]), [9]: PRFValues(first: Self.salts[2])]),
            allow: [id])
        #expect(try await named == signIn(.init(eval: PRFValues(first: Self.salts[1]))))
        let others = PRFExtensionInput(evalByCredential: [[9]: try PRFValues(first: Self.salts[2])])
        #expect(try await signIn(others, allow: [id]) == nil)
    }

    @Test("Without salts, or without verification, there are no values")
    func withoutVerification() async throws {
        let input = PRFExtensionInput(eval: try PRFValues(first: Self.salts[0]))
        #expect(try await register(input, canVerify: false).0 == .init(enabled: true))
        #expect(try await signIn(input, canVerify: false) == nil)
        #expect(try await signIn(.init()) == nil)
        #expect(try await signIn(nil) == nil)
    }

    @Test("A credential from before there was prf signs in without values")
    func oldCredential() async throws {
        try await store.add(
            Credential(
                id: [1, 2, 3], rpID: "example.org", rpName: nil, userHandle: [1], userName: nil, userDisplayName: nil,
                isDiscoverable: true, key: CredentialKey()))
        #expect(try await signIn(.init(eval: PRFValues(first: Self.salts[0]))) == nil)
        let data = try await authenticator().signIn(Ceremony.signIn()).authenticatorData
        #expect(try AuthenticatorData(decoding: data.span).flags == [.userPresent, .userVerified])
    }
}
