package import CTAP
package import LinuxSupport
package import PasskeyAuthenticator
package import UserVerification

/// A CTAP authenticator whose passkeys are those of a security key that is plugged in here.
///
/// It passes the key through to a client elsewhere: each request is shown and approved here first, before the key
/// blinks; the PIN is typed here, since clients over hybrid ask for none; and the client data hash is signed as it
/// came. The user is verified in each operation if the key can do that. Answers are the key's own, checked against the
/// request.
///
/// Source: CTAP 2.2 sections 6.1 to 6.4; WebAuthn Level 3 section 10.1.4 for prf.
package actor PassthroughKey: CTAPAuthenticator {
    /// The most credentials that a client may put into a list. The key takes fewer: it is asked in parts.
    static let maxCredentialCountInList = 64
    /// The largest request: as many of the longest IDs as a list may have, and names.
    static let maxMessageByteCount = 1 << 17
    /// The longest name that every key takes, in bytes of UTF-8.
    static let maxNameByteCount = 64
    /// The tries at a PIN in one request. Keys take no more without being plugged in again.
    static let maxPINTries = 3
    /// The time between two looks whether the key is still there, while a PIN is typed.
    static let presenceInterval = Duration.milliseconds(300)

    let key: any AttachedKey
    let information: KeyInformation
    let approval: any UserApproval
    let questions: any PassthroughKeyQuestions
    let observer: @Sendable (PasskeyAuthenticatorEvent) -> Void
    let report: @Sendable (KeyPassthroughError) -> Void
    package var dispatcher: CTAPDispatcher<Never>

    /// Makes one.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - information: the key's description of itself.
    ///   - approval: asks the user about each request. It counts as a yes alone: the key verifies the user.
    ///   - questions: asks for the PIN and the touch.
    ///   - observer: gets the events, on any thread. It must not wait.
    ///   - report: is told why a request to the key failed, before the event of its answer.
    package init(
        _ key: any AttachedKey, _ information: KeyInformation, approval: any UserApproval,
        questions: any PassthroughKeyQuestions,
        observer: @escaping @Sendable (PasskeyAuthenticatorEvent) -> Void = { _ in },
        report: @escaping @Sendable (KeyPassthroughError) -> Void = { _ in }
    ) {
        self.key = key
        self.information = information
        self.approval = approval
        self.questions = questions
        self.observer = observer
        self.report = report
        dispatcher = CTAPDispatcher(maxRequestByteCount: Self.maxMessageByteCount) {
            observer(.answered($0))
        }
    }

    package func clientPIN(_ request: ClientPINRequest) throws(CTAPFailure) -> KeyAgreementResponse {
        throw CTAPFailure(.invalidCommand, "the PIN is asked for here")
    }
}

extension PassthroughKey {
    /// The extensions that pass: those that the key signs as they are, and prf, whose values are made of hmac-secret
    /// here. That one itself does not pass, since its salts would be encrypted for the key.
    private nonisolated var extensions: [String] {
        var names: [String] = []
        if information.extensions.contains(ExtensionIdentifier.credProtect) {
            names.append(ExtensionIdentifier.credProtect)
        }
        if canEvaluate { names.append(ExtensionIdentifier.prf) }
        return names
    }

    /// True if the key has functions for prf, and verifies the user before it gives their values.
    nonisolated var canEvaluate: Bool {
        information.canVerify && information.extensions.contains(ExtensionIdentifier.hmacSecret)
    }

    /// The answer to authenticatorGetInfo, as canonical CBOR without a status.
    ///
    /// The key's own answer less the members that do not pass: its PIN is used here and not by the client, so `uv`
    /// stands for both ways of verifying; and to FIDO_2_1 belongs a token that clients could ask for, so that is listed
    /// only where nobody is verified (as for passkeys of this machine).
    package nonisolated func getInfo() -> [UInt8] {
        var options = ["up": true, "rk": information.isDiscoverable]
        if information.canVerify {
            options["uv"] = true
            options["alwaysUv"] = true
            options["makeCredUvNotRqd"] = false
        }
        let own = information.transports.filter { $0 != Self.hybrid }
        return GetInfoResponse(
            versions: information.canVerify ? ["FIDO_2_0"] : ["FIDO_2_0", "FIDO_2_1"], extensions: extensions,
            aaguid: information.aaguid, options: options, maxMessageSize: UInt64(Self.maxMessageByteCount),
            maxCredentialCountInList: UInt64(Self.maxCredentialCountInList),
            maxCredentialIDLength: UInt64(
                information.maxCredentialIDByteCount ?? AttestedCredential.maxCredentialIDByteCount),
            transports: [Self.hybrid] + (own.isEmpty ? ["usb"] : own),
            algorithms: information.algorithms.map { .init(algorithm: $0) }
        ).encoded()
    }

    private static let hybrid = "hybrid"
}

/// Questions of a passthrough key to the user, besides the approval of each request.
package protocol PassthroughKeyQuestions: Sendable {
    /// Asks for the key's PIN.
    ///
    /// - Parameter objection: the reason against the one before; nil for the first.
    /// - Returns: the PIN; or `declined`, `timedOut`, `unavailable`, or `cancelled` soon after its task is cancelled.
    func pin(objection: Sentence?) async -> Result<KeyPIN, Approval.Refusal>

    /// Tells the next step of the user, in the place of the one before; nil if nothing is left to be done.
    func tell(_ step: PassthroughKeyStep?) async
}

/// Something that the user has to do at the key.
package enum PassthroughKeyStep: Sendable, Equatable {
    /// Touch the key.
    case touch
    /// Have the key verify the user: a finger on its reader, say.
    case verify
}

/// A key's description of itself, as far as passthrough needs it.
package struct KeyInformation: Sendable, Equatable {
    /// The make of the key, 16 bytes.
    package var aaguid: [UInt8]
    /// The extensions, by name.
    package var extensions: Set<String>
    /// The options that have a truth value, by name.
    package var options: [String: Bool]
    /// The ways to reach it, such as `usb`; empty if it does not say.
    package var transports: [String]
    /// The algorithms of its credentials; ES256 if it does not say.
    package var algorithms: [COSEAlgorithm]
    /// The most credentials that it takes in a list; nil if it does not say.
    package var maxCredentialCountInList: Int?
    /// The longest credential ID that it takes, in bytes; nil if it does not say.
    package var maxCredentialIDByteCount: Int?

    package init(
        aaguid: [UInt8], extensions: Set<String> = [], options: [String: Bool], transports: [String] = [],
        algorithms: [COSEAlgorithm] = [], maxCredentialCountInList: Int? = nil, maxCredentialIDByteCount: Int? = nil
    ) {
        self.aaguid = aaguid
        self.extensions = extensions
        self.options = options
        self.transports = transports
        self.algorithms = algorithms.isEmpty ? [.es256] : algorithms
        self.maxCredentialCountInList = maxCredentialCountInList
        self.maxCredentialIDByteCount = maxCredentialIDByteCount
    }

    /// True if it verifies the user itself, and has been set up for that.
    var verifiesUser: Bool { options["uv"] == true }
    /// True if it has a PIN.
    package var hasPIN: Bool { options["clientPin"] == true }
    /// True if a user can be verified with it, one way or the other.
    package var canVerify: Bool { verifiesUser || hasPIN }
    /// True if it makes discoverable credentials: passkeys.
    var isDiscoverable: Bool { options["rk"] == true }
    /// The credentials that go into one request: a key that does not say takes one.
    var listSize: Int { max(1, maxCredentialCountInList ?? 1) }
}
