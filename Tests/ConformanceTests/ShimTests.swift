import Encodings
import Foundation
import Synchronization
import TestPeers
import Testing

@testable import Conformance

private let needsPackages = ConditionTrait.enabled("Python has no cryptography") {
    (try? await ChildProcess.run(["python3", "-c", "import cryptography"]).status) == 0
}

/// The reference in Python as a shim, right and with mistakes, and shims that do not keep to the protocol.
@Suite("A shim", needsPackages, .timeLimit(.minutes(10)))
struct ShimTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    static let reference = tests.appending(path: "../../tools/shim/peer.py").standardized.path

    static func peer(_ name: String, _ arguments: String...) -> [String] {
        ["python3", "-B", tests.appending(path: "Peers/\(name).py").path] + arguments
    }

    /// Runs cases of one role.
    static func results(
        _ words: [String], _ ids: [String], timeout: Duration = .seconds(30),
        features: Set<ShimHello.Feature> = []
    ) async throws -> [CaseResult] {
        let isClient = ids[0].hasPrefix("client/")
        let command = CommandTemplate(shim: words, isClient ? .register : .authenticate)
        var settings = ProgramSettings(command: command, timeout: timeout, radio: .simulated)
        settings.shim = ShimHello(name: "x", version: nil, roles: [], features: features, operations: [])
        let results = Mutex<[CaseResult]>([])
        let note = { @Sendable (result: CaseResult) in results.withLock { $0.append(result) } }
        let isWanted = { (testCase: ConformanceCase) in ids.contains(testCase.id) }
        if isClient {
            try await ConformanceRunner.testClient(settings, jobs: 2, where: isWanted, report: note)
        } else {
            try await ConformanceRunner.testAuthenticator(settings, jobs: 2, where: isWanted, report: note)
        }
        let found = results.withLock { $0 }
        return try ids.map { id in try #require(found.first { $0.testCase.id == id }, "\(id)") }
    }

    @Test(
        "of a right implementation has no deviation",
        arguments: [
            [
                "authenticator/code/makes-passkey", "authenticator/code/secret-15", "authenticator/advert/nonce",
                "authenticator/tunnel/routing-id-5-digits", "authenticator/upgrade/status-404",
                "authenticator/handshake/wrong-psk", "authenticator/frame/replayed",
                "authenticator/end/when-ready-close", "authenticator/handshake/1-mib",
            ],
            [
                "client/tunnel/session", "client/advert/zero-tag", "client/advert/domain-256",
                "client/upgrade/status-503", "client/handshake/tag-zero", "client/frame/counter-repeated",
                "client/end/before-answer-close", "client/framing/close-1001",
            ],
        ])
    func right(ids: [String]) async throws {
        for result in try await Self.results(["python3", "-B", Self.reference], ids) {
            #expect(result.verdict == .passed, "\(result.testCase.id)")
        }
    }

    @Test(
        "that has the feature timeout ends by itself",
        arguments: ["authenticator/end/when-ready-silence", "client/end/before-answer-silence"])
    func silence(id: String) async throws {
        let words = ["python3", "-B", Self.reference, "--patience", "8"]
        let result = try await Self.results(words, [id], timeout: .seconds(30), features: [.timeout])[0]
        #expect(result.verdict == .passed || result.verdict == .observed("complies"))
        let impatient = try await Self.results(words, [id], features: [])[0]
        guard case .skipped = impatient.verdict else {
            Issue.record("\(impatient.verdict)")
            return
        }
    }

    @Test(
        "of an implementation with one mistake deviates in the case that is about it",
        arguments: [
            ("advert-tag", "client/advert/zero-tag"), ("advert-reserved", "client/advert/reserved-1"),
            ("advert-domain", "client/advert/domain-2"), ("advert-domain", "client/advert/domain-256"),
            ("advert-nonce", "authenticator/advert/nonce"),
            ("secret-length", "authenticator/code/secret-15"),
            ("routing-id", "authenticator/tunnel/routing-id-5-digits"),
            ("handshake-tag", "authenticator/handshake/tag-zero"), ("handshake-tag", "client/handshake/tag-zero"),
            ("frame-counter", "authenticator/frame/counter-skipped"),
            ("frame-counter", "client/frame/counter-repeated"),
            ("frame-padding", "authenticator/frame/padding-count-too-large"),
            ("message-type", "client/message/type-4"), ("message-type", "authenticator/message/type-4"),
            ("always-well", "authenticator/code/secret-15"), ("no-end", "authenticator/code/secret-15"),
        ])
    func mistake(name: String, id: String) async throws {
        let verdict = try await Self.results(Self.peer("wrong_shim", name), [id])[0].verdict
        guard case .deviates = verdict else {
            Issue.record("\(verdict)")
            return
        }
    }

    @Test(
        "that does not say hello is refused, with the line and the cause",
        arguments: [
            ("dies", "line 1 of the shim: it ended without a line"), ("no-json", "it is not JSON"),
            ("two-values", "it is not JSON"), ("duplicate", "it is not JSON"), ("no-object", "it is not an object"),
            ("no-type", "it has no \"type\""), ("deep", "it is not JSON"), ("version", "\"shim\" is not 1"),
            ("role", "the role \"tunnel-service\" is not known"), ("feature", "the feature \"telepathy\" is not known"),
            ("name", "\"name\" of hello is not a text"), ("member", "hello has no member \"rolls\""),
            ("order", "end comes before hello"), ("no-line-end", "it is longer than 4 MiB"),
            ("hangs", "its first line did not come within"), ("stderr", "and wrote \"\\u001b[31moops\""),
        ])
    func noHello(manner: String, cause: String) async throws {
        let command = CommandTemplate(shim: Self.peer("hostile_shim", manner), .authenticate)
        let time: Duration = manner == "hangs" ? .seconds(1) : .seconds(30)
        let error = await #expect(throws: RunnerError.self) {
            _ = try await ShimHello.read(from: command, timeout: time)
        }
        #expect(error?.code == .shim)
        #expect(error?.reason.contains(cause) == true, "\(error?.reason ?? "")")
    }

    @Test(
        "that says what it may not is inconclusive, with the line and the cause",
        arguments: [
            ("not-hex", "line 2 of the shim: \"data\" of advert is not hexadecimal"),
            ("type", "line 2 of the shim: the type \"teleport\" is not known"),
            ("member-later", "line 2 of the shim: advert has no member \"power\""),
            ("hello-twice", "line 2 of the shim: hello is out of place"),
            ("message-first", "line 2 of the shim: message is out of place: there is no tunnel yet"),
            ("code", "line 2 of the shim: qr is out of place"),
            ("url", "line 2 of the shim: \"wss://x/a\\r\\nHost: y\" is not the URL of a tunnel"),
            ("other-url", "line 2 of the shim: \"https://x/a\" is not the URL of a tunnel"),
            ("open-twice", "line 3 of the shim: open is out of place: it has a tunnel"),
            ("open-again", "line 3 of the shim: open is out of place: it has a tunnel"),
            ("long-advert", "line 2 of the shim: an advert of 256 bytes fits no radio"),
            ("ctap", "line 2 of the shim: ctap is out of place"),
            ("floods", "line 10001 of the shim: it is one of more than 10000 lines"),
            ("long-line", "line 2 of the shim: it is longer than 4 MiB"),
        ])
    func fault(manner: String, cause: String) async throws {
        let result = try await Self.results(Self.peer("hostile_shim", manner), ["authenticator/code/makes-passkey"])[0]
        guard case .inconclusive(let reason) = result.verdict else {
            Issue.record("\(result.verdict)")
            return
        }
        #expect(reason.hasPrefix(cause), "\(reason)")
    }

    @Test(
        "that dies or hangs deviates",
        arguments: [
            ("dies-later", "exit status 0, without a line of type end"), ("hangs-later", "did not come within"),
        ])
    func gone(manner: String, cause: String) async throws {
        let result = try await Self.results(
            Self.peer("hostile_shim", manner), ["authenticator/code/hint-ga"],
            timeout: .seconds(manner == "hangs-later" ? 2 : 20))[0]
        guard case .deviates(let reason) = result.verdict else {
            Issue.record("\(result.verdict)")
            return
        }
        #expect(reason.contains(cause), "\(reason)")
    }

    @Test("is killed with what it has started, and does not keep a case waiting", arguments: ["child", "keeps-on"])
    func killed(manner: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "child-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try await Self.results(
            Self.peer("hostile_shim", manner, file.path), ["authenticator/tunnel/path"], timeout: .seconds(5))
        guard manner == "child" else { return }
        let child = try #require(Int32(try String(contentsOf: file, encoding: .utf8)))
        try await within(.seconds(20), "its end") {
            while kill(child, 0) == 0 { try await Task.sleep(for: .milliseconds(20)) }
        }
    }

    // MARK: - The cases

    private static let none = ShimHello(name: "x", version: nil, roles: [], features: [], operations: [])
    private static let all = ShimHello(
        name: "x", version: nil, roles: [], features: Set(ShimHello.Feature.allCases), operations: [])

    @Test("plays the cases that need neither a socket nor a radio")
    func counts() {
        for (cases, least) in [(ConformanceRunner.authenticatorCases, 280), (ConformanceRunner.clientCases, 220)] {
            let played = cases.count { ShimCases.reasonLeftOut($0.id, Self.all) == nil }
            let plain = cases.count { ShimCases.reasonLeftOut($0.id, Self.none) == nil }
            print("shim: \(played) of \(cases.count) cases, \(plain) without features")
            #expect(played >= least && plain < played)
        }
    }

    @Test("leaves cases out by names that there are")
    func names() {
        let ids = Set((ConformanceRunner.authenticatorCases + ConformanceRunner.clientCases).map(\.id))
        #expect(ShimCases.named.subtracting(ids).sorted() == [])
    }

    @Test("plays the plainest case of each role whatever it can do")
    func plain() {
        for role in [ConformanceCase.Role.authenticator, .client] {
            #expect(ShimCases.reasonLeftOut(ConformanceRunner.plainCase(of: role).id, Self.none) == nil)
        }
    }
}
