internal import CTAP
internal import LinuxSupport
package import PasskeyAuthenticator
internal import UserVerification

// The question, the PIN and the touch: the steps of both operations.

extension PassthroughKey {
    /// Refuses parameters that a client over hybrid cannot use (CTAP 2.2 sections 6.1.2 and 6.2.2, the first steps).
    func check(_ options: RequestOptions, pinUvAuthParam: [UInt8]?, pinUvAuthProtocol: UInt64?)
        throws(CTAPFailure)
    {
        guard pinUvAuthParam == nil else {
            throw CTAPFailure(
                pinUvAuthProtocol == nil ? .missingParameter : .invalidParameter, "the PIN is asked for here")
        }
        if options.userVerification == true, !information.canVerify {
            throw CTAPFailure(
                .invalidOption, "option uv is true, and the key has no PIN and verifies nobody itself")
        }
    }

    /// Refuses a relying party that could not be handed to the key as it was shown.
    func check(_ texts: [String?], rpID: String) throws(CTAPFailure) {
        guard (1...Self.maxRPIDByteCount).contains(rpID.utf8.count) else {
            throw CTAPFailure(.invalidLength, "a relying party identifier of \(rpID.utf8.count) bytes")
        }
        guard !(texts + [rpID]).contains(where: { $0?.utf8.contains(0) == true }) else {
            throw CTAPFailure(.invalidParameter, "a text with a zero character")
        }
        guard RelyingPartyKind(rpID) != nil else {
            throw CTAPFailure(
                .invalidParameter, "a relying party identifier that is neither a domain name nor a URI")
        }
    }

    private static let maxRPIDByteCount = 253

    /// The credential IDs of a list that can be on the key.
    func ids(_ list: [PublicKeyCredentialDescriptor]) throws(CTAPFailure) -> [[UInt8]] {
        guard list.count <= Self.maxCredentialCountInList else {
            throw CTAPFailure(.limitExceeded, "a list of \(list.count) credentials")
        }
        let longest = information.maxCredentialIDByteCount ?? AttestedCredential.maxCredentialIDByteCount
        return list.filter { $0.type == PublicKeyCredentialDescriptor.publicKey }.map(\.id)
            .filter { (1...longest).contains($0.count) }
    }

    /// Asks whether the key is the authenticator to use.
    package func askForTouch() async throws(CTAPFailure) {
        try await approve(ApprovalQuestion(operation: .select, rpID: "", holder: .securityKey))
    }

    /// Shows a request, and takes every answer but a yes for a refusal.
    ///
    /// - Returns: the index of the account that was chosen; nil if there was no choice.
    @discardableResult
    func approve(_ question: ApprovalQuestion) async throws(CTAPFailure) -> Int? {
        do throws(Approval.Refusal) {
            let answer = await approval.ask(question)
            guard !Task.isCancelled else { throw .cancelled }
            return try answer.yes().account
        } catch {
            throw CTAPFailure(error)
        }
    }

    /// Runs `body`, which asks the key, with a verification if there can be one.
    ///
    /// If the key verifies the user itself, its PIN is asked for only when that has failed too often. A wrong PIN is
    /// asked for again.
    func verified<Value: Sendable>(
        _ body: @Sendable (KeyVerification) async throws(KeyFailure) -> Value
    ) async throws(CTAPFailure) -> Value {
        do throws(KeyFailure) {
            guard information.canVerify else { return try await touched(.touch, .none, body) }
            guard information.verifiesUser else { return try await withPIN(body) }
            do throws(KeyFailure) {
                return try await touched(.verify, .builtIn, body)
            } catch {
                let isUsedUp = error == .refused(.userVerificationBlocked)
                guard isUsedUp || error == .refused(.userVerificationInvalid), information.hasPIN else { throw error }
                return try await withPIN(body)
            }
        } catch {
            // The user's own no at the question for the PIN has been told.
            throw refusal(for: error)
        }
    }

    /// Tells the user what to do at the key while it is asked.
    private func touched<Value: Sendable>(
        _ step: PassthroughKeyStep, _ verification: KeyVerification,
        _ body: @Sendable (KeyVerification) async throws(KeyFailure) -> Value
    ) async throws(KeyFailure) -> Value {
        await questions.tell(step)
        let result: Result<Value, KeyFailure>
        do throws(KeyFailure) { result = .success(try await body(verification)) } catch { result = .failure(error) }
        await questions.tell(nil)
        return try result.get()
    }

    private func withPIN<Value: Sendable>(
        _ body: @Sendable (KeyVerification) async throws(KeyFailure) -> Value
    ) async throws(KeyFailure) -> Value {
        var objection: Sentence?
        var last: KeyFailure = .wrongPIN(triesLeft: nil)
        for _ in 0..<Self.maxPINTries {
            let pin = try await pin(objection: objection)
            guard !pin.isImpossible else {
                objection = "a PIN has \(KeyPIN.minCharacterCount) to \(KeyPIN.maxByteCount) characters"
                continue
            }
            do throws(KeyFailure) {
                return try await touched(.touch, .pin(pin), body)
            } catch {
                guard case .wrongPIN(let triesLeft) = error else { throw error }
                if triesLeft == 0 { throw .refused(.pinBlocked) }
                last = error
                objection = Self.objection(triesLeft: triesLeft)
            }
        }
        throw last
    }

    /// The message about a wrong PIN.
    static func objection(triesLeft: Int?) -> Sentence {
        switch triesLeft {
        case nil: "the PIN is wrong"
        case 1: "the PIN is wrong; one try is left, after which the key must be reset"
        case let count?: "the PIN is wrong; \(count) tries are left"
        }
    }

    /// Asks for the PIN, and takes the question away if the key is taken out meanwhile.
    private func pin(objection: Sentence?) async throws(KeyFailure) -> KeyPIN {
        let key = key
        let questions = questions
        let result = await withTaskGroup(of: Result<KeyPIN, KeyFailure>?.self) { group in
            group.addTask {
                await questions.pin(objection: objection).mapError { KeyFailure($0) }
            }
            group.addTask {
                while key.isPluggedIn {
                    guard (try? await Task.sleep(for: Self.presenceInterval)) != nil else { return nil }
                }
                return .failure(.removed)
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard !Task.isCancelled, let result else { throw .cancelled }
        return try result.get()
    }

    /// The refusal for a failure, which is reported.
    func refusal(for failure: KeyFailure) -> CTAPFailure {
        let error = KeyPassthroughError(failure)
        if failure != .cancelled { report(error) }
        return CTAPFailure(failure.status, error.reason)
    }
}

extension KeyFailure {
    /// No PIN was typed.
    fileprivate init(_ answer: Approval.Refusal) {
        switch answer {
        case .cancelled: self = .cancelled
        case .timedOut, .declined, .unavailable, .notEnrolled, .failed, .blocked:
            self = .noPIN(timedOut: answer == .timedOut)
        }
    }
}

extension CTAPFailure {
    /// The refusal for an answer that is not a yes, as of passkeys of this machine.
    fileprivate init(_ answer: Approval.Refusal) {
        switch answer {
        case .timedOut: self.init(.userActionTimeout, "nobody answered in time")
        case .cancelled: self.init(.keepaliveCancel, "cancelled")
        case .unavailable: self.init(.operationDenied, "there is no way to ask")
        case .declined, .notEnrolled, .failed, .blocked: self.init(.operationDenied, "declined")
        }
    }
}
