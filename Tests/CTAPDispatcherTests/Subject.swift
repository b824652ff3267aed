import CTAP
import KeyPassthrough
import LinuxSupport
import PasskeyAuthenticator
import SecurityKey
import Synchronization
import UserVerification

/// The authenticators that share the dispatcher.
enum Subject: CaseIterable, Sendable {
    /// The passkeys of this machine.
    case vault
    /// A phone as a USB key.
    case phone
    /// A security key that is passed through.
    case passthrough

    /// The largest request that it takes, in bytes.
    var maxRequestByteCount: Int {
        switch self {
        case .vault: PasskeyAuthenticator.maxMessageByteCount
        case .phone: CTAPHIDMessage.maximumByteCount
        case .passthrough: 1 << 17
        }
    }

    /// The statuses of keep-alives in a touch that is cancelled. Only a subject behind a USB key tells any.
    var touchStatuses: [CTAPHIDKeepAliveStatus] {
        switch self {
        case .vault: [.userPresenceNeeded, .processing]
        case .phone: [.userPresenceNeeded]
        case .passthrough: []
        }
    }

    /// The authenticator, with nothing behind it.
    func authenticator(_ approval: any UserApproval, _ answers: AnswerRecord) -> any CTAPAuthenticator {
        switch self {
        case .vault:
            PasskeyAuthenticator(store: InMemoryCredentialStore(), approval: approval, transport: .usb) { event in
                if case .answered(let request) = event { answers.note(request) }
            }
        case .phone:
            PhoneKey(
                ceremony: NoPhone(), approval: approval, list: nil,
                observe: { event in
                    if case .answered(let request) = event { answers.note(request) }
                })
        case .passthrough:
            PassthroughKey(
                NoKey(), KeyInformation(aaguid: [UInt8](repeating: 0, count: 16), options: [:]), approval: approval,
                questions: NoQuestions()
            ) { event in
                if case .answered(let request) = event { answers.note(request) }
            }
        }
    }
}

/// The events of answers.
final class AnswerRecord: Sendable {
    struct Answer: Sendable, Equatable {
        let command: CTAPCommand?
        let status: CTAPStatus
        /// True if there is a reason.
        let isExplained: Bool
    }

    private let answers = Mutex<[Answer]>([])

    var all: [Answer] { answers.withLock { $0 } }

    func note(_ request: AnsweredRequest) {
        let isExplained = request.reason?.isEmpty == false
        answers.withLock {
            $0.append(Answer(command: request.command, status: request.status, isExplained: isExplained))
        }
    }
}

/// Counts the questions, and answers none before its task is cancelled.
final class WaitingApproval: UserApproval {
    let canVerify = false
    private let questions = Mutex(0)
    private let asked = AsyncStream.makeStream(of: Void.self)

    var questionCount: Int { questions.withLock { $0 } }

    func ask(_ question: ApprovalQuestion) async -> Approval {
        questions.withLock { $0 += 1 }
        asked.continuation.yield()
        for await _ in AsyncStream<Never>.makeStream().stream {}
        return .refused(.cancelled)
    }

    func untilAsked() async {
        for await _ in asked.stream { return }
    }
}

private struct NoPhone: PhoneCeremony {
    func send(_ request: CTAPRequest) async throws(CTAPFailure) -> [UInt8] { throw CTAPFailure(.other, "no phone") }
}

private struct NoKey: AttachedKey {
    let isPluggedIn = false

    func information() async throws(KeyFailure) -> KeyInformation { throw .removed }
    func makeCredential(_ registration: KeyRegistration) async throws(KeyFailure) -> MakeCredentialResponse {
        throw .removed
    }
    func assertions(_ signIn: KeySignIn) async throws(KeyFailure) -> [KeyAssertion] { throw .removed }
}

private struct NoQuestions: PassthroughKeyQuestions {
    func pin(objection: Sentence?) async -> Result<KeyPIN, Approval.Refusal> { .failure(.unavailable) }
    func tell(_ step: PassthroughKeyStep?) async {}
}
