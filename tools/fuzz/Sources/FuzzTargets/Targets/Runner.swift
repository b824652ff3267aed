@testable internal import Conformance

extension FuzzTarget {
    static let runner = FuzzTarget(
        "runner", "what the conformance runner reads: heads of requests and answers, the file of known deviations"
    ) { input in
        let kind = input.number(below: 3)
        let bytes = input.rest()
        switch kind {
        case 0:
            guard let request = try? RequestHead(bytes) else { return }
            expect(request["host"] == request["HOST"], "the name of a field depends on its case")
        case 1:
            guard let answer = try? AnswerHead(bytes) else { return }
            expect(answer["upgrade"] == answer["Upgrade"], "the name of a field depends on its case")
        default: _ = try? KnownDeviations(parsing: String(decoding: bytes, as: UTF8.self))
        }
    }

    static let shim = FuzzTarget("shim", "lines of JSON, as the conformance runner reads them from libraries' shims") {
        input in
        let bytes = input.rest()
        guard let line = try? ShimLine(bytes) else { return }
        expect((try? ShimLine([0x20] + bytes + [0x0D])) == line, "white space changes a line")
    }
}
