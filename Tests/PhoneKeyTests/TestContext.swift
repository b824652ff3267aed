import CTAP
import Foundation
import PasskeyAuthenticator
import Synchronization
import Testing
import UserVerification

@testable import SecurityKey

/// A security key, with a phone behind it that is no further than memory.
struct TestContext: Sendable {
    let key: PhoneKey
    let phone: TestPhone
    let approval: CountingApproval
    let events: EventRecord
    let clock: TestClock
    let path: String

    /// Runs with a security key whose list of passkeys is in a directory of its own.
    static func with(
        phone: TestPhone = TestPhone(), answer: CountingApproval.Answer = .yes,
        _ body: (TestContext) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "phone-key-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(TestContext(phone: phone, answer: answer, path: folder.path + "/state/phone-credentials"))
    }

    private init(phone: TestPhone, answer: CountingApproval.Answer, path: String) {
        let approval = CountingApproval(answer)
        let (events, clock) = (EventRecord(), TestClock())
        self.phone = phone
        self.approval = approval
        self.events = events
        self.clock = clock
        self.path = path
        key = PhoneKey(
            ceremony: phone, approval: approval, list: PhoneCredentialList(path: path), now: { clock.now },
            observe: events.note)
    }

    /// Another security key for the same phone, which does not know the requests that were made here.
    func otherKey() -> PhoneKey {
        let clock = clock
        return PhoneKey(
            ceremony: phone, approval: approval, list: PhoneCredentialList(path: path + "-other"), now: { clock.now },
            observe: events.note)
    }

    /// Sends a request, which must succeed or fail.
    @discardableResult
    func send(
        _ request: [UInt8], _ status: CTAPStatus = .ok, to other: PhoneKey? = nil,
        location: SourceLocation = #_sourceLocation
    ) async throws -> [UInt8] {
        let answer = await (other ?? key).respond(to: request) { _ in }
        let response = try CTAPResponse(decoding: answer.span)
        #expect(response.status == status, sourceLocation: location)
        return response.payload
    }

    /// Makes a passkey.
    ///
    /// - Returns: its ID.
    func register(_ request: [UInt8], with other: PhoneKey? = nil) async throws -> [UInt8] {
        try credentialID(try await send(request, to: other))
    }

    /// The credential ID of a registration's answer.
    func credentialID(_ payload: [UInt8]) throws -> [UInt8] {
        let response = try MakeCredentialResponse(decoding: payload.span)
        let data = try AuthenticatorData(decoding: response.authenticatorData.span)
        return try #require(data.attestedCredential).credentialID
    }

    /// An assertion's answer.
    func assertion(_ payload: [UInt8]) throws -> GetAssertionResponse {
        try GetAssertionResponse(decoding: payload.span)
    }
}

/// A phone: it attests nothing, answers no credProtect, and always verifies its user.
final class TestPhone: PhoneCeremony {
    typealias Change = @Sendable ([UInt8], CTAPRequest) async throws -> [UInt8]
    private let authenticator = PasskeyAuthenticator(
        store: InMemoryCredentialStore(), approval: AutomaticApproval(claimsVerification: true))
    private let sent = Mutex<[CTAPRequest]>([])
    private let change: Change

    /// Makes a phone whose answers are changed on their way.
    init(changing change: @escaping Change = { answer, _ in answer }) { self.change = change }

    /// The requests of its ceremonies.
    var requests: [CTAPRequest] { sent.withLock { $0 } }
    var count: Int { requests.count }
    var lastRegistration: MakeCredentialRequest? {
        if case .makeCredential(let request)? = requests.last { request } else { nil }
    }
    var lastSignIn: GetAssertionRequest? {
        if case .getAssertion(let request)? = requests.last { request } else { nil }
    }

    func send(_ request: CTAPRequest) async throws(CTAPFailure) -> [UInt8] {
        sent.withLock { $0.append(request) }
        var fitting = request.fitting(GetInfoResponse(versions: ["FIDO_2_0"], aaguid: [], options: [:]))
        if case .makeCredential(var registration) = fitting {
            registration.attestationFormatsPreference = ["none"]
            fitting = .makeCredential(registration)
        }
        do {
            return try await change(await authenticator.respond(to: fitting.encoded()), request)
        } catch {
            throw error as? CTAPFailure ?? CTAPFailure(.other, "\(error)")
        }
    }
}

/// Counts the questions, and answers them alike.
final class CountingApproval: UserApproval {
    enum Answer: Sendable { case yes, no(Approval.Refusal), never }

    let canVerify = false
    private let answer: Answer
    private let asked = Mutex<[ApprovalQuestion]>([])

    init(_ answer: Answer) { self.answer = answer }

    /// The sites that were asked about; empty for a touch.
    var sites: [String] { asked.withLock { $0 }.map(\.rpID) }
    var count: Int { sites.count }

    func ask(_ question: ApprovalQuestion) async -> Approval {
        asked.withLock { $0.append(question) }
        switch answer {
        case .yes: return .approved(verified: nil, account: nil)
        case .no(let refusal): return .refused(refusal)
        case .never:
            for await _ in AsyncStream<Never>.makeStream().stream {}
            return .refused(.cancelled)
        }
    }
}

/// A clock that a test moves.
final class TestClock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }

    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

/// The events of a security key.
final class EventRecord: Sendable {
    private let events = Mutex<[PhoneKeyEvent]>([])

    @Sendable func note(_ event: PhoneKeyEvent) { events.withLock { $0.append(event) } }

    var all: [PhoneKeyEvent] { events.withLock { $0 } }

    /// The reason of the last refusal.
    var reason: String? {
        guard case .answered(let request)? = all.last else { return nil }
        return request.reason
    }
}
