import CTAP
import PasskeyAuthenticator
import Synchronization
import Testing

/// Requirements for the dispatcher, in each authenticator that has it.
@Suite("An authenticator", .timeLimit(.minutes(1)))
struct CTAPDispatcherTests {
    /// Requests that cannot be read, and their statuses.
    static let noRequests: [([UInt8], CTAPStatus)] = [
        ([], .invalidLength),
        // Unknown commands: nothing, U2F's, authenticatorReset, two of later editions, the last byte.
        ([0x00], .invalidCommand), ([0x03, 0x00], .invalidCommand), ([0x07], .invalidCommand),
        ([0x0a, 0xa1, 0x01, 0x01], .invalidCommand), ([0x41, 0xa0], .invalidCommand), ([0xff], .invalidCommand),
        // Parameters that are missing, cut short, not canonical, or not a map.
        ([0x01], .invalidCBOR), ([0x02, 0xa1, 0x01], .invalidCBOR), ([0x01, 0xbf, 0xff], .invalidCBOR),
        ([0x02, 0x80], .unexpectedType), ([0x02, 0xa0], .missingParameter), ([0x06, 0xa0], .missingParameter),
        // Something behind a request.
        ([0x02, 0xa0, 0x00], .invalidCBOR), ([0x04, 0xa0], .invalidLength), ([0x08, 0x00], .invalidLength),
        ([0x0b, 0xa0], .invalidLength),
        // Nothing is left to be given.
        ([0x08], .notAllowed),
    ]

    @Test("answers what is no request with its status alone, and asks nobody", arguments: Subject.allCases, noRequests)
    func unreadable(subject: Subject, request: ([UInt8], CTAPStatus)) async {
        let (approval, answers) = (WaitingApproval(), AnswerRecord())
        let authenticator = subject.authenticator(approval, answers)
        #expect(await authenticator.respond(to: request.0) == [request.1.rawValue])
        let command = request.0.first.flatMap(CTAPCommand.init)
        #expect(answers.all == [.init(command: command, status: request.1, isExplained: true)])
        #expect(approval.questionCount == 0)
    }

    @Test("reads a request of the largest size, and refuses one that is a byte longer", arguments: Subject.allCases)
    func oversize(subject: Subject) async {
        let answers = AnswerRecord()
        let authenticator = subject.authenticator(WaitingApproval(), answers)
        let largest = [0x04] + [UInt8](repeating: 0, count: subject.maxRequestByteCount - 1)
        #expect(await authenticator.respond(to: largest) == [CTAPStatus.invalidLength.rawValue])
        #expect(await authenticator.respond(to: largest + [0]) == [CTAPStatus.requestTooLarge.rawValue])
        #expect(answers.all.map(\.status) == [.invalidLength, .requestTooLarge])
    }

    @Test("answers every cut and flipped bit of a request with one event", arguments: Subject.allCases)
    func hostile(subject: Subject) async {
        let (approval, answers) = (WaitingApproval(), AnswerRecord())
        let authenticator = subject.authenticator(approval, answers)
        // Refused by all once it is read: a site's name that is none, and nobody is asked.
        var request = CTAPRequest.getAssertion(
            GetAssertionRequest(rpID: "", clientDataHash: [UInt8](repeating: 1, count: 32))
        ).encoded()
        var count = 0
        for length in 0...request.count {
            let answer = await authenticator.respond(to: Array(request.prefix(length)))
            #expect(answer.count == 1 && answer != [CTAPStatus.ok.rawValue])
            count += 1
        }
        // But for the command byte: flipped, it may be getInfo's.
        for index in request.indices.dropFirst() {
            for bit in 0..<UInt8.bitWidth {
                request[index] ^= 1 << bit
                let answer = await authenticator.respond(to: request)
                #expect(answer.count == 1 && answer != [CTAPStatus.ok.rawValue])
                request[index] ^= 1 << bit
                count += 1
            }
        }
        #expect(answers.all.count == count)
        #expect(approval.questionCount == 0)
    }

    @Test("answers getInfo with its description, and tells of a success without a reason", arguments: Subject.allCases)
    func getInfo(subject: Subject) async throws {
        let answers = AnswerRecord()
        let authenticator = subject.authenticator(WaitingApproval(), answers)
        #expect(await authenticator.respond(to: [0x04]) == [CTAPStatus.ok.rawValue] + authenticator.getInfo())
        #expect(answers.all == [.init(command: .getInfo, status: .ok, isExplained: false)])
        let info = try GetInfoResponse(decoding: authenticator.getInfo().span)
        #expect(info.options["up"] == true)
    }

    @Test(
        "is busy while a request is under way, whatever else comes, and takes the next once that is cancelled",
        arguments: Subject.allCases)
    func busy(subject: Subject) async {
        let (approval, answers) = (WaitingApproval(), AnswerRecord())
        let authenticator = subject.authenticator(approval, answers)
        let statuses = Mutex<[CTAPHIDKeepAliveStatus]>([])
        let first = Task {
            await authenticator.respond(to: [0x0b]) { status in statuses.withLock { $0.append(status) } }
        }
        await approval.untilAsked()
        let busy = [CTAPStatus.channelBusy.rawValue]
        let late: [[UInt8]] = [
            [0x04], [0x0b], [0x02, 0xa0], [0xff], [], [UInt8](repeating: 0, count: subject.maxRequestByteCount + 1),
        ]
        for request in late {
            let answer = await authenticator.respond(to: request) { _ in
                Issue.record("keep-alives of a request that is refused")
            }
            #expect(answer == busy)
        }
        first.cancel()
        #expect(await first.value == [CTAPStatus.keepaliveCancel.rawValue])
        #expect(await authenticator.respond(to: [0x04]).first == CTAPStatus.ok.rawValue)
        #expect(statuses.withLock { $0 } == subject.touchStatuses)
        #expect(approval.questionCount == 1)
        let told = answers.all.map(\.status)
        #expect(told == late.map { _ in .channelBusy } + [.keepaliveCancel, .ok])
        #expect(answers.all.dropLast().allSatisfy { $0.isExplained })
    }
}
