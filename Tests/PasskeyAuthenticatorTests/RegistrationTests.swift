import CTAP
import Cryptography
import Encodings
import Testing
import UserVerification

@testable import PasskeyAuthenticator

/// authenticatorMakeCredential (CTAP 2.2 section 6.1).
@Suite struct RegistrationTests {
    let store = InMemoryCredentialStore()

    private func authenticator(_ verification: ScriptedApproval) -> PasskeyAuthenticator {
        PasskeyAuthenticator(store: store, approval: verification)
    }

    @Test("A new passkey is attested by its own signature")
    func packed() async throws {
        let verification = ScriptedApproval(.yes)
        let (response, credential) = try await authenticator(verification).register(Ceremony.registration())
        #expect(response.format == "packed")
        #expect(response.attestationStatement["alg"] == -7)
        #expect(response.attestationStatement.count == 2)
        let signature = response.attestationStatement["sig"]?.bytesValue
        #expect(try credential.publicKey.verifies(signature, response.authenticatorData, Ceremony.hash))
        let data = try AuthenticatorData(decoding: response.authenticatorData.span)
        #expect(data.flags == [.userPresent, .userVerified, .backupEligible, .attestedCredential])
        #expect(data.signCount == 0)
        #expect(data.rpIDHash == SHA256.hash("example.org".utf8.span))
        #expect(credential.aaguid == PasskeyAuthenticator.aaguid)
        #expect(credential.credentialID.count == Credential.idByteCount)
        #expect(
            verification.questions == [
                ApprovalQuestion(
                    operation: .register, rpID: "example.org", rpName: "Example",
                    accounts: [.init(name: "user1", displayName: "User 1")], requiresVerification: true)
            ])
    }

    @Test(
        "The first attestation format of the relying party's that exists here is used",
        arguments: [
            ([], "packed"), (["none"], "none"), (["packed"], "packed"), (["tpm", "none", "packed"], "none"),
            (["tpm", "apple"], "packed"),
        ])
    func formats(_ preference: [String], _ expected: String) async throws {
        let (response, _) = try await authenticator(ScriptedApproval(.yes))
            .register(Ceremony.registration(formats: preference))
        #expect(response.format == expected)
        #expect(response.attestationStatement.isEmpty == (expected == "none"))
    }

    @Test("UV is set only when the user was verified, which happens always where it can", arguments: [nil, false])
    func unverified(_ asked: Bool?) async throws {
        var request = Ceremony.registration()
        request.options.userVerification = asked
        let unverified = ScriptedAnswer.approved(verified: false, account: nil)
        #expect(await authenticator(ScriptedApproval(unverified)).status(.makeCredential(request)) == .operationDenied)
        let (verified, _) = try await authenticator(ScriptedApproval(.yes)).register(request)
        #expect(try AuthenticatorData(decoding: verified.authenticatorData.span).flags.contains(.userVerified))
        let (response, _) = try await authenticator(ScriptedApproval(canVerify: false, unverified)).register(request)
        let data = try AuthenticatorData(decoding: response.authenticatorData.span)
        #expect(data.flags == [.userPresent, .backupEligible, .attestedCredential])
    }

    @Test("A claim of verification from what cannot verify does not count")
    func falseClaim() async throws {
        var request = Ceremony.registration()
        request.options.userVerification = nil
        let (response, _) = try await authenticator(ScriptedApproval(canVerify: false, .yes)).register(request)
        #expect(try !AuthenticatorData(decoding: response.authenticatorData.span).flags.contains(.userVerified))
    }

    @Test("A second passkey for the same account takes the place of the first")
    func replacing() async throws {
        let approval = ScriptedApproval(.yes)
        let authenticator = authenticator(approval)
        let (_, first) = try await authenticator.register(Ceremony.registration())
        let (_, second) = try await authenticator.register(Ceremony.registration())
        let (_, other) = try await authenticator.register(Ceremony.registration(user: 2))
        let (_, elsewhere) = try await authenticator.register(Ceremony.registration(rpID: "example.com"))
        #expect(first.credentialID != second.credentialID)
        // The user is told that the first one will no longer work.
        #expect(approval.questions.map { $0.replaced != nil } == [false, true, false, false])
        #expect(await store.credentials(rpID: "example.org").map(\.id) == [other.credentialID, second.credentialID])
        #expect(await store.credentials(rpID: "example.com").map(\.id) == [elsewhere.credentialID])
    }

    @Test("A credential that is not discoverable replaces none")
    func notDiscoverable() async throws {
        let authenticator = authenticator(ScriptedApproval(.yes))
        _ = try await authenticator.register(Ceremony.registration(residentKey: nil))
        _ = try await authenticator.register(Ceremony.registration(residentKey: false))
        _ = try await authenticator.register(Ceremony.registration())
        #expect(await store.credentials(rpID: "example.org").map(\.isDiscoverable) == [true, false, false])
    }

    @Test(
        "An excluded credential is reported to a verified user's client; without verification, whatever the user says",
        arguments: [
            (true, .yes, .credentialExcluded), (true, .declined, .operationDenied),
            (true, .timedOut, .userActionTimeout), (true, .approved(verified: false, account: nil), .operationDenied),
            (true, .cancelled, .keepaliveCancel), (true, .unavailable, .operationDenied),
            (true, .failed, .operationDenied), (true, .blocked, .pinBlocked),
            (false, .yes, .credentialExcluded), (false, .declined, .credentialExcluded),
            (false, .timedOut, .credentialExcluded), (false, .cancelled, .keepaliveCancel),
            (false, .unavailable, .operationDenied),
        ] as [(Bool, ScriptedAnswer, CTAPStatus)])
    func excluded(_ canVerify: Bool, _ answer: ScriptedAnswer, _ status: CTAPStatus) async throws {
        let (_, credential) = try await authenticator(ScriptedApproval(.yes)).register(Ceremony.registration())
        var request = Ceremony.registration(user: 2, exclude: [[1, 2, 3], credential.credentialID])
        request.options.userVerification = nil
        let approval = ScriptedApproval(canVerify: canVerify, answer)
        #expect(await authenticator(approval).status(.makeCredential(request)) == status)
        #expect(approval.questions.map(\.operation) == [.alreadyRegistered])
        #expect(approval.questions.map(\.requiresVerification) == [canVerify])
        #expect(await store.credentials(rpID: "example.org").count == 1)
    }

    @Test("A credential of another relying party, or of another type, is not excluded")
    func notExcluded() async throws {
        let authenticator = authenticator(ScriptedApproval(.yes))
        let (_, credential) = try await authenticator.register(Ceremony.registration(rpID: "example.com"))
        _ = try await authenticator.register(Ceremony.registration(exclude: [credential.credentialID]))
        var request = Ceremony.registration(rpID: "example.com", user: 2)
        request.excludeList = [.init(id: credential.credentialID, type: "private-key")]
        _ = try await authenticator.register(request)
    }

    @Test(
        "Every answer but a yes keeps nothing and has a status of its own",
        arguments: [
            (.declined, .operationDenied), (.timedOut, .userActionTimeout), (.cancelled, .keepaliveCancel),
            (.unavailable, .operationDenied), (.notEnrolled, .invalidOption), (.failed, .operationDenied),
            (.blocked, .pinBlocked), (.approved(verified: false, account: nil), .operationDenied),
        ] as [(ScriptedAnswer, CTAPStatus)])
    func refusals(_ answer: ScriptedAnswer, _ status: CTAPStatus) async {
        let request = CTAPRequest.makeCredential(Ceremony.registration())
        #expect(await authenticator(ScriptedApproval(answer)).status(request) == status)
        #expect(await store.credentials(rpID: "example.org").isEmpty)
    }

    @Test("A request that cannot be met is refused before anybody is asked")
    func impossible() async throws {
        typealias Change = @Sendable (inout MakeCredentialRequest) -> Void
        let changes: [(CTAPStatus, Change)] = [
            (.unsupportedAlgorithm, { $0.parameters = [.init(algorithm: .init(rawValue: -35))] }),
            (.unsupportedAlgorithm, { $0.parameters = [] }),
            (.unsupportedAlgorithm, { $0.parameters = [.init(algorithm: .es256, type: "private-key")] }),
            (.invalidOption, { $0.options.userPresence = false }),
            (.invalidParameter, { $0.enterpriseAttestation = 1 }),
            (.missingParameter, { $0.pinUvAuthParam = [] }),
            (
                .invalidParameter,
                {
                    $0.pinUvAuthParam = [1]
                    $0.pinUvAuthProtocol = 2
                }
            ),
            (.unexpectedType, { $0.extensions = ["credProtect": "2"] }),
            (.invalidParameter, { $0.extensions = ["credProtect": 0] }),
            (.invalidParameter, { $0.extensions = ["credProtect": 259] }),
            (.unexpectedType, { $0.extensions = ["hmac-secret": 1] }),
            (.unexpectedType, { $0.extensions = ["prf": true] }),
            (.unexpectedType, { $0.extensions = ["prf": ["eval": []]] }),
            (.missingParameter, { $0.extensions = ["prf": ["eval": [:]]] }),
            (.invalidLength, { $0.extensions = ["prf": ["eval": ["first": .bytes([1])]]] }),
            (.unexpectedType, { $0.extensions = ["prf": ["evalByCredential": ["a": [:]]]] }),
            (.invalidCBOR, { $0.extensions = ["largeBlob": "preferred"] }),
            (.invalidCBOR, { $0.extensions = ["largeBlob": [:]] }),
            (.invalidCBOR, { $0.extensions = ["largeBlob": ["support": true]] }),
            (.invalidCBOR, { $0.extensions = ["largeBlob": ["support": "perhaps"]] }),
            (.invalidCBOR, { $0.extensions = ["largeBlob": ["support": "required", "x": 1]] }),
            (.invalidLength, { $0.rp.id = "" }), (.invalidLength, { $0.rp.id = String(repeating: "a", count: 254) }),
            (.requestTooLarge, { $0.extensions = ["x": .bytes(.init(repeating: 0, count: 1 << 20))] }),
        ]
        for (status, change) in changes {
            let verification = ScriptedApproval(.yes)
            var request = Ceremony.registration()
            change(&request)
            #expect(await authenticator(verification).status(.makeCredential(request)) == status)
            #expect(verification.questions.isEmpty)
        }
        let blind = ScriptedApproval(canVerify: false, .yes)
        #expect(await authenticator(blind).status(.makeCredential(Ceremony.registration())) == .invalidOption)
        #expect(blind.questions.isEmpty)
    }

    @Test("The algorithm is looked at before options, extensions and enterprise attestation (step 3)")
    func algorithmFirst() async throws {
        let verification = ScriptedApproval(.yes)
        var request = Ceremony.registration()
        request.parameters = [.init(algorithm: .init(rawValue: -999))]
        request.options.userPresence = false
        request.enterpriseAttestation = 1
        request.extensions = ["credProtect": 0]
        #expect(await authenticator(verification).status(.makeCredential(request)) == .unsupportedAlgorithm)
        request.pinUvAuthParam = [1]
        #expect(await authenticator(verification).status(.makeCredential(request)) == .missingParameter)
        #expect(verification.questions.isEmpty)
    }

    @Test("Long names are cut at a character, not in the middle of one")
    func longNames() async throws {
        var request = Ceremony.registration()
        request.user.name = String(repeating: "水", count: 200)
        _ = try await authenticator(ScriptedApproval(.yes)).register(request)
        let kept = try #require(await store.credentials(rpID: "example.org").first?.userName)
        #expect(kept == String(repeating: "水", count: 85))
    }

    @Test("A store without room is reported as full")
    func full() async throws {
        let key = try CredentialKey()
        for number in 0..<CredentialList.maxCount {
            try await store.add(
                Credential(
                    id: [UInt8(number & 0xff), UInt8(number >> 8)], rpID: "other.org", rpName: nil, userHandle: [1],
                    userName: nil, userDisplayName: nil, isDiscoverable: false, key: key))
        }
        let request = CTAPRequest.makeCredential(Ceremony.registration())
        #expect(await authenticator(ScriptedApproval(.yes)).status(request) == .keyStoreFull)
    }
}
