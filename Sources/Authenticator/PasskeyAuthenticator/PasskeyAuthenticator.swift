public import CTAP
internal import Cryptography
internal import Glibc
public import UserVerification

/// A CTAP 2 authenticator for passkeys. It knows no transport: request bytes in, response bytes out.
///
/// Passkeys are software's and can be exported, so BE is set, and BS from when there is a copy. There is no signature
/// counter (it is always 0), as with phones, and no PIN. It asks the user about every request, and verifies the user in
/// each if it can: option `alwaysUv`. It is silent only about a request that names its passkeys and wants nobody's
/// presence (HT-CTAP-15).
///
/// Source: CTAP 2.2 section 6; the article CTAPInside of HybridProtocol.
public actor PasskeyAuthenticator: CTAPAuthenticator {
    /// The side that chooses among several passkeys that fit a sign-in without an allow list.
    public enum AccountChoice: Sendable {
        /// The user, here; one assertion is answered, as phones do.
        case authenticator
        /// The client, after it has fetched all of them with authenticatorGetNextAssertion.
        case client
    }

    /// The way by which clients reach an authenticator; getInfo says it, and what fits through.
    public enum Transport: Sendable {
        /// A hybrid session.
        case hybrid
        /// The reports of a USB device.
        case usb
    }

    /// The make of this authenticator, 16 bytes: 8fec5ed2-f135-48c1-bb48-44fde60ab0ae.
    public static let aaguid: [UInt8] = [
        0x8f, 0xec, 0x5e, 0xd2, 0xf1, 0x35, 0x48, 0xc1, 0xbb, 0x48, 0x44, 0xfd, 0xe6, 0x0a, 0xb0, 0xae,
    ]
    /// The largest request that is taken: 1 MiB less what a transport may add; names of 300 kB, allow lists of
    /// thousands.
    public static let maxMessageByteCount = (1 << 20) - (1 << 10)
    /// The extensions that there are here.
    static let extensions = [
        ExtensionIdentifier.credProtect, ExtensionIdentifier.hmacSecret, ExtensionIdentifier.largeBlob,
        ExtensionIdentifier.prf,
    ]
    /// Longest time between two authenticatorGetNextAssertion commands (CTAP 2.2 section 6.3).
    static let nextAssertionLifetime = Duration.seconds(30)

    let store: any CredentialStore
    let approval: any UserApproval
    let accountChoice: AccountChoice
    let transport: Transport
    let now: @Sendable () -> Int64
    let observer: @Sendable (PasskeyAuthenticatorEvent) -> Void
    package var dispatcher: CTAPDispatcher<NextAssertions>
    /// The key pair that clients encrypt salts under; nil until one asks for it.
    var keyAgreement: KeyAgreement?

    /// Makes an authenticator.
    ///
    /// - Parameters:
    ///   - store: keeps the passkeys.
    ///   - approval: asks the user.
    ///   - accountChoice: the side that chooses among several passkeys.
    ///   - transport: the way by which clients reach it.
    ///   - observer: gets the events, on any thread. It must not wait.
    ///   - now: the time in seconds since 1970; the system's unless said otherwise.
    public init(
        store: any CredentialStore, approval: any UserApproval,
        accountChoice: AccountChoice = .authenticator, transport: Transport = .hybrid,
        observer: @escaping @Sendable (PasskeyAuthenticatorEvent) -> Void = { _ in },
        now: @escaping @Sendable () -> Int64 = PasskeyAuthenticator.systemTime
    ) {
        self.store = store
        self.approval = approval
        self.accountChoice = accountChoice
        self.transport = transport
        self.now = now
        self.observer = observer
        dispatcher = CTAPDispatcher(maxRequestByteCount: Self.maxMessageByteCount) {
            observer(.answered($0))
        }
    }

    /// The system's time in seconds since 1970.
    public static let systemTime: @Sendable () -> Int64 = { Int64(time(nil)) }

    /// The answer to authenticatorGetInfo, as canonical CBOR without a status: for the first message of a hybrid
    /// session (HT-CTAP-18, HT-MSG-3).
    public nonisolated func getInfo() -> [UInt8] {
        GetInfoResponse(
            versions: versions,
            extensions: Self.extensions.filter { approval.canVerify || $0 != ExtensionIdentifier.hmacSecret },
            aaguid: Self.aaguid, options: options, maxMessageSize: transport.maxMessageByteCount,
            pinUvAuthProtocols: approval.canVerify ? [KeyAgreement.pinUvAuthProtocol] : [],
            maxCredentialCountInList: transport.maxCredentialCountInList,
            maxCredentialIDLength: transport.maxCredentialIDByteCount,
            transports: transport.names,
            algorithms: CredentialKey.algorithms.map { .init(algorithm: $0) }, attestationFormats: Attestation.formats
        ).encoded()
    }

    /// CTAP 2.1 makes pinUvAuthToken mandatory where users can be verified, so there `FIDO_2_0` stands alone, though
    /// `alwaysUv` and protocol two are newer: clients read these where they stand, and not off the version. Where users
    /// cannot be verified, `FIDO_2_1` tells that there is authenticatorSelection, though hmac-secret is missing then
    /// (HT-CTAP-55).
    private nonisolated var versions: [String] { approval.canVerify ? ["FIDO_2_0"] : ["FIDO_2_0", "FIDO_2_1"] }

    /// Every operation is verified where users can be verified, and that is said (CTAP 2.2 section 7.2).
    private nonisolated var options: [String: Bool] {
        let always = ["rk": true, "up": true]
        guard approval.canVerify else { return always }
        return always.merging(["uv": true, "alwaysUv": true, "makeCredUvNotRqd": false]) { _, new in new }
    }

    /// Answers a request. Every failure is a CTAP status; a second request while one is under way is answered with
    /// `CTAP1_ERR_CHANNEL_BUSY`, and one whose task was cancelled with `CTAP2_ERR_KEEPALIVE_CANCEL`.
    ///
    /// - Parameter request: the command byte, then the parameters.
    /// - Returns: the status byte, then the payload.
    public func respond(to request: [UInt8]) async -> [UInt8] { await respond(to: request, status: { _ in }) }
}

