import Logging
import Testing

@testable import CommandLine

/// Text that others have chosen, where it reaches the log.
@Suite("A line of the log", .serialized)
struct LogLinesTests {
    private static let foreign = [
        "a\nhybrid: error: b", "a\r\u{85}\u{2028}\u{2029}b", "\u{1B}]0;owned\u{7}\u{1B}[2J", "\u{9B}2J", "\u{0}\u{8}",
        "a\u{202E}b\u{2066}c\u{200F}d", "\u{E0041}\u{FEFF}\u{2800}", String(repeating: "x", count: 1_000_000),
        "e" + String(repeating: "\u{301}", count: 1_000_000), String(repeating: "\u{202E}", count: 1_000_000),
    ]

    @Test("is one, bounded, with foreign text escaped", arguments: foreign.indices)
    func escaped(index: Int) {
        let line = LogLines.escaped("hybrid: \(Self.foreign[index])")
        #expect(line.hasPrefix("hybrid: "))
        #expect(Self.isHarmless(line), "\(line.prefix(80))")
    }

    @Test("is kept for a report likewise, without hosts", arguments: foreign.indices)
    func kept(index: Int) throws {
        let text = Self.foreign[index]
        LogLines.keep()
        let event = LogEvent(
            level: .debug, message: "failed: \(text)", metadata: nil, source: nil, file: #fileID, function: #function,
            line: #line)
        LogLines.write(event, label: "tunnel", ["reason": "by a host"], from: nil)
        let line = try #require(LogLines.kept.first)
        #expect(LogLines.kept.count == 1 && line.contains(" tunnel: failed: ") && !line.contains("by a host"))
        #expect(Self.isHarmless(line), "\(line.prefix(80))")
    }

    @Test("of our own words stays as it is")
    func own() {
        let line = "hybrid:    0.113 s tunnel: connecting: TLS, no proxy service=wss://cable.ua5v.com"
        #expect(LogLines.escaped(line) == line)
    }

    private static func isHarmless(_ line: String) -> Bool {
        // The sign that a line was cut comes in addition.
        line.unicodeScalars.count <= LogLines.maxLength + 1
            && line.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: false
                default: true
                }
            }
    }
}
