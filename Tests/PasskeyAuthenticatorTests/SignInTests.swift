import CTAP
import Cryptography
import Encodings
import Synchronization
import Testing
import UserVerification

@testable import PasskeyAuthenticator

/// authenticatorGetAssertion and authenticatorGetNextAssertion (CTAP 2.2 sections 6.2 and 6.3).
@Suite struct SignInTests {
    let store = InMemoryCredentialStore()

    private func authenticator(
        _ verification: ScriptedApproval, choice: PasskeyAuthenticator.AccountChoice = .authenticator
    ) -> PasskeyAuthenticator {
        PasskeyAuthenticator(store: store, approval: verification, accountChoice: choice)
    }

    private func register(_ requests: MakeCredentialRequest...) async throws -> [AttestedCredential] {
        var credentials: [AttestedCredential] = []
        for request in requests {
            credentials.append(try await authenticator(ScriptedApproval(.yes)).register(request).1)
        }
        return credentials
    }

    @Test("A discoverable passkey signs in without being named, with userSelected and the user handle")
    func discoverable() async throws {
        let credential = try await register(Ceremony.registration())[0]
        let response = try await authenticator(ScriptedApproval(.yes)).signIn(Ceremony.signIn())
        #expect(response.credential == .init(id: credential.credentialID))
        #expect(response.user == .init(id: [1], name: nil, displayName: nil))
        #expect(response.userSelected == true)
        #expect(response.numberOfCredentials == nil)
        let data = try AuthenticatorData(decoding: response.authenticatorData.span)
        #expect(data.flags == [.userPresent, .userVerified, .backupEligible])
        #expect(data.signCount == 0)
        #expect(data.rpIDHash == SHA256.hash("example.org".utf8.span))
        #expect(
            try credential.publicKey.verifies(response.signature, response.authenticatorData, Ceremony.hash))
    }

    @Test("With an allow list there is no userSelected, and a credential that is not discoverable is found")
    func allowList() async throws {
        let credentials = try await register(
            Ceremony.registration(), Ceremony.registration(user: 2, residentKey: false))
        let hidden = credentials[1].credentialID
        let verification = ScriptedApproval(.yes)
        let response = try await authenticator(verification).signIn(Ceremony.signIn(allow: [[9], hidden]))
        #expect(response.credential?.id == hidden)
        #expect(response.user == nil)
        #expect(response.userSelected == nil)
        #expect(verification.questions[0].accounts.map(\.name) == ["user2"])
    }

    @Test("The user chooses among several accounts, the newest first")
    func choice() async throws {
        let credentials = try await register(
            Ceremony.registration(), Ceremony.registration(user: 2), Ceremony.registration(user: 3, residentKey: false))
        let verification = ScriptedApproval(.approved(verified: true, account: 1))
        let response = try await authenticator(verification).signIn(Ceremony.signIn())
        #expect(response.credential?.id == credentials[0].credentialID)
        #expect(verification.questions[0].accounts.map(\.name) == ["user2", "user1"])
        #expect(verification.questions[0].choosesAccount)
        #expect(verification.questions[0].accounts.allSatisfy { $0.passkey?.created != nil })
    }

    @Test("An answer is told with its site, and the account of the passkey that was made or used")
    func answered() async throws {
        let requests = Mutex<[AnsweredRequest]>([])
        let authenticator = PasskeyAuthenticator(
            store: store, approval: ScriptedApproval(.yes, .yes, .approved(verified: true, account: 1), .declined)
        ) { event in
            guard case .answered(let request) = event else { return }
            requests.withLock { $0.append(request) }
        }
        _ = try await authenticator.register(Ceremony.registration())
        _ = try await authenticator.register(Ceremony.registration(user: 2))
        _ = try await authenticator.signIn(Ceremony.signIn())
        #expect(await authenticator.status(.getAssertion(Ceremony.signIn())) == .operationDenied)
        #expect(await authenticator.status(.getInfo) == .ok)
        let all = requests.withLock { $0 }
        #expect(all.map(\.rpID) == ["example.org", "example.org", "example.org", "example.org", nil])
        #expect(all.map { $0.account?.name } == ["user1", "user2", "user1", nil, nil])
    }

    @Test("If nobody chose, the newest is used and userSelected is not claimed")
    func nobodyChose() async throws {
        let credentials = try await register(Ceremony.registration(), Ceremony.registration(user: 2))
        let authenticator = PasskeyAuthenticator(
            store: store, approval: AutomaticApproval(claimsVerification: true))
        let response = try await authenticator.signIn(Ceremony.signIn())
        #expect(response.credential?.id == credentials[1].credentialID)
        #expect(response.userSelected == nil)
    }

    @Test(
        "That no passkey fits is answered after a verified user has seen it",
        arguments: [[], [[1, 2, 3]]] as [[[UInt8]]])
    func noCredentials(_ allow: [[UInt8]]) async throws {
        _ = try await register(Ceremony.registration(rpID: "example.com"), Ceremony.registration(residentKey: false))
        let request = CTAPRequest.getAssertion(Ceremony.signIn(allow: allow))
        for (answer, status) in [
            (ScriptedAnswer.yes, CTAPStatus.noCredentials), (.declined, .operationDenied),
            (.timedOut, .userActionTimeout), (.cancelled, .keepaliveCancel), (.failed, .operationDenied),
            (.approved(verified: false, account: nil), .operationDenied),
        ] {
            let verification = ScriptedApproval(answer)
            #expect(await authenticator(verification).status(request) == status)
            #expect(
                verification.questions == [
                    ApprovalQuestion(operation: .noPasskey, rpID: "example.org", requiresVerification: true)
                ])
        }
        var unverified = Ceremony.signIn(allow: allow)
        unverified.options = .init()
        let presence = ScriptedApproval(canVerify: false, .approved(verified: false, account: nil))
        #expect(await authenticator(presence).status(.getAssertion(unverified)) == .noCredentials)
        #expect(presence.questions.count == 1)
    }

    @Test("A relying party whose identifier only looks equal gets nothing")
    func canonicallyEquivalent() async throws {
        try await store.add(
            Credential(
                id: [1], rpID: "ssh:caf\u{e9}", rpName: nil, userHandle: [1], userName: nil, userDisplayName: nil,
                isDiscoverable: true, key: try CredentialKey(.es256)))
        #expect(await store.credentials(rpID: "ssh:caf\u{e9}").count == 1)
        #expect(await store.credentials(rpID: "ssh:cafe\u{301}").isEmpty)
    }

    @Test(
        "Every answer but a yes has a status of its own",
        arguments: [
            (.declined, .operationDenied), (.timedOut, .userActionTimeout), (.cancelled, .keepaliveCancel),
            (.unavailable, .operationDenied), (.notEnrolled, .invalidOption), (.failed, .operationDenied),
            (.blocked, .pinBlocked), (.approved(verified: false, account: 0), .operationDenied),
            (.approved(verified: true, account: 7), .operationDenied),
            (.approved(verified: true, account: -1), .operationDenied),
        ] as [(ScriptedAnswer, CTAPStatus)])
    func refusals(_ answer: ScriptedAnswer, _ status: CTAPStatus) async throws {
        _ = try await register(Ceremony.registration())
        let request = CTAPRequest.getAssertion(Ceremony.signIn())
        #expect(await authenticator(ScriptedApproval(answer)).status(request) == status)
    }

    @Test("A request that cannot be met is refused before anybody is asked")
    func impossible() async throws {
        _ = try await register(Ceremony.registration())
        let verification = ScriptedApproval(.yes)
        let authenticator = authenticator(verification)
        var request = Ceremony.signIn()
        request.options.residentKey = false
        #expect(await authenticator.status(.getAssertion(request)) == .unsupportedOption)
        request = Ceremony.signIn()
        request.pinUvAuthParam = [1]
        #expect(await authenticator.status(.getAssertion(request)) == .missingParameter)
        request.pinUvAuthProtocol = 1
        #expect(await authenticator.status(.getAssertion(request)) == .invalidParameter)
        #expect(await authenticator.status(.getAssertion(Ceremony.signIn(rpID: ""))) == .invalidLength)
        #expect(verification.questions.isEmpty)
        let blind = ScriptedApproval(canVerify: false, .yes)
        #expect(await self.authenticator(blind).status(.getAssertion(Ceremony.signIn())) == .invalidOption)
        #expect(blind.questions.isEmpty)
    }

    @Test("Without uv the user is verified all the same, as getInfo says: alwaysUv", arguments: [nil, false])
    func alwaysVerified(_ asked: Bool?) async throws {
        _ = try await register(Ceremony.registration())
        var request = Ceremony.signIn()
        request.options.userVerification = asked
        let response = try await authenticator(ScriptedApproval(.yes)).signIn(request)
        let data = try AuthenticatorData(decoding: response.authenticatorData.span)
        #expect(data.flags == [.userPresent, .userVerified, .backupEligible])
        let unverified = ScriptedApproval(.approved(verified: false, account: nil))
        #expect(await authenticator(unverified).status(.getAssertion(request)) == .operationDenied)
    }

    @Test(
        "Up false with a list of passkeys is answered without a question, with neither UP nor UV",
        arguments: [true, false])
    func silent(_ canVerify: Bool) async throws {
        let credentials = try await register(Ceremony.registration(), Ceremony.registration(user: 2))
        let verification = ScriptedApproval(canVerify: canVerify, .declined)
        let events = Mutex<[String]>([])
        let authenticator = PasskeyAuthenticator(store: store, approval: verification) { event in
            events.withLock { $0.append("\(event)") }
        }
        var request = Ceremony.signIn(allow: [[9], credentials[0].credentialID])
        request.options = .init(userPresence: false)
        let response = try await authenticator.signIn(request)
        #expect(response.credential?.id == credentials[0].credentialID)
        #expect(try AuthenticatorData(decoding: response.authenticatorData.span).flags == [.backupEligible])
        #expect(response.user?.name == nil && response.unsignedExtensionOutputs.isEmpty)
        #expect(await store.credentials().allSatisfy { $0.lastUsed == nil }, "that is not a sign-in")
        request.allowList = [.init(id: [9])]
        #expect(await authenticator.status(.getAssertion(request)) == .noCredentials)
        #expect(verification.questions.isEmpty)
        let all = events.withLock { $0 }
        #expect(all.count == 3 && all[0].contains("answeredSilently"))
    }

    @Test("Up false without a list, with uv or with an extension is asked about, and shows what happened: UP and UV")
    func notSilent() async throws {
        let credential = try await register(Ceremony.registration())[0]
        let verification = ScriptedApproval(.yes)
        let authenticator = authenticator(verification)
        let salts: CBORValue = ["eval": ["first": .bytes([UInt8](repeating: 1, count: 32))]]
        let requests: [(allow: Bool, uv: Bool?, extensions: CBORMap)] = [
            (false, nil, [:]), (false, true, [:]), (true, true, [:]), (true, nil, ["largeBlob": ["read": true]]),
            (true, nil, ["prf": salts]),
        ]
        for (index, wanted) in requests.enumerated() {
            var request = Ceremony.signIn(allow: wanted.allow ? [credential.credentialID] : [])
            request.options = .init(userPresence: false, userVerification: wanted.uv)
            request.extensions = wanted.extensions
            let response = try await authenticator.signIn(request)
            let data = try AuthenticatorData(decoding: response.authenticatorData.span)
            #expect(data.flags == [.userPresent, .userVerified, .backupEligible])
            #expect(verification.questions.count == index + 1)
        }
    }

    @Test("A client that chooses gets all assertions one after the other, with names, after one question")
    func nextAssertion() async throws {
        let credentials = try await register(
            Ceremony.registration(), Ceremony.registration(user: 2), Ceremony.registration(user: 3))
        let verification = ScriptedApproval(.yes)
        let authenticator = authenticator(verification, choice: .client)
        var responses = [try await authenticator.signIn(Ceremony.signIn())]
        #expect(responses[0].numberOfCredentials == 3)
        for _ in 0..<2 {
            let payload = await authenticator.response(.getNextAssertion).payload
            responses.append(try GetAssertionResponse(decoding: payload.span))
        }
        #expect(await authenticator.status(.getNextAssertion) == .notAllowed)
        #expect(responses.map { $0.credential?.id } == credentials.reversed().map(\.credentialID))
        #expect(responses.map { $0.user?.name } == ["user3", "user2", "user1"])
        for (response, credential) in zip(responses, credentials.reversed()) {
            #expect(response.userSelected == nil)
            #expect(try credential.publicKey.verifies(response.signature, response.authenticatorData, Ceremony.hash))
        }
        #expect(responses[1].numberOfCredentials == nil)
        #expect(verification.questions.map(\.choosesAccount) == [false])
    }

    @Test("Any other command in between ends the row of assertions")
    func interrupted() async throws {
        _ = try await register(Ceremony.registration(), Ceremony.registration(user: 2))
        let authenticator = authenticator(ScriptedApproval(.yes), choice: .client)
        #expect(await authenticator.status(.getNextAssertion) == .notAllowed)
        _ = try await authenticator.signIn(Ceremony.signIn())
        #expect(await authenticator.status(.getInfo) == .ok)
        #expect(await authenticator.status(.getNextAssertion) == .notAllowed)
    }

    @Test("The row of assertions ends 30 seconds after the last one")
    func expiry() async throws {
        _ = try await register(Ceremony.registration(), Ceremony.registration(user: 2))
        let authenticator = authenticator(ScriptedApproval(.yes), choice: .client)
        let before = ContinuousClock.now
        _ = try await authenticator.signIn(Ceremony.signIn())
        let expiry = try #require(await authenticator.dispatcher.nextAssertions?.expiry)
        #expect((before + .seconds(30)...ContinuousClock.now + .seconds(30)).contains(expiry))
        await authenticator.expireNextAssertions()
        #expect(await authenticator.status(.getNextAssertion) == .notAllowed)
    }

    @Test("A client that chooses learns no names of accounts where the user is not verified")
    func namesWithoutVerification() async throws {
        _ = try await register(Ceremony.registration(), Ceremony.registration(user: 2))
        let authenticator = authenticator(
            ScriptedApproval(canVerify: false, .approved(verified: false, account: nil)), choice: .client)
        var request = Ceremony.signIn()
        request.options.userVerification = nil
        let response = try await authenticator.signIn(request)
        #expect(response.numberOfCredentials == 2)
        #expect(response.user == .init(id: [2], name: nil, displayName: nil))
    }

    @Test("A client that chooses is not offered a choice within its own allow list")
    func clientChoiceWithAllowList() async throws {
        let credentials = try await register(Ceremony.registration(), Ceremony.registration(user: 2))
        let request = Ceremony.signIn(allow: credentials.map(\.credentialID))
        let response = try await authenticator(ScriptedApproval(.yes), choice: .client).signIn(request)
        #expect(response.numberOfCredentials == nil)
    }
}

extension PasskeyAuthenticator {
    /// Lets the time for the next assertion be over.
    fileprivate func expireNextAssertions() {
        guard let next = dispatcher.nextAssertions else { return }
        dispatcher.nextAssertions = NextAssertions(
            request: next.request, inputs: next.inputs, approved: next.approved, remaining: next.remaining,
            expiry: .now)
    }
}
