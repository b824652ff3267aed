import Synchronization
import Testing

@testable import Conformance

/// Tests of the pieces that decide a verdict: a mistake in one (tools/mutate/runner.py) is believed by anyone who reads
/// it.
@Suite("The runner", .timeLimit(.minutes(5)))
struct RunnerTests {
    /// The result of a case with a script that has its record.
    static func result(
        rule: String = "HT-QR-1", kind: ConformanceCase.Kind = .behaves,
        _ script: @escaping @Sendable (CaseRecord) async throws -> Void
    ) async throws -> CaseResult {
        let testCase = ConformanceCase(id: "client/group/a", rule: rule, demand: "wait", kind: kind)
        let runner = CaseRunner<CaseRecord>(limit: .seconds(60)) { record, script in try await script(record) }
        return try await runner.run(ScriptedCase(testCase: testCase, script: script))
    }

    @Test("describes another way where nothing is judged, and says so where something is")
    func otherWay() async throws {
        let observed = try await Self.result(rule: "HT-BLE-1") { _ in throw OtherWay("it disconnects") }
        #expect(observed.verdict == .observed("it disconnects"))
        let judged = try await Self.result { _ in throw OtherWay("it disconnects") }
        #expect(judged.verdict == .passed && judged.otherWay == "it disconnects")
    }

    @Test("blames nobody for an end without a cause")
    func unexplained() async throws {
        #expect(try await Self.result { _ in throw UnexplainedEnd("x") }.verdict == .inconclusive("x"))
        #expect(try await Self.result(rule: "HT-BLE-1") { _ in throw UnexplainedEnd("x") }.verdict == .observed("x"))
    }

    @Test("tells the first fault of form that it has read over, and the slowest step")
    func lenience() async throws {
        let result = try await Self.result { record in
            record.noteForm(of: [0xA1, 0x18, 1, 0], "first message", case: "a", rule: "b")
            record.noteForm(of: [0x18, 1], "second message", case: "a", rule: "b")
            record.note(step: .seconds(3))
            record.note(step: .seconds(1))
        }
        #expect(result.lenience?.hasPrefix("its first message is not canonical CBOR: ") == true)
        #expect(result.slowestStep == .seconds(3))
    }

    @Test("leaves standard error away where nothing deviates")
    func needless() async throws {
        let result = try await Self.result { $0.errors.put(Array("x\n".utf8)) }
        #expect(result.standardError == ["x"])
        #expect(result.withoutNeedless.standardError.isEmpty)
    }

    @Test("counts of a rule's cases what is worst for the peer")
    func worst() {
        let outcomes: [RuleOutcome] = [
            .fails, .deviates, .inconclusive, .conceptuallyPassed, .held, .observed, .skipped,
        ]
        #expect(outcomes.reversed().sorted() == outcomes)
    }

    @Test("keeps all of a deviating peer's standard error, for --keep")
    func standardError() async throws {
        let result = try await Self.result { record in
            record.errors.put([1, 2, 3])
            throw Deviation("x")
        }
        #expect(result.wholeStandardError == [1, 2, 3])
    }

    @Test("grades by the certainty of the rule", arguments: [("HT-QR-1", Grade.fails), ("HT-ADV-25", .deviates)])
    func grades(rule: String, grade: Grade) async throws {
        #expect(try await Self.result(rule: rule) { _ in throw Deviation("x") }.grade == grade)
    }

    @Test("believes a block only if its control case has gone well before it, too")
    func firstControl() async throws {
        let run = try await ControlCaseTests.run(5) { id, number in
            id == ControlCaseTests.control && number == 0 ? Deviation("it is tired") : nil
        }
        #expect(run.results.values.allSatisfy { $0.verdict == .passed })
        #expect(run.controlCount == 2 + 6)
    }

    @Test("judges first what other cases read leniently")
    func formFirst() async throws {
        let ids = ["authenticator/a/first", "authenticator/a/answer-canonical", "authenticator/a/last"]
        let cases = ids.map { id in
            ScriptedCase<String>(testCase: ConformanceCase(id: id, rule: "HT-QR-1", demand: "wait", kind: .behaves)) {
                _ in
            }
        }
        let runner = CaseRunner<String>(limit: .seconds(60)) { _, script in try await script("") }
        let order = Mutex<[String]>([])
        try await ControlledRun(cases, controls: [], runner).run(
            jobs: 1, report: { result in order.withLock { $0.append(result.testCase.id) } }, noteControl: { _ in })
        #expect(order.withLock { $0 } == [ids[1], ids[0], ids[2]])
    }

