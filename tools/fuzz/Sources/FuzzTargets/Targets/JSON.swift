internal import Encodings
internal import HybridProtocol

extension FuzzTarget {
    static let json = FuzzTarget("json", "JSON, and the requests and answers of digital credentials") { input in
        let kind = input.number(below: 3)
        let bytes = input.rest()
        let text = String(decoding: bytes, as: UTF8.self)
        switch kind {
        case 0:
            guard let value = try? JSONValue(parsing: bytes.span) else { return }
            let written = value.text
            expect(try JSONValue(parsing: written) == value, "a value changes when written and read")
            expect(try JSONValue(parsing: written).text == written, "writing has no fixed point")
        case 1:
            guard let request = try? DigitalCredentialRequest(parsing: text) else { return }
            expect(try DigitalCredentialRequest(parsing: request.json) == request, "a request changes")
            _ = request.summary
            guard let admitted = try? request.admitted() else { return }
            expect(try admitted.request.admitted().leftOut.isEmpty, "what was admitted is not admitted again")
            expect(
                admitted.request.options.count + admitted.leftOut.count == request.options.count, "an option is lost")
            _ = admitted.request.summary
        default:
            guard let answer = try? DigitalCredentialAnswer(parsing: text) else { return }
            expect(try DigitalCredentialAnswer(parsing: answer.json) == answer, "an answer changes")
        }
    }
}
