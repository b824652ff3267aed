import Testing

@testable import Conformance

@Suite("A transcript", .timeLimit(.minutes(5)))
struct TranscriptTests {
    @Test("has a sealed message decrypted, whether it is explained before it is sent or after it came")
    func decrypted() {
        let recorder = TranscriptRecorder()
        let sealed = [UInt8](0..<48)
        recorder.explain(sealed, "CTAP getInfo", [1, 4])
        recorder.sent("tunnel", "binary message", sealed)
        let answer = [UInt8]((0..<48).reversed())
        recorder.received("L2CAP", "SDU", answer + [0x0D, 0x0A])
        recorder.explain(answer, "shutdown", [0])
        let entries = recorder.transcript.entries
        #expect(entries.map(\.what) == ["CTAP getInfo", "shutdown"])
        #expect(entries.map(\.bytes) == [[1, 4], [0]])
        #expect(entries.map(\.direction) == [.sent, .received])
        #expect(entries[0].time <= entries[1].time)
    }

    @Test("shows a sealed message as it went where that was changed or cut, or did not go as one piece")
    func changed() {
        let recorder = TranscriptRecorder()
        let sealed = [UInt8](0..<64)
        recorder.explain(sealed, "shutdown", [0])
        recorder.sent("tunnel", "binary message", sealed.dropLast() + [0])
        recorder.explain([UInt8](repeating: 9, count: 48), "update", [2])
        let entries = recorder.transcript.entries
        #expect(
            entries.map(\.what) == [
                "binary message, cut or changed: shutdown", "sealed in pieces, or not sent: update",
            ])
        #expect(entries[0].bytes == sealed.dropLast() + [0])
    }

    @Test("is bounded: bytes of an entry, and entries of a case, of which the first and the last ones stay")
    func bounds() {
        let recorder = TranscriptRecorder()
        for number in 0..<1_000 {
            recorder.sent("tunnel", "\(number)", [UInt8](repeating: 7, count: 513 + number))
        }
        let transcript = recorder.transcript
        #expect(transcript.entries.count == Transcript.entryLimit)
        #expect(transcript.omittedCount == 1_000 - Transcript.entryLimit)
        #expect(transcript.entries.first?.what == "0")
        #expect(transcript.entries.last?.what == "999")
        #expect(transcript.entries.allSatisfy { $0.bytes.count == Transcript.byteLimit && $0.more >= 1 })
        let lines = transcript.lines(byteLimit: 2)
        #expect(lines.count == Transcript.entryLimit + 1)
        #expect(lines[300] == "… 600 entries are left out")
        #expect(lines[0].hasSuffix(" ms  sent      tunnel    0: 0707… and 511 bytes more"))
        #expect(transcript.lines(last: 3).count == 3)
    }

    @Test("has an advert once, however often it is sent, and an event once in succession")
    func repeated() {
        let recorder = TranscriptRecorder()
        for _ in 0..<3 { recorder.advert(.sent, "advert", [1]) }
        for _ in 0..<3 { recorder.note("process", "started") }
        #expect(recorder.transcript.entries.map(\.what) == ["advert", "started"])
    }

    /// The bytes that a QR code's secret of zeros would show.
    static let secret = [UInt8](repeating: 0, count: 16)

    @Test("comes with a deviation, has what went over the channels, and no secret of the QR code")
    func ofCase() async throws {
        let client = JudgingTests.client(
            "02020300" + "04f4" + "05626d63", 6, "socket.create_connection(place).send(b'GET / HTTP/1.1\\r\\n\\r\\n')")
        let result = try await JudgingTests.result(.client, "client/tunnel/session", client)
        guard case .deviates = result.verdict else {
            Issue.record("\(result.verdict) is not a deviation")
            return
        }
        let entries = result.transcript.entries
        #expect(entries.contains { $0.what == "the command was started" && $0.direction == .note })
        #expect(entries.contains { $0.what.hasPrefix("the command wrote a QR code of ") })
        #expect(entries.contains { $0.channel == "advert" && $0.direction == .sent && $0.bytes.count == 20 })
        #expect(entries.contains { $0.bytes == Array("GET / HTTP/1.1\r\n\r\n".utf8) && $0.channel == "HTTP" })
        #expect(!entries.contains { $0.bytes.count >= 16 && $0.bytes.firstRange(of: Self.secret) != nil })
        #expect(entries.map(\.time) == entries.map(\.time).sorted())
        let passed = try await JudgingTests.result(.client, "client/code/canonical", client)
        #expect(passed.verdict == .passed)
        #expect(passed.transcript.entries.isEmpty && passed.standardError.isEmpty)
    }

    @Test("names messages as CTAP does")
    func names() {
        #expect(nameOfMessage([1, 1, 0xA0], isFirst: false, isClients: true) == "CTAP makeCredential")
        #expect(nameOfMessage([1, 0x2E], isFirst: false, isClients: false) == "CTAP answer with status 0x2e")
        #expect(nameOfMessage([1, 0x99], isFirst: false, isClients: true) == "CTAP command 0x99")
        #expect(nameOfMessage([1], isFirst: false, isClients: true) == "CTAP message without a byte")
        #expect(nameOfMessage([0], isFirst: false, isClients: true) == "shutdown")
        #expect(nameOfMessage([0xA1], isFirst: true, isClients: false) == "first message")
        #expect(nameOfMessage([], isFirst: false, isClients: false) == "empty message")
        #expect(nameOfMessage([9], isFirst: false, isClients: false) == "message of type 9")
        #expect(WireFrame.close(1_000).name == "close frame 1000")
        #expect(WireFrame(payload: [UInt8](repeating: 4, count: 81)).name == "handshake message")
        #expect(WireFrame(fin: false, reserved: 4).name == "first frame of a binary message with reserved bits 4")
    }
}
