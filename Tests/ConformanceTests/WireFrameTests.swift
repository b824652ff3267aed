import Testing

@testable import Conformance

@Suite("A frame on the wire", .timeLimit(.minutes(5)))
struct WireFrameTests {
    /// Sends bytes through a connection, and reads frames from its other end until it closes.
    static func read(_ bytes: [UInt8]) async throws -> [WireFrame] {
        try await WireListener.with(host: "127.0.0.1", port: 0, tls: nil) { listener in
            let sender = try await WireConnection.connect(
                to: WireTarget(host: "127.0.0.1", port: listener.port, tls: nil))
            let receiver = try await listener.accept()
            await sender.send(bytes)
            await sender.close()
            var frames: [WireFrame] = []
            do {
                while true { frames.append(try await WireFrame.next(from: receiver)) }
            } catch is WireConnection.Ended {}
            await receiver.close()
            return frames
        }
    }

    @Test("comes as it was sent, whatever its length", arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 1 << 20])
    func roundTrip(count: Int) async throws {
        let frame = WireFrame(payload: (0..<count).map { UInt8(truncatingIfNeeded: $0) })
        #expect(try await Self.read(frame.bytes() + frame.masked.bytes()) == [frame, frame.masked])
    }

    @Test("has its length in 1, 3 or 9 bytes, as RFC 6455 section 5.2 says")
    func lengths() {
        #expect(WireFrame(payload: [7]).bytes() == [0x82, 1, 7])
        #expect(WireFrame(payload: [UInt8](repeating: 0, count: 126)).bytes().prefix(4) == [0x82, 126, 0, 126])
        #expect(
            WireFrame(payload: [UInt8](repeating: 0, count: 65_536)).bytes().prefix(10)
                == [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0])
        #expect(WireFrame(payload: [7]).bytes(.two) == [0x82, 126, 0, 1, 7])
        #expect(WireFrame(payload: [7]).bytes(.claiming(1 << 40)) == [0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0, 7])
        #expect(WireFrame.close(1000, reason: "x").bytes() == [0x88, 3, 0x03, 0xE8, 0x78])
        #expect(WireFrame(fin: false, reserved: 5, opcode: 3).bytes() == [0x53, 0])
        #expect(WireFrame(payload: [0]).masked.bytes().count == 7)
    }

    @Test("keeps every bit of its head", arguments: 0..<256)
    func heads(first: Int) async throws {
        let frame = WireFrame(fin: first & 0x80 != 0, reserved: UInt8(first >> 4 & 7), opcode: UInt8(first & 0xF))
        #expect(frame.bytes() == [UInt8(first), 0])
    }

    @Test("that announces more than 2 MiB is a deviation")
    func tooLong() async throws {
        await #expect(throws: Deviation.self) { _ = try await Self.read(WireFrame().bytes(.claiming(1 << 40))) }
    }

    @Test("is one of several for a message that is cut", arguments: [(0, 1), (1, 1), (10, 1), (11, 2), (30, 3)])
    func fragments(count: Int, frameCount: Int) {
        let message = (0..<count).map { UInt8($0) }
        let frames = WireFrame.fragments(message, byteCount: 10)
        #expect(frames.count == frameCount)
        #expect(frames.flatMap(\.payload) == message)
        #expect(frames.map(\.fin) == frames.indices.map { $0 == frameCount - 1 })
        #expect(frames.first?.opcode == WireFrame.Opcode.binary)
        #expect(frames.dropFirst().allSatisfy { $0.opcode == WireFrame.Opcode.continuation })
    }
}

@Suite("The head of a request or answer")
struct HeadTests {
    @Test("is read with its fields, whose names have no case")
    func request() throws {
        let head = try RequestHead(Array("GET /a HTTP/1.1\r\nHost: x\r\nORIGIN:y\r\nhost: z\r\n\r\n".utf8))
        #expect((head.method, head.path, head.version) == ("GET", "/a", "HTTP/1.1"))
        #expect(head["HOST"] == ["x", "z"])
        #expect(head["origin"] == ["y"])
        #expect(head["cookie"] == [])
        #expect(try AnswerHead(Array("HTTP/1.1 410 Gone\r\n\r\n".utf8)).status == 410)
    }

    @Test("that is none is a deviation", arguments: ["", "GET\r\n\r\n", "a b c d\r\n\r\n", "\u{16}\u{3}\r\n\r\n"])
    func none(text: String) {
        #expect(throws: Deviation.self) { _ = try RequestHead(Array(text.utf8)) }
        #expect(throws: Deviation.self) { _ = try AnswerHead(Array(text.utf8)) }
    }

    @Test("of an answer says what a case changes in it")
    func answer() {
        let answer = UpgradeResponse(routingID: "a10bc2").with(UpgradeResponse.routingIDField, "1", "2")
        #expect(answer.fields.filter { $0.name == UpgradeResponse.routingIDField }.map(\.value) == ["1", "2"])
        #expect(UpgradeResponse(routingID: nil).fields.allSatisfy { $0.name != UpgradeResponse.routingIDField })
        #expect(UpgradeResponse.status(410).statusLine.hasPrefix("HTTP/1.1 410"))
    }
}
