import CTAP
import Cryptography
import KeyPassthrough
import LinuxSupport
import PasskeyAuthenticator
import Synchronization
import Testing
import UserVerification

/// Notices of a passthrough key to its owner.
private final class Told: Sendable {
    let errors = Mutex<[KeyPassthroughError.Code]>([])
    let silentCount = Mutex(0)

    func note(_ event: PasskeyAuthenticatorEvent) {
        if case .answeredSilently = event { silentCount.withLock { $0 += 1 } }
    }

    func note(_ error: KeyPassthroughError) { errors.withLock { $0.append(error.code) } }
}

/// A passthrough key, and a user who does as the test says.
struct TestContext: Sendable {
    static let hash: [UInt8] = (0..<32).map { UInt8($0) }
    static let site = "example.com"

    let key: ScriptedKey
    private let told = Told()
    private let passthrough: PassthroughKey

    /// - Parameters:
    ///   - answer: the user's answer to each question; nil for a yes.
    ///   - account: the account that is chosen.
    ///   - pins: the PINs that are typed, one after the other; nil where nothing is, and the key is taken out.
    init(
        _ key: ScriptedKey, _ information: KeyInformation = .withPIN,
        answer: @escaping @Sendable (ApprovalQuestion) -> Approval.Refusal? = { _ in nil }, account: Int? = nil,
        pins: [String?] = ["1234"]
    ) {
        self.key = key
        let told = told
        passthrough = PassthroughKey(
            key, information, approval: User(key: key, answer: answer, account: account),
            questions: Typist(key: key, pins: pins), observer: { told.note($0) }, report: { told.note($0) })
    }

    /// The failures that were reported.
    var reported: [KeyPassthroughError.Code] { told.errors.withLock { $0 } }
    var silentAnswerCount: Int { told.silentCount.withLock { $0 } }

    func respond(_ request: CTAPRequest) async throws -> CTAPResponse {
        try CTAPResponse(decoding: await passthrough.respond(to: request.encoded()).span)
    }

    func register(_ change: (inout MakeCredentialRequest) -> Void = { _ in }) async throws -> CTAPResponse {
        var request = MakeCredentialRequest(
            clientDataHash: Self.hash, rp: .init(id: Self.site, name: "Example"),
            user: .init(id: [4, 5], name: "alice", displayName: "Alice"),
            options: .init(residentKey: true, userVerification: true))
        change(&request)
        return try await respond(.makeCredential(request))
    }

    func signIn(
        _ allowed: [[UInt8]] = [], _ change: (inout GetAssertionRequest) -> Void = { _ in }
    ) async throws -> CTAPResponse {
        var request = GetAssertionRequest(
            rpID: Self.site, clientDataHash: Self.hash, allowList: allowed.map { .init(id: $0) },
            options: .init(userVerification: true))
        change(&request)
        return try await respond(.getAssertion(request))
    }

    func info() async throws -> GetInfoResponse {
        let answer = try await respond(.getInfo)
        return try GetInfoResponse(decoding: answer.payload.span)
    }
}

extension KeyInformation {
    static let usualOptions = ["rk": true, "up": true, "plat": false]
    static let withPIN = Self(
        aaguid: [UInt8](repeating: 9, count: 16), extensions: ["credProtect", "hmac-secret", "largeBlobKey"],
        options: usualOptions.merging(["clientPin": true, "pinUvAuthToken": true]) { $1 }, transports: ["nfc", "usb"],
        algorithms: [.es256, .edDSA], maxCredentialCountInList: 2, maxCredentialIDByteCount: 64)

    /// The same with other options.
    func with(_ options: [String: Bool]) -> Self {
        var information = self
        information.options = Self.usualOptions.merging(options) { $1 }
        return information
    }
}

private struct User: UserApproval {
    let canVerify = false
    let key: ScriptedKey
    let answer: @Sendable (ApprovalQuestion) -> Approval.Refusal?
    let account: Int?

    func ask(_ question: ApprovalQuestion) async -> Approval {
        #expect(question.holder == .securityKey)
        key.note(.asked(question.operation))
        switch answer(question) {
        case let refusal?: return .refused(refusal)
        case nil: return .approved(verified: nil, account: question.isChoice ? account : nil)
        }
    }
}

private final class Typist: PassthroughKeyQuestions {
    private let key: ScriptedKey
    private let pins: Mutex<ArraySlice<String?>>

    init(key: ScriptedKey, pins: [String?]) {
        self.key = key
        self.pins = Mutex(pins[...])
    }

    func pin(objection: Sentence?) async -> Result<KeyPIN, Approval.Refusal> {
        key.note(.pin(objection: objection?.english))
        guard let next = next() else { return .failure(.declined) }
        guard let typed = next else {
            // Nobody types, and somebody pulls.
            key.unplug()
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(600)) }
            return .failure(.cancelled)
        }
        return .success(KeyPIN(SecretBytes(copying: Array(typed.utf8).span)))
    }

    private func next() -> String?? { pins.withLock { $0.popFirst() } }

    func tell(_ step: PassthroughKeyStep?) async { key.note(.step(step)) }
}
