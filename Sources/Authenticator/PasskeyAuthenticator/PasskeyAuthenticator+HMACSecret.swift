package import CTAP
internal import Cryptography
internal import UserVerification

// The extension hmac-secret (CTAP 2.2 section 12.7), and the part of authenticatorClientPIN that it needs. It is there
// only where users can be verified, and gives the values of the same function as the extension prf: of the two that
// section 12.7 has, the one that is used after verification.

/// The checked input of hmac-secret in a sign-in.
struct HMACSecretSalts {
    /// The salts, decrypted.
    let salts: PRFValues
    /// The secrets that encrypt the function's values.
    let secrets: SharedSecrets
}

extension PasskeyAuthenticator {
    /// Answers authenticatorClientPIN: with the public key, or a refusal.
    package func clientPIN(_ request: ClientPINRequest) throws(CTAPFailure) -> KeyAgreementResponse {
        guard approval.canVerify else { throw CTAPFailure(.invalidCommand, "there is no PIN/UV auth protocol here") }
        guard request.subcommand == ClientPINRequest.getKeyAgreement else {
            throw CTAPFailure(.invalidSubcommand, "there is no PIN here")
        }
        guard let asked = request.pinUvAuthProtocol else {
            throw CTAPFailure(.missingParameter, "pinUvAuthProtocol is missing")
        }
        try Self.check(asked)
        do {
            return KeyAgreementResponse(keyAgreement: try agreement().publicKey())
        } catch {
            throw CTAPFailure(.other, "\(error)")
        }
    }

    /// The salts of a sign-in, decrypted; nil if there are none, or the extension is not there.
    func hmacSecretSalts(_ request: GetAssertionRequest) throws(CTAPFailure) -> HMACSecretSalts? {
        guard approval.canVerify else { return nil }
        let read = try CTAPError.rethrown(HMACSecretExtension.Input(request.extensions), as: CTAPFailure.init)
        guard let input = read else { return nil }
        // HT-CTAP-61.
        guard request.options.userPresence != false else {
            throw CTAPFailure(.unsupportedOption, "hmac-secret with option up false")
        }
        try Self.check(input.pinUvAuthProtocol)
        let secrets: SharedSecrets
        let isValid: Bool
        do throws(CryptographyError) {
            secrets = try agreement().secrets(with: input.keyAgreement)
            isValid = secrets.isValid(input.saltAuth, for: input.saltEnc)
        } catch {
            throw CTAPFailure(.invalidParameter, "keyAgreement: \(error.reason)")
        }
        guard isValid else { throw CTAPFailure(.pinAuthInvalid, "saltAuth does not verify") }
        let encrypted = input.saltEnc.count - AES256CBC.vectorByteCount
        guard encrypted == PRFSecret.byteCount || encrypted == 2 * PRFSecret.byteCount else {
            throw CTAPFailure(.invalidLength, "saltEnc has \(input.saltEnc.count) bytes")
        }
        do {
            return HMACSecretSalts(salts: try Self.salts(secrets.decrypt(input.saltEnc)), secrets: secrets)
        } catch {
            throw CTAPFailure(.other, "\(error)")
        }
    }

    private static func salts(_ decrypted: consuming SecretBytes) throws(CTAPError) -> PRFValues {
        let bytes = decrypted.span.withUnsafeBufferPointer { [UInt8]($0) }
        let second = Array(bytes.dropFirst(PRFSecret.byteCount))
        return try PRFValues(
            first: Array(bytes.prefix(PRFSecret.byteCount)), second: second.isEmpty ? nil : second)
    }

    private static func check(_ pinUvAuthProtocol: UInt64) throws(CTAPFailure) {
        guard pinUvAuthProtocol == KeyAgreement.pinUvAuthProtocol else {
            throw CTAPFailure(.invalidParameter, "PIN/UV auth protocol \(pinUvAuthProtocol) is not supported")
        }
    }

    /// The key pair, drawn when it is first asked for.
    private func agreement() throws(CryptographyError) -> KeyAgreement {
        if let keyAgreement { return keyAgreement }
        let drawn = try KeyAgreement()
        keyAgreement = drawn
        return drawn
    }
}