/// Event in an authenticator, for logs and progress. It has no secrets, but the relying party is private.
public enum PasskeyAuthenticatorEvent: Sendable {
    /// The request was approved: by the user, or automatically.
    case approved(operation: ApprovalQuestion.Operation, rpID: String, verified: Bool)
    /// The store failed; the request is answered with a status that says less.
    case storeFailed(CredentialStoreError)
    /// A sign-in succeeded, but the store could not be told of it: when the passkey was used, and a large blob.
    case useNotKept(CredentialStoreError)
    /// A sign-in without user presence is answered, and nobody was asked: the client learns which passkey of its list
    /// is here. ``answered(_:)`` follows.
    case answeredSilently(rpID: String)
    /// A request was answered.
    case answered(AnsweredRequest)
}

// What getInfo says of the way by which clients reach the authenticator. What is longer is taken all the same.

extension PasskeyAuthenticator.Transport {
    /// The ways in which the passkeys can be reached, as relying parties keep them.
    var names: [String] {
        switch self {
        case .hybrid: ["hybrid", "internal"]
        case .usb: ["hybrid", "usb"]
        }
    }

    /// The largest request. By USB, one that the kernel's queue for a virtual device holds: 32 reports (HT-HID-3).
    var maxMessageByteCount: UInt64 {
        switch self {
        case .hybrid: UInt64(PasskeyAuthenticator.maxMessageByteCount)
        case .usb: 57 + 31 * 59
        }
    }

    /// The most credentials in a list. Without a number clients ask for each credential by itself, and a hybrid session
    /// bears few requests that find nothing. By USB, as many of the longest IDs as go into a request.
    var maxCredentialCountInList: UInt64 {
        switch self {
        case .hybrid: 1_024
        case .usb: 8
        }
    }

    /// The longest credential ID.
    var maxCredentialIDByteCount: UInt64 {
        switch self {
        case .hybrid: UInt64(AttestedCredential.maxCredentialIDByteCount)
        case .usb: 128
        }
    }
}

// The extension hmac-secret (CTAP 2.2 section 12.7), and of authenticatorClientPIN what it needs. It is there only
// where users can be verified, and gives the values of the same function as the extension prf: of the two that section
// 12.7 has, the one that is used after verification.

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
        let read: HMACSecretExtension.Input?
        do throws(CTAPError) {
            read = try HMACSecretExtension.Input(request.extensions)
        } catch {
            throw CTAPFailure(error)
        }
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
