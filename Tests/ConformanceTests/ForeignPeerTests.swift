import Foundation
import Synchronization
import TestPeers
import Testing

@testable import Conformance

private let needsPackages = ConditionTrait.enabled("Python has no cbor2, cryptography and websockets") {
    let program = "import cbor2, cryptography, websockets.asyncio.client"
    return (try? await ChildProcess.run(["python3", "-c", program]).status) == 0
}

/// Peers that work, each but for one thing of an implementation of the field: that one thing is told, and no other.
@Suite("A peer of another make", needsPackages, .timeLimit(.minutes(10)))
struct ForeignPeerTests {
    /// Runs cases whose IDs are these with a peer of some style.
    ///
    /// - Parameter isSecure: true for a tunnel service with TLS.
    static func results(
        _ style: String, _ ids: [String], isSecure: Bool = false, timeout: Duration = .seconds(20)
    ) async throws -> [CaseResult] {
        let peer = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../CommandLineTests/Peers/odd_peer.py").standardized.path
        let directory = FileManager.default.temporaryDirectory.appending(path: "peer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let role = ids[0].hasPrefix("client") ? "client" : "authenticator"
        let words = ["python3", "-B", peer, role, style, "{radio}", "{tunnel}", "{ca}"]
        var settings = ProgramSettings(
            command: CommandTemplate(words + (role == "client" ? [] : ["{url}"])), timeout: timeout, radio: .simulated)
        if isSecure {
            let identity = try ServiceIdentity.local()
            settings.identity = identity
            settings.authority = directory.appending(path: "authority.pem").path
            try Data(try #require(identity.authorityPEM)).write(to: URL(filePath: settings.authority))
        }
        let results = Mutex<[CaseResult]>([])
        let note = { @Sendable (result: CaseResult) in results.withLock { $0.append(result) } }
        let isWanted = { (testCase: ConformanceCase) in ids.contains(testCase.id) }
        if role == "client" {
            try await ConformanceRunner.testClient(settings, jobs: 1, where: isWanted, report: note)
        } else {
            try await ConformanceRunner.testAuthenticator(settings, jobs: 1, where: isWanted, report: note)
        }
        let found = results.withLock { $0 }
        return try ids.map { id in try #require(found.first { $0.testCase.id == id }, "\(id)") }
    }

    static func verdict(_ style: String, _ id: String, isSecure: Bool = false) async throws -> Verdict {
        try await results(style, [id], isSecure: isSecure)[0].verdict
    }

    static func deviation(_ verdict: Verdict) -> String? {
        if case .deviates(let reason) = verdict { reason } else { nil }
    }

    static func skipped(_ verdict: Verdict) -> String? {
        if case .skipped(let reason, _) = verdict { reason } else { nil }
    }

    // MARK: - Delivery

    @Test("that ends without reading a Close frame, after a session that went well, has the same verdicts each time")
    func unreadClose() async throws {
        let ids = ["client/advert/19-bytes", "client/advert/other-session", "client/tunnel/session"]
        for _ in 0..<3 {
            for result in try await Self.results("leaves-close-unread", ids) {
                #expect(result.verdict == .passed, "\(result.testCase.id)")
            }
        }
    }

    @Test(
        "that says goodbye while the mistake lies unread has refused and survived nothing",
        arguments: ["client/answer/status-19", "client/end/before-answer-noise"], [false, true])
    func goodbye(id: String, isSecure: Bool) async throws {
        #expect(
            try await Self.verdict("goodbye", id, isSecure: isSecure)
                == .inconclusive(
                    "nobody knows whether the mistake reached it: "
                        + "it ended the connection, and did not read everything that had been sent"))
        #expect(try await Self.verdict("none", id, isSecure: isSecure) == .passed)
    }

    // MARK: - One fact, one deviation

    @Test("that keeps links and never uses them deviates in one case, and has the others skipped")
    func unusedLinks() async throws {
        let ids = [
            "client/link/unknown-key", "client/link/kept", "client/link/signature-zero", "client/link/replaced",
            "client/linked/session", "client/contact/status-410", "client/linked-handshake/wrong-psk",
        ]
        for result in try await Self.results("none", ids) {
            guard result.testCase.id != "client/link/kept" else {
                #expect(result.verdict == .deviates("it sends no contact request for its link"))
                continue
            }
            #expect(
                result.verdict
                    == .skipped(
                        "it sends no contact request for any link, as client/link/kept reports", needs: .linkedCommand),
                "\(result.testCase.id)")
        }
    }

    @Test("that dies of pings breaks the rule of pings, and no other")
    func pings() async throws {
        let ids = ["upgrade/with-frame", "framing/ping-before", "framing/ping-between-fragments"]
        for role in ["client", "authenticator"] {
            let results = try await Self.results("dies-of-pings", ids.map { "\(role)/\($0)" })
            #expect(results[0].verdict == .passed)
            for result in results.dropFirst() {
                #expect(Self.deviation(result.verdict) != nil && result.testCase.rule.id == "HT-TUN-62")
            }
        }
    }

    @Test("that loses what comes with the head, or behind a frame, is found out")
    func lostBytes() async throws {
        for role in ["client", "authenticator"] {
            let early = try await Self.results("drops-early", ["\(role)/upgrade/with-frame"], timeout: .seconds(5))
            #expect(Self.deviation(early[0].verdict) != nil)
            let record = try await Self.results(
                "one-frame", ["\(role)/framing/one-record"], isSecure: true, timeout: .seconds(5))
            #expect(Self.deviation(record[0].verdict) != nil)
        }
    }

    @Test("whose exit status alone is wrong leaves the rule undecided")
    func exitStatus() async throws {
        #expect(
            try await Self.verdict("ends-badly", "authenticator/framing/ping-before")
                == .inconclusive("its session went well, and it ended with exit status 1 all the same"))
    }

