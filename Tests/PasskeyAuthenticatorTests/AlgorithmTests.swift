import CTAP
import Encodings
import Testing

@testable import PasskeyAuthenticator

/// The choice of a new passkey's algorithm.
@Suite struct AlgorithmTests {
    let store = InMemoryCredentialStore()

    @Test(
        "The first algorithm of the relying party's that there is here is used, and signs",
        arguments: [
            ([-7, -257], -7), ([-8, -7], -8), ([-257, -7], -257), ([-35, -8, -7], -8), ([-65535, -257], -257),
            ([-8], -8),
        ] as [([Int64], Int64)], [["packed"], ["none"]])
    func first(_ asked: ([Int64], Int64), _ formats: [String]) async throws {
        let authenticator = PasskeyAuthenticator(store: store, approval: ScriptedApproval(.yes))
        var request = Ceremony.registration(formats: formats)
        request.parameters = asked.0.map { .init(algorithm: .init(rawValue: $0)) }
        let (made, credential) = try await authenticator.register(request)
        #expect(credential.publicKey.algorithm.rawValue == asked.1)
        #expect(made.format == formats[0])
        if formats == ["packed"] {
            #expect(made.attestationStatement["alg"]?.integerValue == asked.1)
            let signature = made.attestationStatement["sig"]?.bytesValue
            #expect(try credential.publicKey.verifies(signature, made.authenticatorData, Ceremony.hash))
        }
        let got = try await authenticator.signIn(Ceremony.signIn())
        #expect(try credential.publicKey.verifies(got.signature, got.authenticatorData, Ceremony.hash))
        #expect(try !credential.publicKey.verifies(got.signature, got.authenticatorData, [1]))
    }

    @Test("An algorithm for another type of credential does not count")
    func otherType() async throws {
        let authenticator = PasskeyAuthenticator(store: store, approval: ScriptedApproval(.yes))
        var request = Ceremony.registration()
        request.parameters = [.init(algorithm: .edDSA, type: "private-key"), .init(algorithm: .es256)]
        let (_, credential) = try await authenticator.register(request)
        #expect(credential.publicKey.algorithm == .es256)
    }
}
