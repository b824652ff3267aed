package import CTAP
internal import LinuxSupport
package import PasskeyAuthenticator
package import UserVerification

/// A phone as a security key: it answers the requests of programs that know USB keys by a ceremony with the phone.
///
/// The touch is a question, and nothing is sent to the phone before its yes. getInfo and touches are answered without
/// the phone. Silent probes are, too, where that is possible; see the article UsingThePhoneAsAKey of `hybrid`.
///
/// Source: CTAP 2.2 section 6; for the behaviour of programs, the comments of each part.
package actor PhoneKey: CTAPAuthenticator, SecurityKeyApplication {
    /// Time for which an answer or an approval waits for the request that it is for. Programs send that at once.
    static let followUpLifetime = Duration.seconds(30)

    let ceremony: any PhoneCeremony
    let approval: any UserApproval
    let list: PhoneCredentialList?
    let observe: @Sendable (PhoneKeyEvent) -> Void
    let now: @Sendable () -> ContinuousClock.Instant
    package var dispatcher: CTAPDispatcher<UnnamedPasskeys>
    /// The phone's answer to a probe, for the request that follows.
    var probeAnswer: ProbeAnswer?
    /// The list of the last probe that was answered without the phone.
    var probed: ProbedList?
    /// Time of a yes from which nothing has come yet: a touch, or a probe for which the phone had no passkey.
    var unusedApproval: ContinuousClock.Instant?

    /// Makes a security key.
    ///
    /// - Parameters:
    ///   - ceremony: the way to the phone.
    ///   - approval: asks the user for permission to use the phone.
    ///   - list: the passkeys that were used here; nil to remember none.
    ///   - now: the clock.
    ///   - observe: gets the events. It must not wait.
    package init(
        ceremony: any PhoneCeremony, approval: any UserApproval, list: PhoneCredentialList?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        observe: @escaping @Sendable (PhoneKeyEvent) -> Void = { _ in }
    ) {
        self.ceremony = ceremony
        self.approval = approval
        self.list = list
        self.now = now
        self.observe = observe
        dispatcher = CTAPDispatcher(
            maxRequestByteCount: CTAPHIDMessage.maximumByteCount, maxAnswerByteCount: CTAPHIDMessage.maximumByteCount
        ) { observe(.answered($0)) }
    }

    package func clientPIN(_ request: ClientPINRequest) throws(CTAPFailure) -> KeyAgreementResponse {
        throw CTAPFailure(.invalidCommand, "this key has no PIN")
    }

    /// Asks for permission to use the phone, unless the user has just given it.
    ///
    /// - Parameter rpID: the relying party; empty for a touch.
    func ask(for rpID: String) async throws(CTAPFailure) {
        guard !Task.isCancelled else { throw .cancelled }
        let earlier = unusedApproval
        unusedApproval = nil
        dispatcher.tell(.userPresenceNeeded)
        if let earlier, now() < earlier + Self.followUpLifetime { return }
        let answer = await approval.ask(ApprovalQuestion(operation: .usePhone, rpID: rpID))
        do throws(Approval.Refusal) {
            _ = try answer.yes()
        } catch {
            throw CTAPFailure(error)
        }
        guard !Task.isCancelled else { throw .cancelled }
    }

    /// Asks whether this is the key to use: the yes is for the request that follows, too.
    package func askForTouch() async throws(CTAPFailure) {
        try await ask(for: "")
        unusedApproval = now()
    }

    /// Answers a request that only wants a touch: always a refusal, which programs take for one.
    func answerTouch() async throws(CTAPFailure) {
        try await askForTouch()
        throw CTAPFailure(MakeCredentialRequest.touched, "the program only wanted to know which key to use")
    }

    /// Sends the phone a request.
    ///
    /// - Returns: the payload of its answer.
    func send(_ request: CTAPRequest) async throws(CTAPFailure) -> [UInt8] {
        let answer = try await ceremony.send(request)
        guard !Task.isCancelled else { throw .cancelled }
        guard let status = answer.first.map(CTAPStatus.init) else { throw .damaged("it is empty") }
        guard status.isSuccess else { throw CTAPFailure(ofPhone: status) }
        return Array(answer.dropFirst())
    }

    /// The passkeys among some that were used here.
    func known(_ ids: [[UInt8]], of rpID: String) -> [[UInt8]] {
        do throws(AtomicFileError) {
            return try list?.known(ids, of: rpID) ?? []
        } catch {
            observe(.listFailed(reason: error.reason))
            return []
        }
    }

    /// Remembers a passkey.
    func remember(_ id: [UInt8], of rpID: String) {
        do throws(AtomicFileError) {
            try list?.add(id, of: rpID)
        } catch {
            observe(.listFailed(reason: error.reason))
        }
    }
}

extension CTAPFailure {
    static let cancelled = Self(.keepaliveCancel, "the program cancelled")