    @Test("takes nothing for delivered that the other side has not acknowledged, or not read")
    func unacknowledged() {
        for (isAcknowledged, reason) in [
            (false, "its system did not acknowledge the bytes sent"),
            (true, "it did not read everything that had been sent"),
        ] {
            let delivery = Delivery()
            delivery.willSend(byteCount: 5)
            delivery.giveUp(isAcknowledged: isAcknowledged)
            #expect(delivery.undeliveredReason == reason)
        }
    }

    @Test("takes an answer for one to a message that could not be sent whole only if that is long")
    func longMessages() {
        for (byteCount, isDelivered) in [(65_535, false), (65_536, true)] {
            let delivery = Delivery()
            delivery.willSend(byteCount: byteCount)
            delivery.received()
            delivery.couldNotSend()
            #expect((delivery.undeliveredReason == nil) == isDelivered, "\(byteCount)")
        }
    }

    @Test("takes a goodbye that is left unread for no mistake that was, once the peer has answered that")
    func unreadGoodbye() {
        for (isAnswered, reason) in [
            (true, nil), (false, "it ended the connection, and did not read everything that had been sent"),
        ] {
            let delivery = Delivery()
            delivery.willSend(byteCount: 5)
            if isAnswered { delivery.received(isAcknowledged: true) }
            delivery.wrote()
            delivery.reset()
            #expect(delivery.undeliveredReason == reason)
        }
    }

    @Test("does not ask whether what comes behind a mistake has arrived, on whatever channel")
    func behindMistake() async {
        let record = CaseRecord(needsDelivery: true)
        await record.mistakeIsSent(awaitsReaction: false)
        let delivery = record.track()
        delivery.willSend(byteCount: 5)
        delivery.couldNotSend()
        #expect(record.undeliveredReason == nil)
    }

    @Test("takes exit status 0 alone for success")
    func ends() async throws {
        for (status, isSuccess) in [(0, true), (3, false)] {
            let peer = Peer(
                CommandTemplate(["sh", "-c", "exit \(status)"]), CommandTemplateTests.values, timeout: .seconds(30),
                record: CaseRecord())
            try await peer.start()
            if isSuccess {
                try await peer.succeeded()
                await #expect(throws: Deviation.self) { try await peer.failed() }
            } else {
                await #expect(throws: Deviation.self) { try await peer.succeeded() }
                try await peer.failed()
            }
        }
    }

    @Test(
        "knows whether a code on standard input was read",
        arguments: [("cat > /dev/null", true), ("sleep 1", false)])
    func unreadInput(text: String, isRead: Bool) async throws {
        let record = CaseRecord(needsDelivery: true)
        let program = try await PeerProgram.start(["sh", "-c", text], input: "FIDO:/1\n", record: record)
        _ = try await program.waitForEnd()
        #expect(record.undeliveredReason == (isRead ? nil : "it ended, and had not read its standard input"))
    }

    @Test("reads a code that comes in pieces, behind much else")
    func halfCode() {
        var reader = CodeReader()
        func piece(_ text: String) -> PeerProgram.Piece { PeerProgram.Piece(stream: .output, bytes: Array(text.utf8)) }
        #expect(reader.take(piece(String(repeating: "x", count: 20_000) + "FIDO:/12")) == nil)
        #expect(reader.take(piece("34")) == nil)
        #expect(reader.take(piece("\n")) == "FIDO:/1234")
    }

    /// A connection whose ends are the case's, as a server, and the peer's.
    static func withEnds(
        _ body: (_ ours: WebSocketEnd, _ peer: WireConnection) async throws -> Void
    ) async throws {
        try await WireListener.with(host: "127.0.0.1", port: 0, tls: nil) { listener in
            let target = WireTarget(host: "127.0.0.1", port: listener.port, tls: nil)
            let peer = try await WireConnection.connect(to: target)
            let ours = try await listener.accept()
            try await body(WebSocketEnd(connection: ours, side: .server), peer)
            await peer.close()
            await ours.close()
        }
    }

    @Test(
        "notices frames and messages that RFC 6455 and this protocol do not have",
        arguments: [
            (WireFrame(payload: [1]).bytes(), "it sends an unmasked frame"),
            (WireFrame(reserved: 4, payload: [1]).masked.bytes(), "it sends a frame with reserved bits"),
            (
                WireFrame(fin: false, opcode: WireFrame.Opcode.ping).masked.bytes(),
                "it sends a control frame that is fragmented or too long"
            ),
            (
                WireFrame.ping([UInt8](repeating: 0, count: 126)).masked.bytes(),
                "it sends a control frame that is fragmented or too long"
            ),
            (WireFrame().masked.bytes(), "it sends an empty message"),
            (WireFrame(opcode: WireFrame.Opcode.text, payload: [65]).masked.bytes(), "it sends a text message"),
            (
                WireFrame(opcode: WireFrame.Opcode.continuation, payload: [1]).masked.bytes(),
                "it sends a frame with opcode 0, which is not allowed here"
            ),
            (
                WireFrame(fin: false, payload: [1]).masked.bytes() + WireFrame(payload: [2]).masked.bytes(),
                "it sends a frame with opcode 2, which is not allowed here"
            ),
        ])
    func frames(bytes: [UInt8], reason: String) async throws {
        try await Self.withEnds { ours, peer in
            await peer.send(bytes)
            do {
                _ = try await within(.seconds(30), "a message") { try await ours.message() }
                Issue.record("it is taken")
            } catch let deviation as Deviation {
                #expect(deviation.reason == reason)
            }
        }
    }

