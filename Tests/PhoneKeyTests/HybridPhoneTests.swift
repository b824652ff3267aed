import CTAP
import HybridProtocol
import HybridTransport
import PasskeyAuthenticator
import Synchronization
import Testing
import UserVerification

@testable import SecurityKey
@testable import hybrid

/// The real client, over a simulated radio and a tunnel service, with this project's authenticator as the phone.
@Suite("A phone behind a key", .timeLimit(.minutes(3)))
struct HybridPhoneTests {
    @Test("that is linked answers without a QR code, in one ceremony a sign-in")
    func linked() async throws {
        try await RadioContext.with { radio in
            let link = try await radio.link()
            try await radio.listening {
                let uses = Counter()
                let phone = radio.hybridPhone([link], uses: uses, show: { _ in Issue.record("a QR code is shown") })
                try await TestContext.with { context in
                    let key = PhoneKey(
                        ceremony: phone, approval: context.approval, list: PhoneCredentialList(path: context.path))
                    // Made by the QR code that linked them.
                    let id = try #require(await radio.store.credentials(rpID: "example.com").first).id
                    let unknown = [UInt8](repeating: 0xaa, count: 20)
                    let probe = try await context.send(ProgramRequest.signIn([unknown, id], up: false), to: key)
                    let answer = try await context.send(ProgramRequest.signIn([id], uv: true), to: key)
                    #expect(answer == probe && uses.value == 1)
                    #expect(try context.assertion(answer).credential?.id == id)

                    let made = try await context.register(ProgramRequest.opensshVerifyRequired, with: key)
                    let signIn = ProgramRequest.signIn([made], of: "ssh:", uv: true)
                    #expect(try context.assertion(try await context.send(signIn, to: key)).credential?.id == made)
                    #expect(uses.value == 3)
                }
            }
        }
    }

    @Test("is asked by a QR code once no link answers")
    func code() async throws {
        try await RadioContext.with { radio in
            // It does not listen.
            let link = try await radio.link()
            let (codes, shown) = AsyncStream<String>.makeStream()
            let events = EventRecord()
            let phone = radio.hybridPhone(
                [link], linkLimit: .seconds(5), show: { shown.yield($0) }, observe: events.note)
            let request = try ProgramRequest.decoded(ProgramRequest.chromium)
            async let answer = phone.send(request)
            let code = await codes.first { _ in true } ?? ""
            try await radio.answer(code)
            #expect(try await answer.first == CTAPStatus.ok.rawValue)
            #expect(events.all.contains { if case .noLinkAnswered = $0 { true } else { false } })
        }
    }

    @Test("that scans the QR code is linked, and its answer does not wait for that")
    func linksByCode() async throws {
        try await RadioContext.with { radio in
            let (codes, shown) = AsyncStream<String>.makeStream()
            let (decisions, decide) = AsyncStream<Void>.makeStream()
            let (made, linked) = AsyncStream<SharedLink>.makeStream()
            let phone = radio.hybridPhone([], show: { shown.yield($0) }, onLink: { linked.yield($0) })
            let request = try ProgramRequest.decoded(ProgramRequest.chromium)
            async let answer = phone.send(request)
            let code = await codes.first { _ in true } ?? ""
            async let answering: Void = radio.answer(code) {
                for await _ in decisions { break }
                return true
            }
            #expect(try await answer.first == CTAPStatus.ok.rawValue)
            decide.yield()
            try await answering
            let link = try #require(await made.first { _ in true })
            try await radio.listening {
                let phone = radio.hybridPhone([link], show: { _ in Issue.record("a QR code is shown") })
                let request = try ProgramRequest.decoded(ProgramRequest.firefox)
                #expect(try await phone.send(request).first == CTAPStatus.ok.rawValue)
            }
        }
    }