    static func damaged(_ what: String) -> Self { Self(.other, "the phone's answer cannot be used: \(what)") }

    fileprivate init(_ refusal: Approval.Refusal) {
        switch refusal {
        case .cancelled: self = .cancelled
        case .timedOut: self.init(.userActionTimeout, "nobody answered the question in time")
        case .declined: self.init(.operationDenied, "the phone was not to be used")
        case .unavailable, .notEnrolled, .failed, .blocked:
            self.init(.operationDenied, "the question could not be asked")
        }
    }

    /// A phone's refusal, as a program is told of it. One about PINs would have it ask for one that there is not.
    fileprivate init(ofPhone status: CTAPStatus) {
        let passedOn: Set<CTAPStatus> = [
            .credentialExcluded, .noCredentials, .operationDenied, .userActionTimeout, .actionTimeout,
            .unsupportedAlgorithm, .keyStoreFull,
        ]
        let told: CTAPStatus =
            switch status {
            // The program has not cancelled: the phone's user has.
            case .keepaliveCancel: .operationDenied
            case .invalidCredential: .noCredentials
            default: passedOn.contains(status) ? status : .other
            }
        self.init(told, "the phone answered \(status)")
    }
}

extension PhoneKey {
    /// The make of this security key, 16 bytes: 6b1a2d0e-93c4-4f0b-8f57-2c5de0a47b19. New passkeys have the phone's.
    package static let aaguid: [UInt8] = [
        0x6b, 0x1a, 0x2d, 0x0e, 0x93, 0xc4, 0x4f, 0x0b, 0x8f, 0x57, 0x2c, 0x5d, 0xe0, 0xa4, 0x7b, 0x19,
    ]

    /// The longest credential ID in a list. Phones make IDs of 16 to some 80 bytes; longer ones are of other keys, and
    /// programs leave those out.
    static let maxCredentialIDByteCount = 200
    /// The most credentials in a list. Chromium sends a registration's list whole up to this number, and Firefox and
    /// python-fido2 probe for so many at once. Programs that heed the length of a message send fewer long IDs.
    static let maxCredentialCount = 32
    /// The longest message that is asked for: 32 reports, which the kernel's queue holds (HT-HID-3). It drops the
    /// reports of a longer one that find the queue full; a message that arrives whole is taken all the same.
    static let maxMessageByteCount: UInt64 = 57 + 31 * 59

    /// The answer to authenticatorGetInfo: always the same, whichever phone is linked.
    ///
    /// - CTAP 2.0: of 2.1, hmac-secret and credential management are missing (CTAP 2.1 section 9). Chromium tells
    ///   sites of a 2.1 key that a passkey is not discoverable where it was not demanded to be, and on phones all are.
    /// - `uv` without a PIN: programs then leave the verification of the user to the key (libfido2
    ///   `fido_dev_make_cred`, authenticator-rs `UsingInternalUv`, Chromium `PINUVDisposition::kUseInternalUV`), and
    ///   phones verify always.
    /// - A PIN/UV auth protocol, though there is nothing to use it for: without one python-fido2 verifies no user.
    /// - `credProtect`: without it OpenSSH makes neither resident keys nor such with verification.
    /// - no `hmac-secret`: phones have `prf` instead, whose output is not signed.
    /// - The transports are those that sites keep of a new passkey: it can be reached as a USB key here, by a QR code
    ///   elsewhere, and on the phone itself.
    package nonisolated func getInfo() -> [UInt8] {
        GetInfoResponse(
            versions: ["FIDO_2_0"], extensions: [ExtensionIdentifier.credProtect], aaguid: Self.aaguid,
            options: ["rk": true, "up": true, "uv": true], maxMessageSize: Self.maxMessageByteCount,
            pinUvAuthProtocols: [2], maxCredentialCountInList: UInt64(Self.maxCredentialCount),
            maxCredentialIDLength: UInt64(Self.maxCredentialIDByteCount),
            transports: ["usb", "hybrid", "internal"], algorithms: [.init(algorithm: .es256)]
        ).encoded()
    }
}

/// Event in a phone's security key, for logs. None has a secret, but sites are private; their names come from programs,
/// and may hold control characters.
package enum PhoneKeyEvent: Sendable, Hashable {
    /// Extensions of a request were left out: phones do not have them.
    case extensionsDropped([String])
    /// The phone has the new passkey of a program under a label of its own, by which it can be told from the others.
    case labelled(String, rpID: String)
    /// A request was answered by the phone's answer to the probe before it.
    case answeredFromProbe(rpID: String)
    /// A probe was answered without the phone, by the list of passkeys that were used here.
    case answeredProbe(rpID: String)
    /// No linked phone answered; a QR code is shown.
    case noLinkAnswered(reason: String)
    /// The list of passkeys that were used here cannot be read or changed.
    case listFailed(reason: String)
    /// A request was answered.
    case answered(AnsweredRequest)
}

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