    @Test("opens a frame once, and only with the padding that is due")
    func padding() throws {
        let key = [UInt8](repeating: 7, count: 32)
        func opened(_ padded: [UInt8]) throws -> [UInt8] {
            var (ours, peers) = (Direction(key: key), Direction(key: key))
            return try ours.open(try peers.seal(padded: padded))
        }
        #expect(try opened([9] + [UInt8](repeating: 0, count: 30) + [30]) == [9])
        #expect(throws: Deviation.self) { try opened([0, 2]) }
        #expect(throws: Deviation.self) { try opened([9, 1, 1]) }
        var (ours, peers) = (Direction(key: key), Direction(key: key))
        let frame = try peers.seal([9])
        #expect(try ours.open(frame) == [9])
        #expect(throws: Deviation.self) { try ours.open(frame) }
    }

    /// A session with the runner as the authenticator, and the peer's side of it: messages, and its shutdown.
    static func withSession(
        _ messages: [[UInt8]], _ body: @escaping @Sendable (TunnelSession) async throws -> Void
    ) async throws {
        let code = try TestCode()
        let presharedKey = [UInt8](repeating: 7, count: 32)
        let handshake = try ClientHandshake(scalar: code.scalar, presharedKey: presharedKey)
        let (_, keys) = try AuthenticatorHandshake.answer(
            handshake.message, client: code.publicKey, presharedKey: presharedKey)
        try await withEnds { ours, peer in
            var direction = Direction(key: keys.clientToAuthenticator)
            for message in messages {
                await peer.send(WireFrame(payload: try direction.seal(message)).masked.bytes())
            }
            await peer.send(WireFrame.close(1_000).masked.bytes())
            try await body(TunnelSession(ours, keys, asClient: false, timeout: .seconds(30)))
        }
    }

    @Test("takes updates and a shutdown for an end, and nothing else")
    func goesOn() async throws {
        try await Self.withSession([[2, 0xA0], [0]]) { try await $0.goesNoFurther() }
        for message in [[1, 4], [3, 0x7B, 0x7D], [0, 0], []] as [[UInt8]] {
            try await Self.withSession([message]) { session in
                await #expect(throws: Deviation.self, "\(message)") { try await session.goesNoFurther() }
            }
        }
    }

    @Test("takes a message of the type that is due, after any updates")
    func types() async throws {
        try await Self.withSession([[2, 0xA0], [1, 4]]) { session in
            let payload = try await session.next(SessionMessageType.ctap, "a request")
            #expect(payload == [4])
        }
        for message in [[3, 4], []] as [[UInt8]] {
            try await Self.withSession([message, [1, 4]]) { session in
                await #expect(throws: Deviation.self, "\(message)") {
                    try await session.next(SessionMessageType.ctap, "a request")
                }
            }
        }
    }

    @Test("does not call a run complete in JUnit that was interrupted")
    func junit() {
        var run = PublishedReportTests.run
        var report = ConformanceReport()
        report.add(ReportTests.result("a", .passed))
        for (plannedCount, isComplete) in [(1, true), (2, false)] {
            run.selection = CaseSelection(catalogueCount: plannedCount, plannedCount: plannedCount, filters: [])
            #expect(
                report.junit(named: "s", of: run).contains(
                    "<property name=\"complete\" value=\"\(isComplete)\"/>"))
        }
    }

    @Test("publishes no text of a run that was not gone over for what is private")
    func privacy() {
        var report = PublishedReportTests.report(Array(ConformanceRunner.authenticatorCases.prefix(5)))
        let secret = "/home/alice"
        report.run.peer = RunDescription.Peer(name: secret, version: secret, command: [secret])
        report.run.environment = [RunDescription.Fact("radio", secret)]
        report.run.runnerWords = [secret]
        report.run.selection.filters = [secret]
        for index in report.cases.indices {
            report.cases[index].detail = secret
            report.cases[index].known = secret
            report.cases[index].standardError = [secret]
        }
        report.run = report.run.changingTexts { $0.replacing(secret, with: "~") }
        let changed = report.changingTexts { $0.replacing(secret, with: "~") }
        #expect(!changed.json.contains(secret) && !changed.html.contains(secret))
        #expect(report.json.contains(secret))
    }
}
