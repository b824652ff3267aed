package import CTAP
internal import Cryptography
internal import Encodings
package import PasskeyAuthenticator

extension PhoneKey {
    /// Makes a passkey on the phone.
    package func makeCredential(_ request: MakeCredentialRequest) async throws(CTAPFailure) -> MakeCredentialResponse {
        // How a touch was asked for in CTAP 2.0, section 5.1; python-fido2 does.
        if request.isTouchRequest || request.pinUvAuthParam == [] { try await answerTouch() }
        try Self.check(rpID: request.rp.id)
        try Self.check(request)
        let sent = adapted(request)
        try await ask(for: request.rp.id)
        let payload = try await send(.makeCredential(sent))
        let (response, data) = try Self.checked(payload, request)
        if let credential = data.attestedCredential { remember(credential.credentialID, of: request.rp.id) }
        if sent.user.id != request.user.id { observe(.labelled(sent.user.name ?? "", rpID: request.rp.id)) }
        guard RelyingPartyKind(request.rp.id) == .localProgram else {
            return MakeCredentialResponse(
                format: response.format, authenticatorData: response.authenticatorData,
                attestationStatement: response.attestationStatement)
        }
        return try LocalAttestation.make(for: data, request)
    }

    /// Refuses a relying party's identifier that is neither a domain name nor a program's.
    static func check(rpID: String) throws(CTAPFailure) {
        guard RelyingPartyKind(rpID) != nil else {
            throw CTAPFailure(.invalidParameter, "the relying party's identifier is neither a domain name nor a URI")
        }
    }

    /// Refuses a request that no phone need be asked for.
    private static func check(_ request: MakeCredentialRequest) throws(CTAPFailure) {
        guard request.pinUvAuthParam == nil else { throw CTAPFailure(.invalidParameter, "this key has no PIN") }
        guard request.enterpriseAttestation == nil else {
            throw CTAPFailure(.invalidParameter, "this key has no enterprise attestation")
        }
        guard request.options.userPresence != false else {
            throw CTAPFailure(.invalidOption, "a passkey is not made without asking the user")
        }
        guard request.parameters.contains(.init(algorithm: .es256)) else {
            throw CTAPFailure(.unsupportedAlgorithm, "phones make ES256 keys, which the program does not accept")
        }
        _ = try CTAPError.rethrown(CredentialProtection(request.extensions), as: CTAPFailure.init)
    }

    /// The request as phones take it (HT-CTAP-9, HT-CTAP-22, HT-CTAP-24).
    private func adapted(_ request: MakeCredentialRequest) -> MakeCredentialRequest {
        var user = request.user
        user.name = user.name.nonEmpty ?? user.displayName.nonEmpty ?? request.rp.id
        user.displayName = user.displayName.nonEmpty ?? user.name
        if RelyingPartyKind(request.rp.id) == .localProgram,
            request.options.residentKey != true || user.id.allSatisfy({ $0 == 0 })
        {
            // A phone keeps one passkey for each account, and OpenSSH names all its keys alike: the second would take
            // the place of the first, and nobody could tell them apart on the phone. A user of zeros is none.
            user.id = randomBytes(count: request.user.id.count)
            user.name = [user.name, Self.tag(of: user.id)].compactMap(\.self).joined(separator: " ")
            user.displayName = user.name
        }
        let excluded = fullAllowList(request.excludeList.map(\.id), of: request.rp.id)
        return MakeCredentialRequest(
            clientDataHash: request.clientDataHash,
            rp: .init(id: request.rp.id, name: request.rp.name.nonEmpty ?? request.rp.id), user: user,
            excludeList: excluded.map { .init(id: $0) },
            extensions: supportedExtensions(request.extensions),
            options: .init(residentKey: true, userVerification: true),
            attestationFormatsPreference: request.attestationFormatsPreference)
    }

    /// The beginning of a user ID that was drawn, in hexadecimal: by it a key is known on the phone and here.
    private static func tag(of userID: [UInt8]) -> String { Hexadecimal.encode(userID.prefix(tagByteCount)) }

    private static let tagByteCount = 4

    /// The extensions that are passed on, of those that a program sent.
    func supportedExtensions(_ extensions: CBORMap) -> CBORMap {
        let dropped = extensions.entries.compactMap(\.key.textValue).filter { $0 != ExtensionIdentifier.credProtect }
        if !dropped.isEmpty { observe(.extensionsDropped(dropped)) }
        return CBORMap(extensions.entries.filter { $0.key == .text(ExtensionIdentifier.credProtect) })
    }

    private static func checked(
        _ payload: [UInt8], _ request: MakeCredentialRequest
    ) throws(CTAPFailure) -> (MakeCredentialResponse, AuthenticatorData) {
        let response: MakeCredentialResponse
        do throws(CTAPError) {
            response = try MakeCredentialResponse(decoding: payload.span)
        } catch {
            throw .damaged(error.reason)
        }
        let data = try checked(
            response.authenticatorData, of: request.rp.id, isVerified: request.options.userVerification ?? false)
        guard let credential = data.attestedCredential else { throw .damaged("it has no passkey") }
        guard credential.publicKey.es256Point != nil else { throw .damaged("the passkey is not of ES256") }
        return (response, data)
    }

    /// Reads and checks authenticator data.
    ///
    /// - Parameter isVerified: true if the program wanted the user to be verified.
    static func checked(
        _ bytes: [UInt8], of rpID: String, isVerified: Bool
    ) throws(CTAPFailure) -> AuthenticatorData {
        let data: AuthenticatorData
        do {
            data = try AuthenticatorData(decoding: bytes.span)
        } catch {
            throw .damaged("\(error)")
        }
        guard data.rpIDHash == SHA256.hash(rpID.utf8.span) else { throw .damaged("it is for another site") }
        guard data.flags.contains(.userPresent) else {
            throw CTAPFailure(.userPresenceRequired, "the phone says that nobody was there")
        }
        guard !isVerified || data.flags.contains(.userVerified) else {
            throw CTAPFailure(.userVerificationInvalid, "the phone says that it has not verified its user")
        }
        return data
    }
}

extension String? {
    /// The text, unless it is empty.
    fileprivate var nonEmpty: String? { self?.isEmpty == false ? self : nil }
}