    @Test("that makes passkeys under the hint mc alone treats an unknown hint as ga")
    func hint() async throws {
        #expect(try await Self.verdict("heeds-hint", "authenticator/code/hint-unknown") == .passed)
        #expect(Self.deviation(try await Self.verdict("heeds-hint", "authenticator/code/hint-ga")) != nil)
    }

    @Test("that answers an unknown message with an error, and ends, has refused it")
    func errorAnswer() async throws {
        let result = try await Self.results("answers-unknown", ["authenticator/message/type-alone-255"])[0]
        #expect(result.verdict == .passed)
        #expect(result.otherWay == "it answers with status 0x01, and ends the session")
    }

    @Test("that does not verify the user breaks the rule of that, and not that of the RP ID's hash")
    func noVerification() async throws {
        let results = try await Self.results(
            "no-verification", ["authenticator/ctap/make-credential", "authenticator/ctap/user-verification"])
        #expect(results[0].verdict == .passed)
        #expect(Self.deviation(results[1].verdict) == "its flags are 0x41: UV is not set")
        #expect(results[1].testCase.rule.id == "HT-CTAP-11")
    }

    // MARK: - Canonical CBOR

    @Test("whose CBOR is not canonical breaks that rule, and is tested all the same")
    func canonical() async throws {
        let client = try await Self.results(
            "unsorted", ["client/tunnel/session", "client/message/request-canonical", "client/answer/status-19"])
        #expect(client[0].verdict == .passed)
        #expect(client[0].lenience?.hasPrefix("its request is not canonical CBOR: unsorted-keys: ") == true)
        #expect(client[0].lenience?.hasSuffix("(HT-CTAP-4, client/message/request-canonical)") == true)
        #expect(Self.deviation(client[1].verdict) != nil)
        #expect(client[2].verdict == .passed)
        let ids = ["code/makes-passkey", "first-message/canonical", "ctap/answer-canonical", "code/secret-15"]
        let authenticator = try await Self.results("unsorted", ids.map { "authenticator/\($0)" })
        #expect(authenticator[0].lenience?.hasPrefix("its first message is not canonical CBOR: ") == true)
        #expect(authenticator.map { $0.verdict == .passed } == [true, false, false, true])
    }

    // MARK: - TLS

    @Test(
        "that trusts any certificate is found out, and one that verifies is not",
        arguments: ["client", "authenticator"]
    )
    func trust(role: String) async throws {
        let cases = role == "client" ? ConformanceRunner.clientCases : ConformanceRunner.authenticatorCases
        let ids = cases.map(\.id).filter { $0.hasPrefix("\(role)/trust/") }
        #expect(ids.count == 8)
        for result in try await Self.results("trusts-all", ids, isSecure: true) {
            #expect(
                Self.deviation(result.verdict)?.hasPrefix("it sends its request to a tunnel service whose cert")
                    == true,
                "\(result.testCase.id)")
        }
        for result in try await Self.results("none", ids, isSecure: true) {
            #expect(result.verdict == .passed, "\(result.testCase.id)")
        }
        #expect(
            Self.skipped(try await Self.verdict("none", "\(role)/trust/expired")) == "the connection has no TLS")
    }
}