    @Test("that is out of reach, where no QR code is to be shown, is an error with its reason")
    func outOfReach() async throws {
        try await RadioContext.with { radio in
            let link = try await radio.link()
            let request = try ProgramRequest.decoded(ProgramRequest.chromium)
            for links in [[], [link]] {
                let error = await #expect(throws: CTAPFailure.self) {
                    try await radio.hybridPhone(links, show: nil).send(request)
                }
                // A slow machine gives up before it is told that nobody listens.
                #expect([.other, .userActionTimeout].contains(error?.status) && error?.reason.isEmpty == false)
            }
        }
    }

    @Test("whose user refuses is no other failure")
    func refused() async throws {
        try await RadioContext.with { radio in
            let link = try await radio.link()
            try await radio.listening(approval: PhoneUser { _ in .refused(.declined) }) {
                try await TestContext.with { context in
                    let phone = radio.hybridPhone([link], show: { _ in Issue.record("a QR code is shown") })
                    let key = PhoneKey(
                        ceremony: phone, approval: context.approval, list: nil, observe: context.events.note)
                    try await context.send(ProgramRequest.firefox, .operationDenied, to: key)
                    #expect(context.events.reason?.isEmpty == false)
                }
            }
        }
    }

    @Test("that has ended the link, while its use was asked about here, is not woken, and answers a QR code")
    func revokedBefore() async throws {
        try await RadioContext.with { radio in
            let link = try await radio.link()
            let asked = Counter()
            let user = PhoneUser { question in
                asked.count()
                return await PhoneUser.yes(question)
            }
            try await radio.listening(approval: user) {
                let (codes, shown) = AsyncStream<String>.makeStream()
                let events = EventRecord()
                let phone = radio.hybridPhone(
                    [link], linkLimit: .seconds(5), show: { shown.yield($0) }, observe: events.note)
                let question = PhoneUser { _ in
                    do { try radio.revokeLinks() } catch { Issue.record(error) }
                    return .approved(verified: nil, account: nil)
                }
                let key = PhoneKey(ceremony: phone, approval: question, list: nil, observe: events.note)
                async let answer = key.respond(to: ProgramRequest.firefox) { _ in }
                let code = await codes.first { _ in true } ?? ""
                #expect(asked.value == 0)
                try await radio.answer(code)
                #expect(await answer.first == CTAPStatus.ok.rawValue)
                #expect(events.all.contains { if case .noLinkAnswered = $0 { true } else { false } })
            }
        }
    }

    @Test("that ends the link in the middle of a ceremony answers that one, and no other")
    func revokedMeanwhile() async throws {
        try await RadioContext.with { radio in
            let link = try await radio.link()
            let user = PhoneUser { question in
                do { try radio.revokeLinks() } catch { Issue.record(error) }
                return await PhoneUser.yes(question)
            }
            try await radio.listening(approval: user) {
                let phone = radio.hybridPhone([link], show: nil)
                let request = try ProgramRequest.decoded(ProgramRequest.firefox)
                #expect(try await phone.send(request).first == CTAPStatus.ok.rawValue)
                let error = await #expect(throws: CTAPFailure.self) { try await phone.send(request) }
                #expect(error?.status == .other && error?.reason.isEmpty == false)
            }
        }
    }

    @Test("hears that the program has cancelled")
    func cancelled() async throws {
        try await RadioContext.with { radio in
            let link = try await radio.link()
            let approval = WaitingApproval()
            try await radio.listening(approval: approval) {
                let phone = radio.hybridPhone([link], show: nil)
                try await TestContext.with { context in
                    let key = PhoneKey(ceremony: phone, approval: context.approval, list: nil)
                    let task = Task { await key.respond(to: ProgramRequest.firefox) { _ in } }
                    for await _ in approval.asked { break }
                    task.cancel()
                    #expect(await task.value == [CTAPStatus.keepaliveCancel.rawValue])
                    for await _ in approval.cancelled { break }
                }
            }
        }
    }
}

/// A user whose answers a test makes.
private struct PhoneUser: UserApproval {
    let canVerify = true
    private let answer: @Sendable (ApprovalQuestion) async -> Approval

    init(_ answer: @escaping @Sendable (ApprovalQuestion) async -> Approval) { self.answer = answer }

    func ask(_ question: ApprovalQuestion) async -> Approval { await answer(question) }

    /// A yes, and the user is verified.
    static func yes(_ question: ApprovalQuestion) async -> Approval {
        await AutomaticApproval(claimsVerification: true).ask(question)
    }
}

/// A user at the phone who does not answer.
private final class WaitingApproval: UserApproval {
    let canVerify = true
    let asked: AsyncStream<Void>
    let cancelled: AsyncStream<Void>
    private let ask: AsyncStream<Void>.Continuation
    private let cancel: AsyncStream<Void>.Continuation

    init() {
        (asked, ask) = AsyncStream.makeStream()
        (cancelled, cancel) = AsyncStream.makeStream()
    }

    func ask(_ question: ApprovalQuestion) async -> Approval {
        ask.yield()
        for await _ in AsyncStream<Never>.makeStream().stream {}
        cancel.yield()
        return .refused(.cancelled)
    }
}
