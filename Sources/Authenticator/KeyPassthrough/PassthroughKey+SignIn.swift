package import CTAP
internal import Encodings
package import PasskeyAuthenticator
internal import UserVerification

// authenticatorGetAssertion. Source: CTAP 2.2 section 6.2.2.

extension PassthroughKey {
    package func getAssertion(_ request: GetAssertionRequest) async throws(CTAPFailure) -> GetAssertionResponse {
        try check(
            request.options, pinUvAuthParam: request.pinUvAuthParam, pinUvAuthProtocol: request.pinUvAuthProtocol)
        guard request.options.residentKey == nil else {
            throw CTAPFailure(.unsupportedOption, "option rk is given")
        }
        try check([], rpID: request.rpID)
        let allowed = try ids(request.allowList)
        let input = try prf(request)
        if isSilent(request, input) { return try await look(request, allowed) }
        try await approve(ApprovalQuestion(operation: .signIn, rpID: request.rpID, holder: .securityKey))
        // A list of which nothing can be on the key must not become a request for anything on it.
        guard request.allowList.isEmpty || !allowed.isEmpty else { throw refusal(for: .refused(.noCredentials)) }
        let (assertions, isVerified) = try await assertions(request, allowed, input)
        for assertion in assertions { try check(assertion, request, allowed, isVerified: isVerified) }
        observer(.approved(operation: .signIn, rpID: request.rpID, verified: isVerified))
        let chosen = try await choose(of: assertions, request.rpID)
        dispatcher.account = assertions[chosen].user.map { .init(name: $0.name, displayName: $0.displayName) }
        var response = Self.response(assertions[chosen], allowed)
        // Clients refuse it where they sent an allow list (HT-CTAP-25).
        if assertions.count > 1 { response.userSelected = true }
        return response
    }

    private func prf(_ request: GetAssertionRequest) throws(CTAPFailure) -> PRFExtensionInput? {
        guard canEvaluate else { return nil }
        return try CTAPError.rethrown(PRFExtensionInput(request.extensions), as: CTAPFailure.init)
    }

    /// True if nobody is asked, as for passkeys of this machine: the client names credentials, and wants to know which
    /// of them is here (HT-CTAP-15).
    private func isSilent(_ request: GetAssertionRequest, _ input: PRFExtensionInput?) -> Bool {
        request.options.userPresence == false && request.options.userVerification != true
            && !request.allowList.isEmpty && input == nil
    }

    /// Answers a request for which nobody is asked. The key does not blink.
    private func look(_ request: GetAssertionRequest, _ allowed: [[UInt8]]) async throws(CTAPFailure)
        -> GetAssertionResponse
    {
        var found: KeyAssertion?
        do throws(KeyFailure) {
            for part in allowed.parts(of: information.listSize) where found == nil {
                found = try await Self.look(
                    for: part, of: request.rpID, request.clientDataHash, on: key, .none)
            }
        } catch {
            throw refusal(for: error)
        }
        guard let found else { throw CTAPFailure(.noCredentials, "no passkey on the key fits") }
        let data = try check(found.authenticatorData, rpID: request.rpID, isPresent: false, isVerified: false)
        guard !data.flags.contains(.userPresent) else {
            throw refusal(for: .fault("it says that it was touched, which was not asked for"))
        }
        observer(.answeredSilently(rpID: request.rpID))
        return Self.response(found, allowed)
    }

    private func assertions(
        _ request: GetAssertionRequest, _ allowed: [[UInt8]], _ input: PRFExtensionInput?
    ) async throws(CTAPFailure) -> ([KeyAssertion], isVerified: Bool) {
        let key = key
        let listSize = information.listSize
        return try await verified { (verification) throws(KeyFailure) in
            var allowed = allowed
            // Salts that depend on the credential are sent for one that is known.
            let isNeeded = allowed.count > listSize || allowed.count > 1 && input?.evalByCredential.isEmpty == false
            if isNeeded {
                let hash = request.clientDataHash
                guard
                    let id = try await PassthroughKey.present(
                        allowed, of: request.rpID, hash, on: key, by: listSize, verification)
                else { throw .refused(.noCredentials) }
                allowed = [id]
            }
            var signIn = KeySignIn(
                clientDataHash: request.clientDataHash, rpID: request.rpID, allowed: allowed, verification: verification
            )
            if verification.isVerification { signIn.salts = input?.salts(for: allowed.count == 1 ? allowed[0] : []) }
            let assertions = try await key.assertions(signIn)
            guard !assertions.isEmpty else { throw .fault("no assertion") }
            return (assertions, verification.isVerification)
        }
    }

