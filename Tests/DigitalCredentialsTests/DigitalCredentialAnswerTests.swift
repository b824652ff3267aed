import Encodings
import HybridProtocol
import Testing

/// The answers of a wallet (HT-DC-28, HT-DC-29).
@Suite("A digital-credential answer")
struct DigitalCredentialAnswerTests {
    @Test("carries a credential as Chromium takes it: with the protocol beside the data")
    func credential() throws {
        let answer = DigitalCredentialAnswer.credential(
            DigitalCredential(exchangeProtocol: "openid4vp-v1-unsigned", data: ["vp_token": ["mdl": ["…"]]]))
        #expect(
            answer.json
                == #"{"response":{"digital":{"data":{"protocol":"openid4vp-v1-unsigned","data":{"vp_token":{"mdl":["…"]}}}}}}"#
        )
        #expect(try DigitalCredentialAnswer(parsing: answer.json) == answer)
    }

    @Test(
        "carries a refusal, also one that is not known",
        arguments: ["USER_CANCELED", "DEVICE_ABORTED", "NO_CREDENTIAL", "x"])
    func refusal(name: String) throws {
        let answer = DigitalCredentialAnswer.refusal(DigitalCredentialRefusal(rawValue: name))
        #expect(answer.json == #"{"response":{"digital":{"error":"\#(name)"}}}"#)
        #expect(try DigitalCredentialAnswer(parsing: answer.json) == answer)
    }

    @Test("with both is a refusal, as Chromium takes it")
    func both() throws {
        let text = #"{"response":{"digital":{"data":{"protocol":"p","data":1},"error":"USER_CANCELED"}}}"#
        #expect(try DigitalCredentialAnswer(parsing: text) == .refusal(.userCanceled))
    }

    @Test(
        "is refused by name if a part of it is missing or of another type",
        arguments: [
            ("", .invalidJSON), ("{}", .missingMember), (#"{"response":7}"#, .wrongType),
            (#"{"response":{}}"#, .missingMember), (#"{"response":{"digital":{}}}"#, .missingMember),
            (#"{"response":{"digital":{"error":7}}}"#, .wrongType),
            (#"{"response":{"digital":{"error":null}}}"#, .wrongType),
            // The form of phones until 2026: without the protocol.
            (#"{"response":{"digital":{"data":"token"}}}"#, .wrongType),
            (#"{"response":{"digital":{"data":{"token":"t"}}}}"#, .missingMember),
            (#"{"response":{"digital":{"data":{"protocol":"p"}}}}"#, .missingMember),
            (#"{"response":{"digital":{"data":{"protocol":1,"data":1}}}}"#, .wrongType),
            (String(repeating: "[", count: 10_000), .tooLarge), (String(repeating: " ", count: 1 << 21), .tooLarge),
        ] as [(String, DigitalCredentialError.Code)])
    func refused(text: String, code: DigitalCredentialError.Code) {
        #expect(throws: DigitalCredentialError(code, reason: "")) { try DigitalCredentialAnswer(parsing: text) }
    }
}
