package import CTAP
package import PasskeyAuthenticator

extension PhoneKey {
    /// Signs in with a passkey of the phone, or answers a probe.
    package func getAssertion(_ request: GetAssertionRequest) async throws(CTAPFailure) -> GetAssertionResponse {
        if request.pinUvAuthParam == [] { try await answerTouch() }
        guard request.pinUvAuthParam == nil else { throw CTAPFailure(.invalidParameter, "this key has no PIN") }
        try Self.check(rpID: request.rpID)
        guard request.options.residentKey == nil else {
            throw CTAPFailure(.unsupportedOption, "a sign-in has no option rk")
        }
        let allowed = request.allowList.filter { $0.type == PublicKeyCredentialDescriptor.publicKey }.map(\.id)
        guard request.allowList.isEmpty || !allowed.isEmpty else {
            throw CTAPFailure(.noCredentials, "the program names no passkey")
        }
        let answer = probeAnswer
        probeAnswer = nil
        if let answer, answer.isFor(request, allowed, at: now()) {
            observe(.answeredFromProbe(rpID: request.rpID))
            return answer.response
        }
        if request.options.userPresence == false { return try await probe(request, allowed) }
        return try await assertion(request, fullAllowList(allowed, of: request.rpID))
    }

    /// Lets the phone sign.
    ///
    /// - Parameter allowed: the credential IDs; empty for any passkey of the site's.
    func assertion(
        _ request: GetAssertionRequest, _ allowed: [[UInt8]]
    ) async throws(CTAPFailure) -> GetAssertionResponse {
        _ = supportedExtensions(request.extensions)
        try await ask(for: request.rpID)
        // HT-CTAP-9, HT-CTAP-13, HT-CTAP-24
        let sent = GetAssertionRequest(
            rpID: request.rpID, clientDataHash: request.clientDataHash, allowList: allowed.map { .init(id: $0) },
            options: .init(userVerification: true))
        let payload = try await send(.getAssertion(sent))
        let response: GetAssertionResponse
        do throws(CTAPError) {
            response = try GetAssertionResponse(decoding: payload.span)
        } catch {
            throw .damaged(error.reason)
        }
        _ = try Self.checked(
            response.authenticatorData, of: request.rpID, isVerified: request.options.userVerification ?? false)
        // It may be left out where there is no doubt.
        guard let id = response.credential?.id ?? (allowed.count == 1 ? allowed.first : nil), !id.isEmpty else {
            throw .damaged("it names no passkey")
        }
        // HT-CTAP-27
        guard allowed.isEmpty || allowed.contains(id) else {
            throw CTAPFailure(.noCredentials, "the phone used a passkey that the site did not ask for")
        }
        guard !response.signature.isEmpty else { throw .damaged("it has no signature") }
        remember(id, of: request.rpID)
        let user = response.user.flatMap { $0.id.isEmpty ? nil : $0 }
        // One assertion, whatever number the phone names: its user has chosen.
        return GetAssertionResponse(
            credential: .init(id: id), authenticatorData: response.authenticatorData, signature: response.signature,
            user: user)
    }
}