    /// Holds an assertion against the request.
    private func check(
        _ assertion: KeyAssertion, _ request: GetAssertionRequest, _ allowed: [[UInt8]], isVerified: Bool
    ) throws(CTAPFailure) {
        _ = try check(assertion.authenticatorData, rpID: request.rpID, isVerified: isVerified)
        let isNamed = assertion.credentialID.isEmpty ? allowed.count == 1 : allowed.contains(assertion.credentialID)
        guard isNamed || allowed.isEmpty && !assertion.credentialID.isEmpty else {
            throw refusal(for: .fault("it is for a credential that was not asked for"))
        }
    }

    /// Lets the user choose an account, if the key has several.
    private func choose(of assertions: [KeyAssertion], _ rpID: String) async throws(CTAPFailure) -> Int {
        guard assertions.count > 1 else { return 0 }
        let accounts = assertions.map {
            ApprovalQuestion.Account(name: $0.user?.name, displayName: $0.user?.displayName)
        }
        let question = ApprovalQuestion(operation: .signIn, rpID: rpID, accounts: accounts, holder: .securityKey)
        guard let account = try await approve(question), assertions.indices.contains(account) else {
            throw CTAPFailure(.operationDenied, "no account was chosen")
        }
        return account
    }

    private static func response(_ assertion: KeyAssertion, _ allowed: [[UInt8]]) -> GetAssertionResponse {
        let id = assertion.credentialID.isEmpty ? allowed.first ?? [] : assertion.credentialID
        var response = GetAssertionResponse(
            credential: .init(id: id), authenticatorData: assertion.authenticatorData, signature: assertion.signature,
            // The names are for a client that has to show a choice.
            user: assertion.user.map { .init(id: $0.id, name: nil, displayName: nil) })
        if let secrets = assertion.secrets {
            response.unsignedExtensionOutputs[ExtensionIdentifier.prf] =
                PRFExtensionOutput(results: secrets).value
        }
        return response
    }

    // MARK: - Which credentials the key has

    /// The first credential of a list that the key has; nil if it has none. It does not blink.
    static func present(
        _ ids: [[UInt8]], of rpID: String, _ clientDataHash: [UInt8] = placeholder, on key: any AttachedKey,
        by listSize: Int, _ verification: KeyVerification
    ) async throws(KeyFailure) -> [UInt8]? {
        for part in ids.parts(of: listSize) {
            guard let found = try await look(for: part, of: rpID, clientDataHash, on: key, verification) else {
                continue
            }
            if !found.credentialID.isEmpty { return found.credentialID }
            if part.count == 1 { return part[0] }
            throw .fault("an assertion that does not say its credential")
        }
        return nil
    }

    /// A hash that nobody has, for looks before a registration: their signatures are thrown away.
    static let placeholder = [UInt8](repeating: 0, count: MakeCredentialRequest.clientDataHashByteCount)

    private static func look(
        for ids: [[UInt8]], of rpID: String, _ clientDataHash: [UInt8], on key: any AttachedKey,
        _ verification: KeyVerification
    ) async throws(KeyFailure) -> KeyAssertion? {
        do throws(KeyFailure) {
            let signIn = KeySignIn(
                clientDataHash: clientDataHash, rpID: rpID, allowed: ids, userPresence: false,
                verification: verification)
            guard let found = try await key.assertions(signIn).first else { throw .fault("no assertion") }
            guard found.credentialID.isEmpty || ids.contains(found.credentialID) else {
                throw .fault("it is for a credential that was not asked for")
            }
            return found
        } catch {
            guard error == .refused(.noCredentials) else { throw error }
            return nil
        }
    }
}

extension [[UInt8]] {
    /// The list in parts of at most so many.
    fileprivate func parts(of size: Int) -> [[[UInt8]]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
