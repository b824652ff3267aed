import Encodings
import Testing

@testable import Conformance

@Suite("A message on a report's page", .timeLimit(.minutes(5)))
struct ReadableMessageTests {
    static func entry(_ channel: String, _ what: String, _ bytes: [UInt8], more: Int = 0) -> PublishedReport.Entry {
        PublishedReport.Entry(
            microseconds: 0, direction: "received", channel: channel, what: what, hex: Hexadecimal.encode(bytes),
            more: more)
    }

    static func lines(_ channel: String, _ what: String, _ bytes: [UInt8], more: Int = 0) -> [String]? {
        ReadableMessage(entry(channel, what, bytes, more: more))?.lines
    }

    static let getInfo: CBORValue = [1: ["FIDO_2_0"], 4: ["rk": true]]

    @Test("is a head of HTTP, line by line")
    func heads() {
        let head = "GET /cable HTTP/1.1\r\nHost: localhost\r\n\r\n"
        #expect(Self.lines("HTTP", "head", Array(head.utf8)) == ["GET /cable HTTP/1.1", "Host: localhost"])
        #expect(
            Self.lines("HTTP 2", "bytes", Array("HTTP/1.1 101 x\nA: \u{FF}".utf8) + [0xFF]) == [
                "HTTP/1.1 101 x", "A: \u{FF}\u{FFFD}",
            ])
        #expect(Self.lines("HTTP", "bytes", [0x82, 0x01, 0x0A]) == nil)
        #expect(Self.lines("HTTP", "bytes", Array("no line".utf8)) == nil)
    }

    @Test("is CBOR in diagnostic notation behind what is not, with the maps that it holds")
    func cbor() {
        #expect(
            Self.lines(
                "tunnel", "CTAP getAssertion", [1, 2] + ([1: "a.example", 2: .bytes([7])] as CBORValue).encoded())
                == ["{", "  1: \"a.example\",", "  2: h'07'", "}"])
        #expect(Self.lines("L2CAP", "CTAP answer with status 2E", [1, 0x2E]) == nil)
        #expect(Self.lines("tunnel", "update", [2, 0xA0]) == ["{}"])
        let first: CBORValue = [1: .bytes(Self.getInfo.encoded())]
        #expect(
            Self.lines("tunnel", "first message", first.encoded() + [0, 0, 2]) == [
                "{", "  1: h'\(Hexadecimal.encode(Self.getInfo.encoded()))'", "}", "1 holds", "{", "  1: [",
                "    \"FIDO_2_0\"", "  ],", "  4: {", "    \"rk\": true", "  }", "}", "and 3 bytes behind it",
            ])
        #expect(Self.lines("session", "sealed in pieces, or not sent: update", [2, 0xA0]) == ["{}"])
    }

    @Test("is JSON, set in; what is none, and what is cut, as it stands")
    func json() {
        #expect(
            Self.lines("tunnel", "JSON message", [3] + Array(#"{"a":[1,{}],"b":"\u0000\""}"#.utf8)) == [
                "{", #"  "a": ["#, "    1,", "    {}", "  ],", #"  "b": "\u0000\"""#, "}",
            ])
        #expect(Self.lines("tunnel", "JSON message", [3] + Array(#"{"a":"#.utf8), more: 9) == [#"{"a":"#])
        #expect(Self.lines("tunnel", "CTAP makeCredential", [1, 1, 0xA1], more: 9) == ["CBOR that is cut here"])
        #expect(Self.lines("tunnel", "CTAP makeCredential", [1, 1, 0xA1])?.first?.hasPrefix("no CBOR: ") == true)
    }

    @Test(
        "is no guess: bytes of no known kind, changed ones, and those of a foreign report that are none, stay as they are"
    )
    func others() {
        for (channel, what) in [
            ("tunnel", "handshake message"), ("tunnel", "binary message, cut or changed: CTAP getInfo"),
            ("advert", "service data"), ("tunnel", "first frame of a binary message"),
        ] { #expect(Self.lines(channel, what, [1, 4, 0xA0]) == nil, "\(what)") }
        for hex in ["zz", "0", String(repeating: "00", count: 5_000)] {
            let entry = PublishedReport.Entry(
                microseconds: 0, direction: "note", channel: "tunnel", what: "update", hex: hex, more: 0)
            #expect(ReadableMessage(entry) == nil)
        }
    }

    @Test("is bounded, however a peer nests or repeats")
    func bounds() {
        let deep = [UInt8](repeating: 0x81, count: 15) + [0x98, 0xFF] + [UInt8](repeating: 0xF7, count: 255)
        let json =
            String(repeating: "[", count: 60) + String(repeating: "1,", count: 190) + "1"
            + String(repeating: "]", count: 60)
        let long = [2, 0x98, 200] + [UInt8](repeating: 1, count: 200)
        for (what, bytes) in [
            ("update", [2] + deep), ("update", long), ("JSON message", [3] + Array(json.utf8)),
        ] {
            let lines = Self.lines("tunnel", what, bytes) ?? []
            #expect(lines.count == 1)
            #expect(lines.joined().utf8.count < 4_096)
        }
    }

    /// Bytes in which each kind of message has text that a peer may write to break a page, and which is read
    /// as that kind.
    static let hostile: [(channel: String, what: String, bytes: [UInt8])] = {
        let text = PublishedReportTests.hostile
        let item: CBORValue = [1: .text(text), 2: .bytes(Array(text.utf8))]
        let inner: CBORValue = [1: .bytes(([1: .text(text)] as CBORValue).encoded())]
        let json = JSONValue.object([JSONValue.Member(text, .string(text))]).text
        return [
            ("HTTP", "head", Array("GET / HTTP/1.1\r\nA: \(text)\r\n\(text): b\r\n\r\n".utf8)),
            ("HTTP", "bytes", Array("GET /</code></pre><script> x\r\n".utf8)),
            ("tunnel", "CTAP getAssertion", [1, 2] + item.encoded()), ("tunnel", "first message", inner.encoded()),
            ("tunnel", "JSON message", [3] + Array(json.utf8)), ("tunnel", "JSON message", [3] + Array(text.utf8)),
            ("tunnel", text, Array(text.utf8)), (text, "update", [2] + item.encoded()),
        ]
    }()

    @Test("cannot break the page, whatever a peer sent in whatever place")
    func page() async throws {
        var result = PublishedReportTests.result(ConformanceRunner.authenticatorCases[0], 1)
        result.transcript = Transcript(
            entries: Self.hostile.map { channel, what, bytes in
                Transcript.Entry(
                    time: .zero, direction: .received, channel: channel, what: what, bytes: bytes, more: 0)
            }, omittedCount: 0)
        var report = ConformanceReport()
        report.add(result)
        var run = PublishedReportTests.run
        run.selection.plannedCount = 1
        let published = PublishedReport(report, of: run, duration: .zero)
        let page = published.html
        #expect(try await PublishedReportTests.check(page) == ["1 1 0 True"])
        for sign in ["\u{1B}", "\u{202E}", "\u{0}", "\u{FFFE}", "<script"] { #expect(!page.contains(sign)) }
        // Each kind is read, and has its bytes beside it.
        let read = Self.hostile.count { Self.lines($0.channel, $0.what, $0.bytes) != nil }
        #expect(read == 7)
        #expect(page.ranges(of: " bytes</summary><code>").count == read)
        for entry in published.cases[0].transcript { #expect(page.contains(entry.hex)) }
    }
}
