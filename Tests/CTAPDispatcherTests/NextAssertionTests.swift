import CTAP
import PasskeyAuthenticator
import Testing

/// An authenticator that gives as many assertions as it has left, and answers of a size.
private actor CountingAuthenticator: CTAPAuthenticator {
    var dispatcher: CTAPDispatcher<Int>
    private let signature: [UInt8]

    init(signatureByteCount: Int = 1, maxAnswerByteCount: Int = .max) {
        signature = [UInt8](repeating: 1, count: signatureByteCount)
        dispatcher = CTAPDispatcher(maxRequestByteCount: 1_024, maxAnswerByteCount: maxAnswerByteCount) { _ in }
    }

    nonisolated func getInfo() -> [UInt8] { [0xa0] }

    func makeCredential(_ request: MakeCredentialRequest) throws(CTAPFailure) -> MakeCredentialResponse {
        throw CTAPFailure(.operationDenied, "declined")
    }

    func getAssertion(_ request: GetAssertionRequest) -> GetAssertionResponse {
        dispatcher.nextAssertions = 2
        return response
    }

    func getNextAssertion(_ assertions: Int) -> GetAssertionResponse {
        dispatcher.nextAssertions = assertions > 1 ? assertions - 1 : nil
        return response
    }

    func clientPIN(_ request: ClientPINRequest) throws(CTAPFailure) -> KeyAgreementResponse {
        throw CTAPFailure(.invalidCommand, "there is no PIN")
    }

    func askForTouch() {}

    private var response: GetAssertionResponse {
        GetAssertionResponse(credential: .init(id: [1]), authenticatorData: [2], signature: signature)
    }
}

/// Requirements for the dispatcher that not every authenticator shows.
@Suite("The dispatcher")
struct NextAssertionTests {
    private static let getAssertion = CTAPRequest.getAssertion(
        GetAssertionRequest(rpID: "example.org", clientDataHash: [UInt8](repeating: 1, count: 32))
    ).encoded()
    private static let getNextAssertion: [UInt8] = [0x08]

    @Test("gives the assertions that are left, and no more")
    func all() async {
        let authenticator = CountingAuthenticator()
        #expect(await authenticator.respond(to: Self.getAssertion).first == 0x00)
        #expect(await authenticator.respond(to: Self.getNextAssertion).first == 0x00)
        #expect(await authenticator.respond(to: Self.getNextAssertion).first == 0x00)
        #expect(await authenticator.respond(to: Self.getNextAssertion) == [CTAPStatus.notAllowed.rawValue])
    }

    @Test(
        "drops the assertions that are left at any other command, also at one that cannot be read",
        arguments: [[0x04], [0x0b], [0x08, 0x00], [0xff], [], [UInt8](repeating: 4, count: 1_025)] as [[UInt8]])
    func dropped(between: [UInt8]) async {
        let authenticator = CountingAuthenticator()
        #expect(await authenticator.respond(to: Self.getAssertion).first == 0x00)
        _ = await authenticator.respond(to: between)
        #expect(await authenticator.respond(to: Self.getNextAssertion) == [CTAPStatus.notAllowed.rawValue])
    }

    @Test("sends an answer of the largest size with its status, and none that is a byte longer")
    func answerSize() async {
        let answer = await CountingAuthenticator(signatureByteCount: 300).respond(to: Self.getAssertion)
        let fitting = CountingAuthenticator(signatureByteCount: 300, maxAnswerByteCount: answer.count)
        #expect(await fitting.respond(to: Self.getAssertion) == answer)
        let short = CountingAuthenticator(signatureByteCount: 300, maxAnswerByteCount: answer.count - 1)
        #expect(await short.respond(to: Self.getAssertion) == [CTAPStatus.other.rawValue])
    }
}
